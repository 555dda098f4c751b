"""Tables and actions: whole requests, immutability, and refusals that name slot and place."""

from __future__ import annotations

from typing import Any

import pytest

from expr_builder import Attr, BuildError, Table

accounts = Table("accounts", partition_key="PK", sort_key="SK")
KEY = {"PK": "A#1", "SK": "P"}
TYPED_KEY = {"PK": {"S": "A#1"}, "SK": {"S": "P"}}


def test_a_put_is_the_arguments_of_put_item() -> None:
    action = accounts.put({**KEY, "n": 1}).if_not_exists().named("account").return_old_on_failure().returning("ALL_OLD")
    assert action.to_request() == {
        "TableName": "accounts",
        "Item": {**TYPED_KEY, "n": {"N": "1"}},
        "ConditionExpression": "attribute_not_exists(PK)",
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        "ReturnValues": "ALL_OLD",
    }


def test_the_update_of_the_design_is_the_arguments_of_update_item() -> None:
    action = (
        accounts.update(KEY)
        .set(email="new@example.com", version=Attr("version") + 1)
        .remove("pending")
        .add(logins=1)
        .delete(tags={"beta"})
        .when(Attr("email") == "old@example.com")
        .named("account")
        .return_old_on_failure()
    )
    assert action.to_transact_item() == {
        "Update": {
            "TableName": "accounts",
            "Key": TYPED_KEY,
            "UpdateExpression": (
                "SET email = :v0, version = version + :v1 REMOVE pending ADD logins :v2 DELETE tags :v3"
            ),
            "ConditionExpression": "email = :v4",
            "ExpressionAttributeValues": {
                ":v0": {"S": "new@example.com"},
                ":v1": {"N": "1"},
                ":v2": {"N": "1"},
                ":v3": {"SS": ["beta"]},
                ":v4": {"S": "old@example.com"},
            },
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        }
    }


def test_delete_check_and_get() -> None:
    assert accounts.delete(KEY).if_exists().to_request() == {
        "TableName": "accounts",
        "Key": TYPED_KEY,
        "ConditionExpression": "attribute_exists(PK)",
    }
    assert accounts.check(KEY).when(Attr("status") == "open").to_transact_item() == {
        "ConditionCheck": {
            "TableName": "accounts",
            "Key": TYPED_KEY,
            "ConditionExpression": "#n0 = :v0",
            "ExpressionAttributeNames": {"#n0": "status"},
            "ExpressionAttributeValues": {":v0": {"S": "open"}},
        }
    }
    get = accounts.get(KEY, project=["email", Attr("address")["city"], "name"], consistent=True).named("account")
    body = {
        "TableName": "accounts",
        "Key": TYPED_KEY,
        "ProjectionExpression": "email, address.city, #n0",
        "ExpressionAttributeNames": {"#n0": "name"},
    }
    assert get.to_request() == {**body, "ConsistentRead": True}
    assert get.to_transact_item() == {"Get": body}
    assert accounts.get(KEY, "email").to_request() == {
        "TableName": "accounts",
        "Key": TYPED_KEY,
        "ProjectionExpression": "email",
    }


def test_several_conditions_are_joined_and_a_users_or_cannot_escape_the_guard() -> None:
    guarded = accounts.put(KEY).if_not_exists().when((Attr("a") == 1) | (Attr("b") == 2))
    assert guarded.to_request()["ConditionExpression"] == "attribute_not_exists(PK) AND (a = :v0 OR b = :v1)"


def test_actions_are_values_and_never_change() -> None:
    bare = accounts.update(KEY)
    first, second = bare.set(a=1), bare.set(b=2)
    assert (bare.actions, len(first.actions), len(second.actions)) == ((), 1, 1)
    named = first.named("x")
    assert (first.slot, named.slot, named.table, named.condition) == (None, "x", accounts, None)
    item = {**KEY, "tags": ["a"]}
    put = accounts.put(item)
    item["tags"].append("b")  # type: ignore[attr-defined]
    item["PK"] = "changed"
    assert put.item == {**TYPED_KEY, "tags": {"L": [{"S": "a"}]}}
    assert put.key == TYPED_KEY


def test_every_name_can_be_aliased() -> None:
    always = Table("t", "PK", alias="always")
    request = always.put({"PK": "1"}).if_not_exists().when(Attr("a")["b"] == 1).to_request()
    assert request["ConditionExpression"] == "attribute_not_exists(#n0) AND #n1.#n2 = :v0"
    assert request["ExpressionAttributeNames"] == {"#n0": "PK", "#n1": "a", "#n2": "b"}
    assert always.get({"PK": "1"}, ["a"]).to_request()["ExpressionAttributeNames"] == {"#n0": "a"}


def test_a_table_tells_its_keys() -> None:
    table = Table("t", ("id", "N"), ("at", "B"))
    assert (table.partition_key, table.sort_key, table.key_schema.types) == ("id", "at", {"id": "N", "at": "B"})
    assert Table("t", "PK").sort_key is None
    assert repr(accounts) == "Table('accounts', PK, SK)"
    assert table.get({"id": 1, "at": b"x"}).key == {"id": {"N": "1"}, "at": {"B": b"x"}}


@pytest.mark.parametrize(
    "name",
    ["a" * 255, "a-b_c.D1", "arn:aws:dynamodb:eu-west-1:123456789012:table/accounts"],
)
def test_names_and_arns_of_tables(name: str) -> None:
    assert Table(name, "PK").put({"PK": "1"}).to_request()["TableName"] == name


@pytest.mark.parametrize(
    ("make", "rule"),
    [
        (lambda: Table("", "PK"), "table-name"),
        (lambda: Table("a" * 256, "PK"), "table-name"),
        (lambda: Table("a b", "PK"), "table-name"),
        (lambda: Table("täble", "PK"), "table-name"),
        (lambda: Table("arn:aws:sns:x", "PK"), "table-name"),
        (lambda: Table(5, "PK"), "table-name"),  # type: ignore[arg-type]
        (lambda: Table("t", ""), "key-definition"),
        (lambda: Table("t", "x" * 256), "key-definition"),
        (lambda: Table("t", ("PK", "BOOL")), "key-definition"),
        (lambda: Table("t", "PK", "PK"), "key-definition"),
        (lambda: Table("t", "PK", alias="never"), "table-alias"),
    ],
)
def test_tables_that_cannot_exist_are_refused(make: Any, rule: str) -> None:
    with pytest.raises(BuildError) as caught:
        make()
    assert caught.value.rule == rule


@pytest.mark.parametrize(
    ("make", "rule", "place"),
    [
        (lambda: accounts.put({"PK": "1"}), "key-schema", 'Put "accounts", Item'),
        (lambda: accounts.put({"PK": 1, "SK": "x"}), "key-type", 'Put "accounts", Item.PK'),
        (lambda: accounts.put({"PK": "", "SK": "x"}), "key-empty", 'Put "accounts", Item.PK'),
        (lambda: accounts.put({"PK": "x" * 2049, "SK": "x"}), "key-length", 'Put "accounts", Item.PK'),
        (lambda: accounts.put({"PK": "x", "SK": "é" * 513}), "key-length", 'Put "accounts", Item.SK'),
        (lambda: accounts.put({**KEY, "tags": [0, set()]}), "set-empty", 'Put "accounts", Item.tags[1]'),
        (lambda: accounts.put(["PK"]), "item-type", 'Put "accounts", Item'),  # type: ignore[arg-type]
        (lambda: accounts.put({**KEY, "x": "y" * 409_600}), "item-size", 'Put "accounts", Item'),
        (lambda: accounts.get("1"), "key-schema", 'Get "accounts", Key'),  # type: ignore[arg-type]
        (lambda: accounts.delete(["A#1", "P"]), "key-schema", 'Delete "accounts", Key'),  # type: ignore[arg-type]
        (lambda: accounts.update({**KEY, "x": 1}), "key-schema", 'Update "accounts", Key'),
        (lambda: accounts.delete({"PK": "1"}), "key-schema", 'Delete "accounts", Key'),
        (lambda: accounts.delete({"PK": "1", "SK": {1, "a"}}), "set-mixed", 'Delete "accounts", Key.SK'),
        (lambda: accounts.delete(KEY).named(""), "slot-name", 'Delete "accounts"'),
        (lambda: accounts.delete(KEY).returning("ALL_NEW"), "return-values", 'Delete "accounts"'),
        (lambda: accounts.check(KEY).returning("NONE"), "return-values", 'ConditionCheck "accounts"'),
        (lambda: accounts.check(KEY).named("c").to_request(), "check-alone", 'slot "c"'),
        (lambda: accounts.check(KEY).named("c").to_transact_item(), "check-condition", 'slot "c"'),
        (lambda: accounts.get(KEY, [5]), "update-target", ""),  # type: ignore[list-item]
        (lambda: accounts.delete(KEY).when("a = 1"), "condition-operand", 'Delete "accounts", when'),  # type: ignore[arg-type]
    ],
)
def test_bad_input_is_refused_with_its_place(make: Any, rule: str, place: str) -> None:
    with pytest.raises(BuildError) as caught:
        make()
    assert (caught.value.rule, caught.value.place) == (rule, place)


def test_the_longest_keys_and_the_largest_item_are_allowed() -> None:
    put = accounts.put({"PK": "x" * 2048, "SK": "é" * 512, "v": "y" * (409_600 - 2048 - 1024 - 5)})
    assert put.size == 409_600


def test_a_transaction_returns_no_attributes_and_the_failure_item_only_all_old() -> None:
    action = accounts.update(KEY).set(a=1).returning("ALL_NEW").named("account")
    assert action.to_request()["ReturnValues"] == "ALL_NEW"
    with pytest.raises(BuildError) as caught:
        action.to_transact_item()
    assert (caught.value.rule, caught.value.place) == ("return-values", 'slot "account"')


def test_no_unknown_enumeration_value_can_be_asked_for() -> None:
    assert accounts.delete(KEY).return_old_on_failure().to_request()["ReturnValuesOnConditionCheckFailure"] == "ALL_OLD"
    with pytest.raises(BuildError, match="cannot return ALL_NEVER"):
        accounts.delete(KEY).returning("ALL_NEVER")


def test_sizes_of_actions() -> None:
    assert accounts.put({**KEY, "n": 1}).size == 5 + 3 + 3
    assert accounts.delete(KEY).size == 8
    assert accounts.update(KEY).set(a="xyz", b=Attr("c"), d=Attr("e") + 1).size == 8 + 3
