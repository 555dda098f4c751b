"""Expression text to the tree: the same tree as the fluent calls, or an error with its column."""

from __future__ import annotations

import pickle
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from expr_builder import (
    Attr,
    BuildError,
    ExpressionSyntaxError,
    Key,
    Table,
    all_of,
    any_of,
    from_attribute_value,
    parse_condition,
    parse_key_condition,
    parse_projection,
    parse_update,
)
from expr_builder.expressions.operands import make_literal
from expr_builder.expressions.predicates import compare
from expr_builder.expressions.render import Placeholders, render, render_projection, render_update
from tests.support.trees import conditions, paths
from tests.support.update_trees import updates

if TYPE_CHECKING:
    from collections.abc import Iterable

    from expr_builder import Condition
    from expr_builder.expressions.nodes import Node
    from expr_builder.expressions.updates import UpdateAction

table = Table("accounts", partition_key="PK")

# --- The same tree as the fluent calls

SAME_CONDITIONS: list[tuple[str, Condition]] = [
    ("status = 'open' and size(tags) < 5", (Attr("status") == "open") & (Attr("tags").size() < 5)),
    ("a = 1", Attr("a") == 1),
    ("a <> -1.50", Attr("a") != Decimal("-1.5")),
    ("a < 1e3", Attr("a") < 1000),
    ("a <= 'it''s'", Attr("a") <= "it's"),
    ("a > 'é'", Attr("a") > "é"),
    ("a >= b.c[2]", Attr("a") >= Attr("b")["c"][2]),
    ("a = true OR a = FALSE Or a = Null", any_of(Attr("a") == True, Attr("a") == False, Attr("a") == None)),  # noqa: E711, E712
    ("5 < size(tags)", compare(make_literal(5), "<", Attr("tags").size())),
    ("size(attendance) < info.maximum", Attr("attendance").size() < Attr("info")["maximum"]),
    ("a BETWEEN 1 AND 2 AND b = 3", Attr("a").between(1, 2) & (Attr("b") == 3)),
    ("size(a) between low and 9", Attr("a").size().between(Attr("low"), 9)),
    ("a in ('x', b, 3)", Attr("a").is_in(["x", Attr("b"), 3])),
    ("attribute_exists(a.b)", Attr("a")["b"].exists()),
    ("attribute_not_exists(a)", Attr("a").not_exists()),
    ("attribute_type(a, 'SS')", Attr("a").attribute_type("SS")),
    ("begins_with(a, 'x')", Attr("a").begins_with("x")),
    ("contains(a, 7)", Attr("a").contains(7)),
    ("contains(a, size(b))", Attr("a").contains(Attr("b").size())),
    ("NOT a = 1 AND b = 2", ~(Attr("a") == 1) & (Attr("b") == 2)),
    ("not (a = 1 and b = 2)", ~((Attr("a") == 1) & (Attr("b") == 2))),
    ("NOT NOT a = 1", Attr("a") == 1),
    ("a = 1 OR b = 2 AND c = 3", (Attr("a") == 1) | ((Attr("b") == 2) & (Attr("c") == 3))),
    ("(a = 1 OR b = 2) AND c = 3", ((Attr("a") == 1) | (Attr("b") == 2)) & (Attr("c") == 3)),
    ("a = 1 AND (b = 2 AND c = 3)", all_of(Attr("a") == 1, Attr("b") == 2, Attr("c") == 3)),
    ("((a)) = (1)", Attr("a") == 1),
    ("(size(a)) > 1 AND (a > 'b')", (Attr("a").size() > 1) & (Attr("a") > "b")),
    ("((a = 1))", Attr("a") == 1),
    ("`na.me`[0].`x``y` = 1", Attr("na.me")[0]["x`y"] == 1),
    ("`and` = 1 AND size = 2 AND _id = 3", all_of(Attr("and") == 1, Attr("size") == 2, Attr("_id") == 3)),
    (" a\t=\r\n1 ", Attr("a") == 1),
]


@pytest.mark.parametrize(("text", "tree"), SAME_CONDITIONS, ids=[text for text, _ in SAME_CONDITIONS])
def test_a_condition_reads_as_the_tree_of_the_fluent_calls(text: str, tree: Condition) -> None:
    assert parse_condition(text) == tree


def test_placeholders_are_bound_from_the_maps() -> None:
    tree = parse_condition(
        "#s = :open AND contains(#m.tags, :tag)",
        names={"#s": "status", "#m": "na.me"},
        values={":open": "open", ":tag": b"x"},
    )
    assert tree == (Attr("status") == "open") & Attr("na.me")["tags"].contains(b"x")


SAME_UPDATES = [
    ("SET a = 1, b.c = 'x'", table.update({"PK": "x"}).set({"a": 1}, {Attr("b")["c"]: "x"})),
    ("set version = version + 1", table.update({"PK": "x"}).set(version=Attr("version") + 1)),
    ("SET a = 5 - b", table.update({"PK": "x"}).set(a=5 - Attr("b"))),
    ("SET a = b -5", table.update({"PK": "x"}).set(a=Attr("b") - 5)),
    ("SET a = (b - c)", table.update({"PK": "x"}).set(a=Attr("b") - Attr("c"))),
    ("SET a = if_not_exists(a, 0) + 1", table.update({"PK": "x"}).set(a=Attr("a").increment())),
    ("SET a = list_append(if_not_exists(a, :none), :new)", table.update({"PK": "x"}).set(a=Attr("a").append([1]))),
    ("SET a = 1 REMOVE b[1], c", table.update({"PK": "x"}).set(a=1).remove(Attr("b")[1], "c")),
    ("ADD n 1, s :set DELETE t :set", table.update({"PK": "x"}).add(n=1, s={"a"}).delete(t={"a"})),
    ("SET set = 1, remove = 2 REMOVE add", table.update({"PK": "x"}).set({"set": 1, "remove": 2}).remove("add")),
]


@pytest.mark.parametrize(("text", "update"), SAME_UPDATES, ids=[text for text, _ in SAME_UPDATES])
def test_an_update_reads_as_the_actions_of_the_fluent_calls(text: str, update: Any) -> None:
    values = {":none": [], ":new": [1], ":set": {"a"}}
    assert keys(parse_update(text, values=values)) == keys(update.actions)


def test_functions_of_an_update_may_be_nested() -> None:
    (action,) = parse_update("SET a = list_append(list_append(a, b), if_not_exists(c, if_not_exists(d, e)))")
    text = render_update((action,), Placeholders())
    assert text == "SET a = list_append(list_append(a, b), if_not_exists(c, if_not_exists(d, e)))"


def test_a_projection_reads_as_paths() -> None:
    parsed = parse_projection("email, address.city[0], #n", names={"#n": "na.me"})
    assert keys(parsed) == keys([Attr("email"), Attr("address")["city"][0], Attr("na.me")])


def test_a_key_condition_reads_as_the_tree_of_the_fluent_calls() -> None:
    tree = parse_key_condition("PK = 'ACCT#1' AND begins_with(SK, 'ORDER#')")
    assert tree == Key("PK").eq("ACCT#1") & Key("SK").begins_with("ORDER#")
    assert parse_key_condition("'x' = PK AND SK BETWEEN 1 AND 2") == compare(make_literal("x"), "=", Attr("PK")) & Key(
        "SK"
    ).between(1, 2)


# --- Round trips


def keys(nodes: Iterable[Node]) -> list[Any]:
    return [node._key() for node in nodes]


def python_values(placeholders: Placeholders) -> dict[str, Any]:
    return {name: from_attribute_value(value) for name, value in placeholders.values.items()}


@given(conditions(), st.booleans())
def test_a_condition_survives_rendering_and_parsing(tree: Condition, always: bool) -> None:
    placeholders = Placeholders(always=always)
    text = render(tree, placeholders)
    assert parse_condition(text, names=placeholders.names, values=python_values(placeholders)) == tree


@given(updates())
def test_an_update_survives_rendering_and_parsing(actions: tuple[UpdateAction, ...]) -> None:
    placeholders = Placeholders()
    text = render_update(actions, placeholders)
    parsed = parse_update(text, names=placeholders.names, values=python_values(placeholders))
    order = ["SET", "REMOVE", "ADD", "DELETE"]
    as_written: list[UpdateAction] = sorted(actions, key=lambda action: order.index(action.keyword))
    assert keys(parsed) == keys(as_written)


@given(paths())
def test_a_projection_survives_rendering_and_parsing(path: Attr) -> None:
    placeholders = Placeholders()
    text = render_projection([path], placeholders)
    assert keys(parse_projection(text, names=placeholders.names)) == keys([path])


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_a_literal_can_hold_any_text(value: str) -> None:
    quoted = value.replace("'", "''")
    assert parse_condition(f"a = '{quoted}'") == (Attr("a") == value)


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_any_name_can_be_written_in_backquotes(name: str) -> None:
    quoted = name.replace("`", "``")
    assert parse_condition(f"`{quoted}` = 1") == (Attr(name) == 1)


_WORDS = st.sampled_from(
    """a b #n :v and or not between in ( ) ( ) , . [ ] 0 1 - + = < <> 'x' `y` size contains attribute_exists
    if_not_exists list_append SET REMOVE ADD DELETE 1.5 1e9999999 true " ' $""".split()  # noqa: SIM905
)


@given(st.lists(_WORDS, max_size=12).map(" ".join) | st.text(max_size=30))
def test_whatever_the_text_it_is_a_tree_or_a_build_error(text: str) -> None:
    for parse in (parse_condition, parse_update, parse_key_condition):
        try:
            parse(text, names={"#n": "n"}, values={":v": {"s"}})
        except BuildError as error:
            assert error.rule  # noqa: PT017
    try:
        parse_projection(text)
    except BuildError as error:
        assert error.rule  # noqa: PT017


# --- Errors

SYNTAX = [
    ("a", 2, 'Syntax error; token: "<EOF>", near: "a"'),
    ("a = ", 5, 'Syntax error; token: "<EOF>", near: "="'),
    ("a = = 'x'", 5, 'Syntax error; token: "=", near: "= = <string>"'),
    ("a == 1", 4, 'Syntax error; token: "=", near: "== <number>"'),
    ("a in ()", 7, 'Syntax error; token: ")", near: "()"'),
    ("a in (1", 8, 'Syntax error; token: "<EOF>", near: "<number>"'),
    ("a = (1", 7, 'Syntax error; token: "<EOF>", near: "<number>"'),
    ("a between 1 or 2", 13, 'Syntax error; token: "or", near: "<number> or <number>"'),
    ("a = 1)", 6, 'Syntax error; token: ")", near: "<number>)"'),
    ("(a = 1", 7, 'Syntax error; token: "<EOF>", near: "<number>"'),
    ("a = 1 b", 7, 'Syntax error; token: "b", near: "<number> b"'),
    ("a[x] = 1", 3, 'Syntax error; token: "x", near: "[x]"'),
    ("a[-1] = 1", 3, 'Syntax error; token: "-", near: "[-<number>"'),
    ("a. = 1", 4, 'Syntax error; token: "=", near: ". = <number>"'),
    ("in = 1", 1, 'Syntax error; token: "in", near: "in ="'),
    ("a = - b", 7, 'Syntax error; token: "b", near: "- b"'),
    ("a = 'x", 5, 'Syntax error; token: "\'", near: "\'"'),
    ('a = "x"', 5, 'Syntax error; token: """, near: """'),
    ("a = 5x", 5, 'Syntax error; token: "<bad>", near: "<bad>"'),
    ("(" * 4000, 4001, 'Syntax error; token: "<EOF>", near: "("'),
]


@pytest.mark.parametrize(("text", "column", "message"), SYNTAX, ids=[text[:20] for text, _, _ in SYNTAX])
def test_a_syntax_error_has_dynamodbs_words_and_a_column(text: str, column: int, message: str) -> None:
    with pytest.raises(ExpressionSyntaxError) as caught:
        parse_condition(text)
    error = caught.value
    assert (error.rule, error.column, error.message, error.place) == ("syntax", column, message, f"column {column}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("INVALID SYNTAX", 'Syntax error; token: "INVALID", near: "INVALID SYNTAX"'),
        ("SET a = 1 + 2 + b", 'Syntax error; token: "+", near: "<number> + b"'),
        ("SET a", 'Syntax error; token: "<EOF>", near: "a"'),
        ("SET a = (1 REMOVE b", 'Syntax error; token: "REMOVE", near: "<number> REMOVE b"'),
        ("SET " + "a = " + "list_append(" * 40, 'Syntax error; token: "<EOF>", near: "("'),
    ],
)
def test_an_update_that_cannot_be_read_says_where(text: str, message: str) -> None:
    with pytest.raises(ExpressionSyntaxError) as caught:
        parse_update(text)
    assert caught.value.message == message


def test_a_projection_that_cannot_be_read_says_where() -> None:
    with pytest.raises(ExpressionSyntaxError) as caught:
        parse_projection("a b")
    assert caught.value.message == 'Syntax error; token: "b", near: "a b"'


def test_the_place_can_be_pointed_at() -> None:
    with pytest.raises(ExpressionSyntaxError) as caught:
        parse_condition("a = 1\n  AND b = ! 5")
    assert caught.value.point() == "  AND b = ! 5\n          ^"
    assert pickle.loads(pickle.dumps(caught.value)).point() == caught.value.point()


def test_hints_name_the_fix() -> None:
    for text, fix in [
        ('a = "x"', "text is written 'like this', an unusual name `like this`"),
        ("a = 'x", "the quote is not closed"),
        ("a = and", "a name that is a keyword goes in backquotes: `and`"),
        ("a ! 1", "<> means unequal, NOT negates"),
    ]:
        with pytest.raises(ExpressionSyntaxError) as caught:
            parse_condition(text)
        assert caught.value.fix == fix


@pytest.mark.parametrize("text", ["email = ada@example.com", "email = 'ada@example.com", "n = 555123x", "a 'secret' b"])
def test_no_error_shows_a_value(text: str) -> None:
    with pytest.raises(ExpressionSyntaxError) as caught:
        parse_condition(text)
    assert not any(value in str(caught.value) for value in ("ada", "example", "555123", "secret"))


REFUSED = [
    ("", "expression-empty", ""),
    ("  ", "expression-empty", ""),
    (5, "expression-type", ""),
    ("a = :x", "placeholder-undefined", "column 5"),
    ("#x = 1", "placeholder-undefined", "column 1"),
    ("#empty = 1", "attribute-name", "column 1"),
    ("a = :nan", "number-finite", "column 5"),
    ("a = 1e999", "number-range", "column 5"),
    ("size(a)", "function-place", "column 1"),
    ("(size(a))", "function-place", "column 2"),
    ("size(5) > 1", "operand-path", "column 1"),
    ("attribute_exists('a')", "operand-path", "column 1"),
    ("contains(a, begins_with(b, 'x'))", "function-place", "column 13"),
    ("contains(a, 1) = true", "function-place", "column 1"),
    ("foo(a)", "function-name", "column 1"),
    ("a = foo(b)", "function-name", "column 5"),
    ("SIZE(a) > 1", "function-name", "column 1"),
    ("if_not_exists(a, 1)", "function-name", "column 1"),
    ("contains(a)", "function-operands", "column 1"),
    ("size(a, b) > 1", "function-operands", "column 1"),
    ("a[12345678901] = 1", "path-index", "column 3"),
    ("a" + ".b" * 40 + " = 1", "path-depth", "column 1, a.b.b…"),
    ("a = a", "operand-distinct", "column 3, a"),
    ("a < true", "operand-type", "column 3, a"),
    ("a BETWEEN 2 AND 1", "between-order", "column 3, a"),
    ("a IN (" + ",".join("1" * 101) + ")", "in-choices", "column 3, a"),
    ("begins_with(a, 1)", "operand-type", "column 1, a"),
    ("contains(a, :set)", "operand-type", "column 1, a"),
    ("attribute_type(a, 'X')", "attribute-type", "column 1, a"),
    ("attribute_type(a, b)", "attribute-type", "column 1, a"),
    ("NOT (a = 1 AND " * 100 + "b = 1" + ")" * 100, "condition-depth", ""),
]


@pytest.mark.parametrize(("text", "rule", "place"), REFUSED, ids=[str(text)[:30] for text, _, _ in REFUSED])
def test_what_dynamodb_would_refuse_is_refused_with_its_column(text: Any, rule: str, place: str) -> None:
    with pytest.raises(BuildError) as caught:
        parse_condition(text, names={"#empty": ""}, values={":nan": float("nan"), ":set": {"a"}})
    assert (caught.value.rule, caught.value.place) == (rule, place)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("SET a = 1 SET b = 2", "update-clause"),
        ("SET a = 1, a.b = 2", "update-overlap"),
        ("SET a = size(b)", "function-name"),
        ("SET a = if_not_exists(b)", "function-operands"),
        ("SET a = if_not_exists(1, 2)", "operand-path"),
        ("SET a = b + 'x'", "update-arithmetic"),
        ("SET a = (b + 1) + 1", "update-arithmetic"),
        ("SET a = list_append(b, 'x')", "update-list"),
        ("ADD a 'x'", "update-operand"),
        ("DELETE a 5", "update-operand"),
        ("ADD a b", "update-operand"),
    ],
)
def test_an_update_that_dynamodb_would_refuse_is_refused(text: str, rule: str) -> None:
    with pytest.raises(BuildError) as caught:
        parse_update(text)
    assert caught.value.rule == rule


def test_overlapping_paths_of_a_projection_are_refused() -> None:
    with pytest.raises(BuildError) as caught:
        parse_projection("a.b, c, a")
    assert caught.value.rule == "projection-overlap"
    assert "a.b and a" in caught.value.message


_FIRST_OPERAND = (
    "Invalid condition in KeyConditionExpression: BETWEEN operator must have the key attribute as its first operand"
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a = 1 OR b = 2", "Invalid operator used in KeyConditionExpression: OR"),
        ("NOT a = 1", "Invalid operator used in KeyConditionExpression: NOT"),
        ("a <> 1", "Invalid operator used in KeyConditionExpression: <>"),
        ("a IN (1)", "Invalid operator used in KeyConditionExpression: IN"),
        ("contains(a, 1)", "Invalid operator used in KeyConditionExpression: contains"),
        ("attribute_exists(a)", "Invalid operator used in KeyConditionExpression: attribute_exists"),
        ("size(a) = 1", "KeyConditionExpressions cannot contain nested operations"),
        ("a = b", "Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition"),
        ("1 = 2", "Invalid condition in KeyConditionExpression: No key attribute specified"),
        ("a.b = 1", "KeyConditionExpressions cannot have conditions on nested attributes"),
        (
            "1 BETWEEN a AND 2",
            _FIRST_OPERAND,
        ),
        (
            "a = 1 AND a = 2",
            "Invalid KeyConditionExpression: KeyConditionExpressions must only contain one condition per key",
        ),
    ],
)
def test_a_key_condition_is_only_what_a_query_can_use(text: str, words: str) -> None:
    with pytest.raises(BuildError) as caught:
        parse_key_condition(text)
    assert (caught.value.rule, caught.value.message) == ("key-condition", words)


# --- From the field


def test_a_size_can_be_compared_with_a_path_and_not_stand_alone() -> None:
    assert parse_condition("size(a) < b.c") == (Attr("a").size() < Attr("b")["c"])
    with pytest.raises(BuildError, match="function: size"):
        parse_condition("a = 1 AND size(a)")


def test_a_clause_given_twice_is_refused() -> None:
    with pytest.raises(BuildError, match='"REMOVE" section can only be used once'):
        parse_update("REMOVE l[0] SET u = 1 REMOVE p")


def test_a_dot_in_a_name_is_part_of_it_in_backquotes() -> None:
    assert parse_condition("`Safety.Warning` = 1") == (Attr("Safety.Warning") == 1)
    assert parse_condition("Safety.Warning = 1") == (Attr("Safety")["Warning"] == 1)


def test_needless_parentheses_are_read_and_not_written_again() -> None:
    tree = parse_condition("x = 1 AND ((a = 1 OR (b = 2 AND ((c = 3)))))")
    assert render(tree, Placeholders()) == "x = :v0 AND (a = :v1 OR b = :v2 AND c = :v3)"
