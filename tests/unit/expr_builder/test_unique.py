"""Uniqueness by markers: whole transactions, and what a clash is turned into."""

from __future__ import annotations

import enum
from typing import Any

import pytest

from expr_builder import Attr, BuildError, Marker, Table, TransactionCanceled, Unique, UniqueViolation

accounts = Table("accounts", "PK", "SK")
unique = Unique(
    accounts,
    owner="PK",
    email=Marker("UNIQ#EMAIL#{}", normalize=str.lower),
    username=Marker("UNIQ#HANDLE#{}", normalize=str.lower),
)
ADA = {"PK": "A#1", "SK": "P", "email": "Ada@example.com", "username": "ada"}
OLD = "ALL_OLD"


def marker(key: str, owner: str = "A#1") -> dict[str, Any]:
    return {"PK": {"S": key}, "SK": {"S": "LOCK"}, "owner": {"S": owner}}


def claim(key: str) -> dict[str, Any]:
    return {
        "Put": {
            "TableName": "accounts",
            "Item": marker(key),
            "ConditionExpression": "attribute_not_exists(PK)",
            "ReturnValuesOnConditionCheckFailure": OLD,
        }
    }


def release(key: str) -> dict[str, Any]:
    return {
        "Delete": {
            "TableName": "accounts",
            "Key": {"PK": {"S": key}, "SK": {"S": "LOCK"}},
            "ConditionExpression": "#n0 = :v0",
            "ExpressionAttributeNames": {"#n0": "owner"},
            "ExpressionAttributeValues": {":v0": {"S": "A#1"}},
            "ReturnValuesOnConditionCheckFailure": OLD,
        }
    }


def items(tx: Any) -> list[Any]:
    return tx.to_request()["TransactItems"]  # type: ignore[no-any-return]


def test_a_record_is_created_with_one_marker_for_each_field_keyed_by_its_value() -> None:
    tx = unique.create(ADA, token="t-1")
    assert tx.to_request() == {
        "TransactItems": [
            {
                "Put": {
                    "TableName": "accounts",
                    "Item": {
                        "PK": {"S": "A#1"},
                        "SK": {"S": "P"},
                        "email": {"S": "Ada@example.com"},
                        "username": {"S": "ada"},
                    },
                    "ConditionExpression": "attribute_not_exists(PK)",
                    "ReturnValuesOnConditionCheckFailure": OLD,
                }
            },
            claim("UNIQ#EMAIL#ada@example.com"),
            claim("UNIQ#HANDLE#ada"),
        ],
        "ClientRequestToken": "t-1",
    }
    assert list(tx.slots) == ["record", "email", "username"]
    assert tx.claims == ("email", "username")


def test_a_change_swaps_the_marker_and_is_guarded_by_what_was_read() -> None:
    tx = unique.change(
        ADA, email="new@example.com", set={"version": Attr("version") + 1}, when=Attr("subject") == "s-1"
    )
    assert items(tx) == [
        {
            "Update": {
                "TableName": "accounts",
                "Key": {"PK": {"S": "A#1"}, "SK": {"S": "P"}},
                "UpdateExpression": "SET email = :v0, version = version + :v1",
                "ConditionExpression": "attribute_exists(PK) AND email = :v2 AND subject = :v3",
                "ExpressionAttributeValues": {
                    ":v0": {"S": "new@example.com"},
                    ":v1": {"N": "1"},
                    ":v2": {"S": "Ada@example.com"},
                    ":v3": {"S": "s-1"},
                },
                "ReturnValuesOnConditionCheckFailure": OLD,
            }
        },
        claim("UNIQ#EMAIL#new@example.com"),
        release("UNIQ#EMAIL#ada@example.com"),
    ]
    assert list(tx.slots) == ["record", "email", "email.release"]


def test_a_change_can_be_part_of_any_update_of_the_record_with_its_condition() -> None:
    update = accounts.update({"PK": "A#1", "SK": "P"}).remove("pending").add(changes=1).when(Attr("version") == 3)
    tx = unique.change(ADA, email="ADA@example.com", update=update)
    assert items(tx) == [
        {
            "Update": {
                "TableName": "accounts",
                "Key": {"PK": {"S": "A#1"}, "SK": {"S": "P"}},
                "UpdateExpression": "SET email = :v0 REMOVE pending ADD changes :v1",
                "ConditionExpression": "attribute_exists(PK) AND email = :v2 AND version = :v3",
                "ExpressionAttributeValues": {
                    ":v0": {"S": "ADA@example.com"},
                    ":v1": {"N": "1"},
                    ":v2": {"S": "Ada@example.com"},
                    ":v3": {"N": "3"},
                },
                "ReturnValuesOnConditionCheckFailure": OLD,
            }
        }
    ]


def test_a_change_of_case_alone_touches_the_record_alone() -> None:
    tx = unique.change(ADA, email="ADA@example.com")
    assert list(tx.slots) == ["record"]
    assert items(tx)[0]["Update"]["ExpressionAttributeValues"][":v0"] == {"S": "ADA@example.com"}


def test_only_real_differences_produce_actions() -> None:
    both = unique.change(ADA, email="ada@EXAMPLE.com", username="lovelace")
    assert list(both.slots) == ["record", "username", "username.release"]
    assert len(unique.change(ADA, email="b@example.com", username="b").slots) == 5


def test_a_deletion_releases_the_stored_records_markers_and_only_its_own() -> None:
    tx = unique.delete(ADA, when=Attr("version") == 3)
    assert items(tx) == [
        {
            "Delete": {
                "TableName": "accounts",
                "Key": {"PK": {"S": "A#1"}, "SK": {"S": "P"}},
                "ConditionExpression": "attribute_exists(PK) AND email = :v0 AND username = :v1 AND version = :v2",
                "ExpressionAttributeValues": {
                    ":v0": {"S": "Ada@example.com"},
                    ":v1": {"S": "ada"},
                    ":v2": {"N": "3"},
                },
                "ReturnValuesOnConditionCheckFailure": OLD,
            }
        },
        release("UNIQ#EMAIL#ada@example.com"),
        release("UNIQ#HANDLE#ada"),
    ]
    assert list(tx.slots) == ["record", "email.release", "username.release"]


@pytest.mark.parametrize("value", [None, "", 5, b"x"])
def test_no_marker_is_ever_made_of_nothing(value: Any) -> None:
    for make in (
        lambda: unique.create({**ADA, "email": value}),
        lambda: unique.change({**ADA, "email": value}, email="new@example.com"),
        lambda: unique.change(ADA, email=value),
        lambda: unique.delete({**ADA, "email": value}),
        lambda: unique.make_marker_key("email", value),
    ):
        with pytest.raises(BuildError) as caught:
            make()
        assert (caught.value.rule, caught.value.place) == ("marker-value", "unique field email")
    with pytest.raises(BuildError):
        unique.create({name: value for name, value in ADA.items() if name != "email"})


def test_a_value_that_normalises_to_nothing_is_refused() -> None:
    with pytest.raises(BuildError) as caught:
        Marker("X#{}", normalize=str.strip).make_key("  ")
    assert caught.value.rule == "marker-value"


optional = Unique(accounts, owner="PK", phone=Marker("UNIQ#PHONE#{}", optional=True))
BARE = {"PK": "A#1", "SK": "P"}


def test_an_optional_field_has_a_marker_only_while_it_has_a_value() -> None:
    assert list(optional.create(BARE).slots) == ["record"]
    assert list(optional.change(BARE, phone="1").slots) == ["record", "phone"]
    assert list(optional.change({**BARE, "phone": "1"}, phone=None).slots) == ["record", "phone.release"]
    assert list(optional.delete(BARE).slots) == ["record"]
    added = items(optional.change(BARE, phone="1"))[0]["Update"]
    assert added["ConditionExpression"] == "attribute_exists(PK) AND (attribute_not_exists(phone) OR phone = :v1)"
    assert added["ExpressionAttributeValues"] == {":v0": {"S": "1"}, ":v1": {"NULL": True}}
    removed = items(optional.change({**BARE, "phone": "1"}, phone=None))[0]["Update"]
    assert removed["UpdateExpression"] == "REMOVE phone"
    assert items(optional.delete(BARE))[0]["Delete"]["ConditionExpression"] == (
        "attribute_exists(PK) AND (attribute_not_exists(phone) OR phone = :v0)"
    )


def test_no_value_null_and_a_missing_field_are_the_same() -> None:
    null = {**BARE, "phone": None}
    assert items(optional.create(null)) == items(optional.create(BARE))  # no NULL is stored
    assert items(optional.delete(null)) == items(optional.delete(BARE))
    assert items(optional.change(null, phone="1")) == items(optional.change(BARE, phone="1"))


def test_a_condition_of_the_caller_is_added_to_the_records() -> None:
    tx = unique.create(ADA, when=Attr("x").not_exists() | Attr("y").not_exists())
    assert items(tx)[0]["Put"]["ConditionExpression"] == (
        "attribute_not_exists(PK) AND (attribute_not_exists(x) OR attribute_not_exists(y))"
    )


def test_markers_can_be_asked_for_and_live_in_tables_with_one_key() -> None:
    assert unique.make_marker("email", "ADA@example.com", "A#1") == {
        "PK": "UNIQ#EMAIL#ada@example.com",
        "SK": "LOCK",
        "owner": "A#1",
    }
    simple = Unique(Table("t", "id"), owner="id", name=Marker("NAME#{}#X"))
    assert simple.make_marker_key("name", "ada") == {"id": "NAME#ada#X"}
    assert Marker("A#{}#B", sort="S").prefix == "A#"


class Refused(Exception):
    def __init__(self, *reasons: dict[str, Any]) -> None:
        self.response = {"Error": {"Code": "TransactionCanceledException"}, "CancellationReasons": list(reasons)}


class Refusing:
    def __init__(self, *reasons: dict[str, Any]) -> None:
        self.error = Refused(*reasons)

    def transact_write_items(self, **_: Any) -> None:
        raise self.error


NONE = {"Code": "None"}
FAILED = {"Code": "ConditionalCheckFailed"}


def refusal(tx: Any, *reasons: dict[str, Any]) -> TransactionCanceled:
    with pytest.raises(TransactionCanceled) as caught:
        tx.send(Refusing(*reasons))
    return caught.value


def test_a_clash_names_all_taken_fields_and_their_holders() -> None:
    taken = {**FAILED, "Item": marker("UNIQ#EMAIL#ada@example.com", "A#9")}
    error = refusal(unique.create(ADA), NONE, taken, FAILED)
    assert isinstance(error, UniqueViolation)
    assert error.fields == ("email", "username")
    assert error.holders == {"email": "A#9", "username": None}
    assert error.failed == ("email", "username")
    assert str(error) == "email and username already taken"


def test_a_refusal_that_is_no_clash_is_no_unique_violation() -> None:
    for error in (
        refusal(unique.create(ADA), FAILED, NONE, NONE),
        refusal(unique.change(ADA, email="b@example.com"), FAILED, NONE, FAILED),
        refusal(unique.delete(ADA), NONE, FAILED, NONE),
    ):
        assert type(error) is TransactionCanceled


def test_a_failed_condition_wins_over_a_conflict_beside_it() -> None:
    error = refusal(unique.create(ADA), {"Code": "TransactionConflict"}, FAILED, NONE)
    assert isinstance(error, UniqueViolation)
    assert error.fields == ("email",)


@pytest.mark.parametrize(
    ("make", "rule"),
    [
        (lambda: Marker("UNIQ#EMAIL"), "marker-template"),
        (lambda: Marker("{}{}"), "marker-template"),
        (lambda: Unique(accounts, owner="PK"), "marker-field"),
        (lambda: Unique(accounts, owner="PK", record=Marker("X#{}")), "marker-field"),
        (lambda: Unique(accounts, owner="PK", email="X#{}"), "marker-field"),  # type: ignore[arg-type]
        (lambda: Unique(accounts, owner="PK", a=Marker("X#{}"), b=Marker("X#Y#{}")), "marker-template"),
        (lambda: Unique(accounts, owner="PK", a=Marker("X#{}"), b=Marker("X#{}")), "marker-template"),
        (lambda: unique.create({"SK": "P", "email": "e", "username": "u"}), "marker-owner"),
        (lambda: unique.change({"SK": "P", "email": "e"}, email="f"), "marker-owner"),
        (lambda: unique.delete({**ADA, "PK": ""}), "marker-owner"),
        (lambda: unique.change(ADA, phone="1"), "marker-field"),
        (lambda: unique.change(ADA, email="b", set={"email": "c"}), "update-overlap"),
        (lambda: unique.change(ADA, email="b", update=accounts.update({"PK": "A#2", "SK": "P"})), "marker-update"),
        (lambda: unique.change(ADA, update=accounts.delete({"PK": "A#1", "SK": "P"})), "marker-update"),  # type: ignore[arg-type]
        (lambda: Marker(5), "marker-template"),  # type: ignore[arg-type]
        (lambda: Marker("X#{}", normalize="lower"), "marker-field"),  # type: ignore[arg-type]
        (lambda: Unique("accounts", owner="PK", email=Marker("X#{}")), "marker-field"),  # type: ignore[arg-type]
        (lambda: Unique(accounts, owner=Marker("X#{}")), "marker-owner"),  # type: ignore[arg-type]
        (lambda: Unique(accounts, owner="", email=Marker("X#{}")), "marker-owner"),
        (lambda: Unique(accounts, {"email": Marker("X#{}")}, owner="PK", email=Marker("Y#{}")), "marker-field"),
        (lambda: Unique(accounts, Marker("X#{}"), owner="PK"), "attribute-name"),  # type: ignore[arg-type]
        (lambda: Unique(accounts, {1: Marker("X#{}")}, owner="PK"), "attribute-name"),  # type: ignore[dict-item]
        (lambda: Unique(Table("t", "owner"), owner="owner", email=Marker("X#{}")), "marker-owner"),
        (lambda: Unique(Table("t", ("id", "N")), owner="id", email=Marker("X#{}")), "key-type"),
        (lambda: Unique(Table("t", "id", ("n", "N")), owner="id", email=Marker("X#{}")), "key-type"),
        (lambda: Unique(accounts, {"a": Marker("X#{}"), "a.release": Marker("Y#{}")}, owner="PK"), "marker-field"),
        (lambda: unique.create(None), "item-type"),  # type: ignore[arg-type]
        (lambda: unique.create([("PK", "A#1")]), "item-type"),  # type: ignore[arg-type]
        (lambda: unique.create({**ADA, 1: "x"}), "attribute-name"),  # type: ignore[dict-item]
        (lambda: unique.change("A#1", email="b"), "item-type"),  # type: ignore[arg-type]
        (lambda: unique.change({"PK": "A#1", "email": "e"}, email="f"), "key-schema"),
        (lambda: unique.change(ADA, "email"), "attribute-name"),  # type: ignore[arg-type]
        (lambda: unique.change(ADA, {"email": "f"}, email="g"), "marker-field"),
        (lambda: unique.change(ADA, when="a = 1"), "condition-operand"),  # type: ignore[arg-type]
        (lambda: unique.delete(None), "item-type"),  # type: ignore[arg-type]
        (lambda: unique.make_marker_key("phone", "1"), "marker-field"),
    ],
)
def test_bad_declarations_and_records_are_refused(make: Any, rule: str) -> None:
    with pytest.raises(BuildError) as caught:
        make()
    assert caught.value.rule == rule


# --- Fields that are called as parameters are


NAMES = ("self", "table", "markers", "owner", "old", "new", "token", "when", "set", "update", "item", "fields")
odd = Unique(accounts, {name: Marker(f"UNIQ#{name}#{{}}") for name in NAMES}, owner="PK")
ODD = {"PK": "A#1", "SK": "P", **dict.fromkeys(NAMES, "x")}


@pytest.mark.parametrize("name", NAMES)
def test_a_field_may_have_any_name_and_changes_by_mapping(name: str) -> None:
    tx = odd.change(ODD, {name: "y"}, token="t-1", when=Attr("n") == 1, set={"seen": True})
    assert list(tx.slots) == ["record", name, f"{name}.release"]
    assert tx.token == "t-1"
    assert [list(item) for item in items(tx)] == [["Update"], ["Put"], ["Delete"]]
    assert items(tx)[1]["Put"]["Item"]["PK"] == {"S": f"UNIQ#{name}#y"}


@pytest.mark.parametrize("name", ["token", "when", "set", "update"])
@pytest.mark.parametrize("value", ["y", None])
def test_a_keyword_that_is_a_parameter_and_a_field_is_refused(name: str, value: Any) -> None:
    with pytest.raises(BuildError) as caught:
        odd.change(ODD, **{name: value})
    assert str(caught.value) == (
        f"Unique.change: {name} is a unique field and a parameter of this method "
        f'(put the field into a mapping: change(record, {{"{name}": …}}); then {name}= is the parameter) '
        "[marker-field]"
    )


def test_a_keyword_that_is_a_field_alone_is_the_field() -> None:
    for name in ("self", "old", "new", "table", "owner", "item", "fields"):
        keyword: dict[str, Any] = {name: "y"}
        assert items(odd.change(ODD, **keyword)) == items(odd.change(ODD, {name: "y"}))
    assert items(unique.change(ADA, {"email": "n"}, username="m")) == items(unique.change(ADA, email="n", username="m"))


# --- Nothing goes round the markers


KEY = {"PK": "A#1", "SK": "P"}


@pytest.mark.parametrize(
    "others",
    [
        {"set": {"email": "b@example.com"}},
        {"set": {Attr("email"): "b@example.com"}},
        {"set": {Attr("email")["local"]: "b"}},
        {"set": [("seen", True), ("email", "b@example.com")]},
        {"update": accounts.update(KEY).set(email="b@example.com")},
        {"update": accounts.update(KEY).set(seen=True).remove("email")},
        {"update": accounts.update(KEY).remove(Attr("email")[0])},
        {"update": accounts.update(KEY).add(email={"b"})},
        {"update": accounts.update(KEY).delete(email={"b"})},
        {"update": accounts.update(KEY).apply(accounts.update(KEY).set(email="b").actions)},
    ],
)
def test_a_unique_field_cannot_be_changed_beside_its_marker(others: Any) -> None:
    with pytest.raises(BuildError) as caught:
        unique.change(ADA, username="b", **others)
    assert str(caught.value) == (
        "Unique.change: email is unique, and an update alone would leave its marker behind "
        '(give its whole new value as a field: change(record, {"email": …})) [marker-update]'
    )


# --- Text of any class


class Plan(str, enum.Enum):  # noqa: UP042  # a StrEnum shows its text
    """Text that shows itself as something else."""

    GOLD = "gold"
    SILVER = "silver"


class Name(str, enum.Enum):  # noqa: UP042
    """Names of attributes, and parts of keys."""

    PK = "PK"
    PLAN = "plan"
    TEMPLATE = "PLAN#{}"
    SORT = "LOCK"


class Shown(str):
    """Text that formats itself as something else."""

    __slots__ = ()

    def __format__(self, spec: str) -> str:
        return "shown"

    __str__ = __repr__ = lambda self: "shown"


class Apart(Shown):
    """Text that says that it equals nothing, so that no dictionary finds it."""

    __slots__ = ()
    __eq__ = __ne__ = lambda self, other: self is other
    __hash__ = object.__hash__


NORMALIZERS: list[Any] = [None, str.lower, lambda value: f"{value}", lambda _: Plan.GOLD, Shown]


@pytest.mark.parametrize("normalize", NORMALIZERS)
def test_a_marker_is_made_of_the_text_whatever_class_carries_it(normalize: Any) -> None:
    plain = Unique(accounts, owner="PK", plan=Marker("PLAN#{}"))
    other = Unique(accounts, {Name.PLAN: Marker(Name.TEMPLATE, normalize=normalize, sort=Name.SORT)}, owner=Name.PK)
    stored = {"PK": "A#1", "SK": "P", "plan": "gold"}
    assert list(other.markers) == ["plan"]
    for value in (Plan.GOLD, Shown("gold")):
        for record in (
            {**stored, "plan": value},
            {Name.PK: Shown("A#1"), "SK": "P", Name.PLAN: value},
            {Apart("PK"): Shown("A#1"), "SK": "P", Apart("plan"): value},
        ):
            assert other.create(record).to_request()["TransactItems"] == items(plain.create(stored))
            assert items(other.delete(record)) == items(plain.delete(stored))
            assert list(other.change(record, {Name.PLAN: "gold"}).slots) == ["record"]
        assert other.make_marker("plan", value, "A#1") == {"PK": "PLAN#gold", "SK": "LOCK", "owner": "A#1"}
    silver = other.change(stored, plan=Plan.SILVER) if normalize is None else None
    if silver is not None:
        assert items(silver) == items(plain.change(stored, plan="silver"))


def test_two_names_that_are_one_text_are_refused() -> None:
    calls: list[Any] = [unique.create, unique.delete, lambda record: unique.change(record, email="b")]
    for call in calls:
        with pytest.raises(BuildError) as caught:
            call({**ADA, Apart("plan"): 1, "plan": 2})
        assert caught.value.rule == "attribute-name"


def test_a_key_that_a_value_makes_too_long_names_the_field() -> None:
    long = {**ADA, "email": "a" * 2048}
    makes: list[Any] = [
        lambda: unique.create(long),
        lambda: unique.change(ADA, email="a" * 2048),
        lambda: unique.change(long, email="a"),
        lambda: unique.delete(long),
    ]
    for make in makes:
        with pytest.raises(BuildError) as caught:
            make()
        assert (caught.value.rule, caught.value.place[:18]) == ("key-length", "unique field email")
