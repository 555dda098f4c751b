"""Deep, wide and broken input ends in a BuildError or a result: never in a RecursionError, never in a hang."""

from __future__ import annotations

import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from expr_builder import (
    Attr,
    BuildError,
    Condition,
    ExpressionSyntaxError,
    Key,
    Table,
    all_of,
    evaluate,
    parse_condition,
    parse_key_condition,
    parse_projection,
    parse_update,
)
from expr_builder.expressions.describe import describe
from expr_builder.expressions.nodes import find_paths
from expr_builder.expressions.parser import Parser
from expr_builder.expressions.paths import find_clash, find_first_clash
from expr_builder.expressions.render import Placeholders, count_operators, render

if TYPE_CHECKING:
    from collections.abc import Callable

table = Table("t", "PK")
DEEP = 20_000
CONDITIONS = {
    "functions": "size(" * DEEP + "a" + ")" * DEEP + " = 1",
    "functions on both sides": "size(" * DEEP + "a" + ")" * DEEP + " = " + "size(" * DEEP + "a" + ")" * DEEP,
    "unknown functions": "f(" * DEEP + "a" + ")" * DEEP + " = 1",
    "conditions in functions": "attribute_exists(" * DEEP + "a" + ")" * DEEP,
    "functions that are not closed": "size(" * DEEP,
    "parentheses": "(" * DEEP + "a = 1" + ")" * DEEP,
    "parentheses that are not closed": "(" * DEEP,
    "parentheses that are not opened": "a = 1" + ")" * DEEP,
    "parentheses around an operand": "a = " + "(" * DEEP + "1" + ")" * DEEP,
    "NOT": "NOT " * DEEP + "a = 1",
    "NOT of nothing": "NOT " * DEEP,
    "NOT in parentheses": "NOT (a = 1 OR " * DEEP + "b = 1" + ")" * DEEP,
    "indexes": "a" + "[0]" * DEEP + " = 1",
    "names": "a" + ".b" * DEEP + " = 1",
    "AND": " AND ".join(["a = 1"] * DEEP),
    "AND of nothing": "a = 1 " + "AND " * DEEP,
    "choices": "a IN (" + ", ".join(["1"] * DEEP) + ")",
    "quotes": "'" * DEEP + "'",
    "backquotes": "`" * DEEP + "` = 1",
    "a number": "a = " + "9" * DEEP,
    "an exponent": "a = 1E" + "9" * DEEP,
    "an index": "a[" + "9" * DEEP + "] = 1",
    "a name": "a" * DEEP + " = 1",
    "spaces": " " * DEEP + "a",
}
UPDATES = {
    "functions": "SET a = " + "list_append(" * DEEP + "b" + ", b)" * DEEP,
    "functions that are not closed": "SET a = " + "if_not_exists(a, " * DEEP,
    "unknown functions": "SET a = " + "f(" * DEEP + "b" + ")" * DEEP,
    "parentheses": "SET a = " + "(" * DEEP + "b" + ")" * DEEP,
    "sums in parentheses": "SET a = " + "(" * DEEP + "b" + " + 1)" * DEEP,
    "a long sum": "SET a = b" + " + 1" * DEEP,
    "actions": "SET " + ", ".join(f"a{n} = 1" for n in range(DEEP // 10)),
    "actions inside one attribute": "REMOVE " + ", ".join(f"a[{n}]" for n in range(DEEP // 10)),
    "clauses": "SET a = 1 " * DEEP,
}


def attempt(read: Callable[[str], Any], text: str) -> Any:
    try:
        return read(text)
    except BuildError as error:
        str(error)
        return error


@pytest.mark.parametrize("kind", CONDITIONS)
def test_no_condition_is_too_deep_or_too_wide_to_be_read_or_refused(kind: str) -> None:
    start = time.process_time()
    condition = attempt(parse_condition, CONDITIONS[kind])
    attempt(parse_key_condition, CONDITIONS[kind])
    if isinstance(condition, Condition):
        attempt(lambda _: table.scan().filter(condition).to_request(), "")
        attempt(lambda _: describe(condition), "")
        attempt(lambda _: evaluate(condition, {"a": 1}), "")
        repr(condition)
    assert time.process_time() - start < 30


@pytest.mark.parametrize("kind", UPDATES)
def test_no_update_is_too_deep_or_too_wide_to_be_read_or_refused(kind: str) -> None:
    start = time.process_time()
    actions = attempt(parse_update, UPDATES[kind])
    if isinstance(actions, tuple):
        attempt(lambda _: table.update({"PK": "1"}).apply(actions).to_request(), "")
    assert time.process_time() - start < 30


@pytest.mark.parametrize("between", [", ", ".", "[0]", "(", "#"])
def test_no_projection_is_too_deep_or_too_wide_to_be_read_or_refused(between: str) -> None:
    attempt(parse_projection, between.join(f"a{n}" for n in range(10_000)))
    attempt(parse_projection, "x." + f"{between}x.".join(f"a{n}" for n in range(10_000)))


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("size(" * 800 + "a" + ")" * 800 + " = 1", "operand-path"),
        ("f(" * 800 + "a" + ")" * 800 + " = 1", "function-name"),
        ("(" * 4000, "syntax"),
        ("a = " + "(" * 4000, "syntax"),
        ("NOT (a = 1 OR " * 200 + "b = 1" + ")" * 200, "condition-depth"),
        ("a" + "[0]" * 1000 + " = 1", "path-depth"),
    ],
    ids=lambda value: value[:10],
)
def test_deep_text_is_refused_by_the_rule_that_it_breaks(text: str, rule: str) -> None:
    with pytest.raises(BuildError) as caught:
        parse_condition(text)
    assert caught.value.rule == rule


def test_functions_of_an_update_end_at_32_levels() -> None:
    fits = "SET a = " + "list_append(" * 32 + "b" + ", b)" * 32
    assert table.update({"PK": "1"}).apply(parse_update(fits)).to_request()["UpdateExpression"] == fits
    with pytest.raises(BuildError) as caught:
        parse_update("SET a = " + "list_append(" * 33 + "b" + ", b)" * 33)
    assert caught.value.rule == "condition-depth"


def test_a_caller_deep_in_the_stack_can_read_what_fits_into_a_request() -> None:
    texts = [
        "size(" * 800 + "a" + ")" * 800 + " = 1",
        "(" * 2000 + "a = 1" + ")" * 2000,
        "NOT (a = 1 OR " * 60 + "b = 1" + ")" * 60,
    ]

    def descend(levels: int) -> None:
        if levels:
            descend(levels - 1)
        else:
            for text in texts:
                attempt(parse_condition, text)

    descend(sys.getrecursionlimit() - 200)


class _Collector:
    """Takes note of faults, as lint does, and goes on."""

    literals = False

    def __init__(self) -> None:
        self.words: list[str] = []

    def name(self, token: Any) -> str:
        return str(token.text)

    def value(self, token: Any) -> Any:
        return Attr("v")

    def build(self, symbol: str, token: Any, make: Any, bare: Any) -> Any:
        try:
            return make()
        except BuildError:
            return bare()

    def fault(self, rule: str, token: Any, words: str, fix: str = "") -> None:
        self.words.append(words)


@pytest.mark.parametrize("levels", [1, 247, 800, 2000])
def test_a_parser_that_goes_on_after_faults_names_an_unknown_function_however_deep(levels: int) -> None:
    for text in (
        "f(" * levels + "a" + ")" * levels + " = :v",
        "a IN (" + "f(" * levels + "a" + ")" * levels + ")",
        "contains(a, " + "f(" * levels + "a" + ")" * levels + ")",
    ):
        reader = _Collector()
        parser = Parser(text, reader)
        condition = parser.read_condition()
        assert reader.words == ["Invalid function name; function: f"] * levels
        assert parser.operators == levels + 1
        assert count_operators(condition) >= 0
        assert [*find_paths(condition)]
    reader = _Collector()
    Parser("SET a = " + "f(" * levels + "a" + ")" * levels, reader).read_update()
    assert reader.words == ["Invalid function name; function: f"] * levels


def test_both_sides_may_be_deep_and_faulty() -> None:
    deep = "size(" * 400 + "a" + ")" * 400
    parser = Parser(f"{deep} = {deep}", _Collector())
    assert isinstance(parser.read_condition(), Condition)
    assert parser.operators == 801


def nest(levels: int) -> Condition:
    condition: Condition = Attr("a") == 1
    for level in range(levels):
        condition = (condition & (Attr("b") == 1)) if level % 2 else (condition | (Attr("c") == 1))
    return condition


def test_conditions_of_programs_may_be_deeper_than_the_stack() -> None:
    condition = nest(20_000)

    assert evaluate(condition, {"a": 1, "b": 1})
    assert not evaluate(condition, {"a": 2, "b": 2, "c": 2})
    assert count_operators(condition) == 40_001
    assert sum(1 for _ in find_paths(condition)) == 20_001
    assert repr(condition) == "Condition(…)"
    assert repr(~condition) == "Condition(…)"
    with pytest.raises(BuildError) as caught:
        render(condition, Placeholders())
    assert caught.value.rule == "condition-depth"
    with pytest.raises(BuildError) as caught:
        describe(condition)
    assert caught.value.rule == "condition-depth"
    for request in (table.scan().filter(condition), table.put({"PK": "1"}).when(condition)):
        with pytest.raises(BuildError):
            request.to_request()


def test_a_condition_of_as_many_operators_as_fit_is_written_however_they_nest() -> None:
    condition = nest(149)
    assert count_operators(condition) == 299
    text = table.scan().filter(condition).to_request()["FilterExpression"]
    assert text.count(" AND ") + text.count(" OR ") == 149


def test_many_conditions_are_joined_in_time_that_grows_with_them() -> None:
    clause = Attr("a") == 1
    start = time.process_time()
    assert len(all_of(*[clause] * 200_000).parts) == 200_000
    assert time.process_time() - start < 5


_paths = st.lists(
    st.tuples(st.sampled_from("ab"), *[st.sampled_from(["a", "b", 0, 1])] * 2)
    | st.tuples(st.sampled_from("ab"), st.sampled_from(["a", "b", 0, 1]))
    | st.tuples(st.sampled_from("abc")),
    max_size=6,
)


@given(_paths)
def test_the_first_clash_of_many_paths_is_the_one_that_comparing_all_finds(paths: list[Any]) -> None:
    expected = next(
        (
            (one, other, find_clash(one, other))
            for position, other in enumerate(paths)
            for one in paths[:position]
            if find_clash(one, other)
        ),
        None,
    )
    assert find_first_clash(paths) == expected


SURROGATE = "\ud800"
SURROGATES: dict[str, Callable[[], Any]] = {
    "text": lambda: parse_condition(f"a = '{SURROGATE}'"),
    "text beside syntax": lambda: parse_condition(f"a {SURROGATE} ="),
    "a quoted name": lambda: parse_condition(f"`{SURROGATE}` = 1"),
    "an update": lambda: parse_update(f"SET a = '{SURROGATE}'"),
    "a projection": lambda: parse_projection(f"`{SURROGATE}`"),
    "a key condition": lambda: parse_key_condition(f"a = '{SURROGATE}'"),
    "names=": lambda: parse_condition("#a = 1", names={"#a": SURROGATE}),
    "values=": lambda: parse_condition("a = :a", values={":a": SURROGATE}),
    "a name in values=": lambda: parse_condition("a = :a", values={":a": {SURROGATE: 1}}),
    "an element in values=": lambda: parse_condition("a = :a", values={":a": {SURROGATE}}),
    "Attr": lambda: Attr(SURROGATE),
    "a long Attr": lambda: Attr(SURROGATE * 70_000),
    "Key": lambda: Key(SURROGATE),
    "a step": lambda: Attr("a")[SURROGATE],
    "path text": lambda: Attr.path(SURROGATE),
    "an operand": lambda: Attr("a") == SURROGATE,
    "a prefix": lambda: Attr("a").begins_with(SURROGATE),
    "a target": lambda: table.update({"PK": "1"}).set({SURROGATE: 1}),
    "a value": lambda: table.update({"PK": "1"}).set(a=[SURROGATE]),
    "an item's name": lambda: table.put({"PK": "1", SURROGATE: 1}),
    "an item's value": lambda: table.put({"PK": "1", "a": SURROGATE}),
}


@pytest.mark.parametrize("entrance", SURROGATES)
def test_half_a_surrogate_pair_is_refused_in_words_that_can_be_shown(entrance: str) -> None:
    with pytest.raises(BuildError) as caught:
        SURROGATES[entrance]()
    assert caught.value.rule == "text-utf8"
    assert str(caught.value).encode()


@given(st.text("()aANDORT =<>'`:#v,.[]019+-\ud800 ", max_size=60), st.sampled_from(["", "SET a = ", "NOT ", "f("]))
def test_any_text_is_read_or_refused(text: str, start: str) -> None:
    for read in (parse_condition, parse_key_condition, parse_update, parse_projection):
        found = attempt(read, start + text)
        if isinstance(found, ExpressionSyntaxError):
            assert found.point()


def test_threads_with_a_small_stack_read_deep_text() -> None:
    outcome: list[Any] = []
    size = threading.stack_size(256 * 1024)
    try:
        thread = threading.Thread(target=lambda: outcome.append(attempt(parse_condition, CONDITIONS["functions"])))
        thread.start()
        thread.join()
    finally:
        threading.stack_size(size)
    assert outcome[0].rule == "operand-path"
