"""Update expressions: every clause and value, and what cannot be written."""

from __future__ import annotations

import re
from typing import Any

import pytest

from expr_builder import Attr, BuildError, Table, parse_update

table = Table("t", "PK", "SK")
KEY = {"PK": "1", "SK": "2"}
a = Attr("a")


def update() -> Any:
    return table.update(KEY)


@pytest.mark.parametrize(
    ("action", "text"),
    [
        (update().set(a=1), "SET a = :v0"),
        (update().set(a=1, b=2), "SET a = :v0, b = :v1"),
        (update().set({"a": 1, Attr("b")["c"]: 2}), "SET a = :v0, b.c = :v1"),
        (update().set(("a", 1)), "SET a = :v0"),
        (update().set((Attr("b")[0], 1), ("c", 2)), "SET b[0] = :v0, c = :v1"),
        (update().set([("a", 1), (Attr("b"), 2)]), "SET a = :v0, b = :v1"),
        (update().set({"a": 1}, ("b", 2), c=3), "SET a = :v0, b = :v1, c = :v2"),
        (update().set(a=Attr("b")), "SET a = b"),
        (update().set(a=a + 1), "SET a = a + :v0"),
        (update().set(a=a - 1), "SET a = a - :v0"),
        (update().set(a=1 + a), "SET a = :v0 + a"),
        (update().set(a=10 - a), "SET a = :v0 - a"),
        (update().set(a=a + Attr("b")), "SET a = a + b"),
        (update().set(a=a.if_not_exists(0)), "SET a = if_not_exists(a, :v0)"),
        (update().set(a=a.if_not_exists(Attr("b"))), "SET a = if_not_exists(a, b)"),
        (update().set(a=a.if_not_exists(0) + 1), "SET a = if_not_exists(a, :v0) + :v1"),
        (update().set(a=a.if_not_exists(9) - 1), "SET a = if_not_exists(a, :v0) - :v1"),
        (update().set(a=a - Attr("b").if_not_exists(0)), "SET a = a - if_not_exists(b, :v0)"),
        (update().set(a=a.append(["x"])), "SET a = list_append(if_not_exists(a, :v0), :v1)"),
        (update().set(a=a.prepend(["x"])), "SET a = list_append(:v0, if_not_exists(a, :v1))"),
        (update().set(a=a.append(Attr("b"))), "SET a = list_append(if_not_exists(a, :v0), b)"),
        (update().remove("a"), "REMOVE a"),
        (update().remove("a", Attr("b")[2]), "REMOVE a, b[2]"),
        (update().add(n=1, s={"x"}), "ADD n :v0, s :v1"),
        (update().delete(s={"x"}), "DELETE s :v0"),
        (update().delete(s={"x"}).add(n=1).remove("r").set(a=1), "SET a = :v3 REMOVE r ADD n :v2 DELETE s :v1"),
    ],
)
def test_each_call_renders_its_clause(action: Any, text: str) -> None:
    rendered = action.to_request()["UpdateExpression"]
    # Values are numbered in the order in which they are written.
    numbers = iter(range(10))
    assert rendered == re.sub(r":v\d", lambda _: f":v{next(numbers)}", text)


def test_reserved_words_are_aliased_whatever_their_origin() -> None:
    configured = {"expiry": "ttl"}
    action = update().set(state="x").when(Attr(configured["expiry"]).not_exists() | (Attr(configured["expiry"]) < 5))
    assert action.to_request() == {
        "TableName": "t",
        "Key": {"PK": {"S": "1"}, "SK": {"S": "2"}},
        "UpdateExpression": "SET #n0 = :v0",
        "ConditionExpression": "attribute_not_exists(#n1) OR #n1 < :v1",
        "ExpressionAttributeNames": {"#n0": "state", "#n1": "ttl"},
        "ExpressionAttributeValues": {":v0": {"S": "x"}, ":v1": {"N": "5"}},
    }


def test_odd_names_are_data_never_placeholders() -> None:
    action = update().set({Attr("dictionary")["field-with-dash"]: 1, Attr("dictionary")["Hello World"]: 2, "a#b:c": 3})
    request = action.to_request()
    assert request["UpdateExpression"] == "SET dictionary.#n0 = :v0, dictionary.#n1 = :v1, #n2 = :v2"
    assert request["ExpressionAttributeNames"] == {
        "#n0": "field-with-dash",
        "#n1": "Hello World",
        "#n2": "a#b:c",
    }


def test_each_step_of_a_path_has_an_alias_of_its_own() -> None:
    request = (
        Table("t", "PK", alias="always").update({"PK": "1"}).add({Attr("document")["propertyName"]: 1}).to_request()
    )
    assert request["UpdateExpression"] == "ADD #n0.#n1 :v0"
    assert request["ExpressionAttributeNames"] == {"#n0": "document", "#n1": "propertyName"}


def test_a_parent_map_and_its_entry_cannot_be_set_in_one_update() -> None:
    with pytest.raises(BuildError) as caught:
        update().set({"data": Attr("data").if_not_exists({}), Attr("data")["moves"]: []})
    assert str(caught.value) == (
        'Update "t", set, UpdateExpression: two actions of one update overlap: SET data and SET data.moves '
        "(set the whole value at once, or use two updates) [update-overlap]"
    )
    assert "goes through maps that exist already" in " ".join((type(update()).set.__doc__ or "").split())


def test_placeholders_are_each_defined_once() -> None:
    condition = Attr("tags").contains("t0")
    for number in range(1, 11):
        condition = condition | Attr("tags").contains(f"t{number}")
    request = update().set(a=1).when(condition).to_request()
    used = re.findall(r":v\d+", request["UpdateExpression"] + " " + request["ConditionExpression"])
    assert sorted(used) == sorted(request["ExpressionAttributeValues"])
    assert len(set(used)) == 12


def test_condition_and_update_never_share_a_value_placeholder() -> None:
    request = update().set(val=321).when(Attr("f").is_in(["foo", "bar"])).to_request()
    assert request["UpdateExpression"] == "SET val = :v0"
    assert request["ConditionExpression"] == "f IN (:v1, :v2)"
    assert request["ExpressionAttributeValues"] == {":v0": {"N": "321"}, ":v1": {"S": "foo"}, ":v2": {"S": "bar"}}


def test_one_name_has_one_alias_in_all_expressions_of_an_action() -> None:
    request = update().set(status="b").when(Attr("status") == "a").to_request()
    assert request["ExpressionAttributeNames"] == {"#n0": "status"}


def test_nothing_unused_is_sent() -> None:
    request = update().remove("a").when(Attr("version").not_exists()).to_request()
    assert set(request) == {"TableName", "Key", "UpdateExpression", "ConditionExpression"}


def test_clauses_without_actions_are_left_out_and_an_empty_update_is_refused() -> None:
    assert update().set().remove("a").to_request()["UpdateExpression"] == "REMOVE a"
    with pytest.raises(BuildError) as caught:
        update().set({}).to_request()
    assert (caught.value.rule, caught.value.place) == ("update-empty", 'Update "t", UpdateExpression')


def test_each_clause_is_written_once_however_often_it_is_called() -> None:
    action = update().remove(Attr("l")[0]).set(u=1).remove("p").set(w=2)
    assert action.to_request()["UpdateExpression"] == "SET u = :v0, w = :v1 REMOVE l[0], p"


def test_append_starts_a_missing_list_and_wraps_a_single_item() -> None:
    request = update().set(jobs=Attr("jobs").append("Admin")).to_request()
    assert request["UpdateExpression"] == "SET jobs = list_append(if_not_exists(jobs, :v0), :v1)"
    assert request["ExpressionAttributeValues"] == {":v0": {"L": []}, ":v1": {"L": [{"S": "Admin"}]}}


def test_increment_starts_at_zero_and_plus_is_strict() -> None:
    assert update().set(views=Attr("visits").increment()).to_request()["UpdateExpression"] == (
        "SET #n0 = if_not_exists(visits, :v0) + :v1"
    )
    assert update().set(hits=Attr("hits").increment(5)).to_request()["ExpressionAttributeValues"] == {
        ":v0": {"N": "0"},
        ":v1": {"N": "5"},
    }
    assert update().set(hits=Attr("hits") + 1).to_request()["UpdateExpression"] == "SET hits = hits + :v0"


def test_the_documentation_says_that_the_last_element_takes_the_attribute_along() -> None:
    assert "With its last element the attribute disappears" in (type(update()).delete.__doc__ or "")


def test_an_empty_set_can_neither_be_set_nor_added() -> None:
    for method in ("set", "add", "delete"):
        with pytest.raises(BuildError) as caught:
            getattr(update(), method)(ids=set())
        assert (caught.value.rule, caught.value.place) == ("set-empty", f'Update "t", {method}, ids')


def test_an_empty_string_is_set_not_removed() -> None:
    assert update().set(bio="").to_request()["ExpressionAttributeValues"] == {":v0": {"S": ""}}


@pytest.mark.parametrize("first", ["set", "remove", "add", "delete"])
@pytest.mark.parametrize("second", ["set", "remove", "add", "delete"])
def test_no_two_clauses_touch_one_path_or_what_is_inside_it(first: str, second: str) -> None:
    def apply(action: Any, method: str, path: Any) -> Any:
        return action.remove(path) if method == "remove" else getattr(action, method)({path: {"x"}})

    x = Attr("x")
    inner = x["nested"]["hello"]
    for one, other in ((x, inner), (inner, x), (inner, inner), (x["l"][0], x["l"][0]["k"])):
        with pytest.raises(BuildError) as caught:
            apply(apply(update(), first, one), second, other)
        assert caught.value.rule == "update-overlap"
    siblings = apply(apply(update(), first, x["a"]), second, x["b"])
    elements = apply(apply(update(), first, x["l"][0]), second, x["l"][1])
    assert len(siblings.actions) == len(elements.actions) == 2


def test_no_action_touches_a_key_attribute_or_what_is_inside_it_aliased_or_not() -> None:
    keyed = Table("t", "PK", "created", alias="always").update({"PK": "1", "created": "2"})
    attempts: list[Any] = [
        lambda: keyed.set(created="3"),
        lambda: keyed.set({Attr("created")["year"]: 1}),
        lambda: keyed.remove(Attr("PK")[0]),
        lambda: keyed.add(created=1),
        lambda: keyed.delete(PK={"x"}),
    ]
    for make in attempts:
        with pytest.raises(BuildError) as caught:
            make()
        assert caught.value.rule == "update-key"


def test_several_elements_of_one_list_are_removed_in_one_expression() -> None:
    assert update().remove(Attr("l")[1], Attr("l")[2]).to_request()["UpdateExpression"] == "REMOVE l[1], l[2]"


@pytest.mark.parametrize(
    ("make", "rule"),
    [
        (lambda: update().set(PK="x"), "update-key"),
        (lambda: update().remove("SK"), "update-key"),
        (lambda: update().add({Attr("PK")["x"]: 1}), "update-key"),
        (lambda: update().set(a=1).set(a=2), "update-overlap"),
        (lambda: update().set(a=1).remove(a[0]), "update-overlap"),
        (lambda: update().remove("a", "a"), "update-overlap"),
        (lambda: update().add(n="x"), "update-operand"),
        (lambda: update().add(n=a), "update-operand"),
        (lambda: update().delete(n=1), "update-operand"),
        (lambda: update().set(a=a.size()), "update-value"),
        (lambda: update().set(a=a == 1), "condition-operand"),
        (lambda: update().set(a=a + "x"), "update-arithmetic"),
        (lambda: update().set(a=a + 1 + 1), "update-arithmetic"),
        (lambda: update().set(a=a.append(["x"]) - 1), "update-arithmetic"),
        (lambda: update().set(a=a + (a + 1)), "update-arithmetic"),
        (lambda: update().set(5), "update-target"),
        (lambda: update().set([5]), "update-target"),
        (lambda: update().set({5: 1}), "update-target"),
        (lambda: update().remove(5), "update-target"),
    ],
)
def test_what_no_update_can_do_is_refused(make: Any, rule: str) -> None:
    with pytest.raises(BuildError) as caught:
        make()
    assert caught.value.rule == rule
    assert 'Update "t"' in caught.value.place or rule == "update-arithmetic"


def test_paths_that_disagree_about_map_or_list_are_refused() -> None:
    with pytest.raises(BuildError) as caught:
        update().set({Attr("a")["b"]: 1, Attr("a")[0]: 2})
    assert (caught.value.rule, caught.value.message) == (
        "update-overlap",
        "two actions of one update conflict: SET a.b and SET a[0]",
    )


def test_values_that_no_item_can_hold_are_refused() -> None:
    half = "x" * 250_000
    with pytest.raises(BuildError) as caught:
        update().set(a=half, b=half).to_request()
    assert (caught.value.rule, caught.value.place) == ("item-size", 'Update "t", UpdateExpression')
    assert update().set(a=half).delete(b={half}).to_request()["TableName"] == "t"


def test_names_and_values_larger_than_two_megabytes_are_refused() -> None:
    condition = Attr("a").is_in([f"{number}" + "x" * 390_000 for number in range(6)])
    with pytest.raises(BuildError) as caught:
        table.delete(KEY).when(condition).to_request()
    assert (caught.value.rule, caught.value.place) == ("substitution-size", "ExpressionAttributeValues")


def test_what_was_parsed_can_be_applied_beside_what_is_called() -> None:
    request = update().set(a=1).apply(parse_update("SET b = b + 2 REMOVE c")).to_request()
    assert request["UpdateExpression"] == "SET a = :v0, b = b + :v1 REMOVE c"
    for text, rule in (("SET PK = 'x'", "update-key"), ("SET a.b = 1", "update-overlap")):
        with pytest.raises(BuildError) as caught:
            update().set(a=1).apply(parse_update(text))
        assert (caught.value.rule, caught.value.place[:17]) == (rule, 'Update "t", apply')


def test_text_is_not_applied_unread() -> None:
    with pytest.raises(BuildError) as caught:
        update().apply("SET a = 1")
    assert str(caught.value) == (
        'Update "t", apply: something that is not an update action (parse_update("SET …") reads text) [update-target]'
    )
