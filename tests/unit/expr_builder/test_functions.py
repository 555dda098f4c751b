"""The table of functions: each of them is known everywhere, and a name that is not in it nowhere."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import Phase, find, settings

from expr_builder import Attr, BuildError, Table, evaluate, explain, lint, parse_condition, parse_update
from expr_builder.expressions.describe import describe
from expr_builder.expressions.evaluate import find_value
from expr_builder.expressions.functions import FUNCTIONS, Definition, Parameter, build, build_condition
from expr_builder.expressions.nodes import (
    Call,
    Comparison,
    Function,
    Literal,
    OperandFunction,
    UpdateFunction,
    list_children,
)
from expr_builder.expressions.operands import make_literal
from expr_builder.expressions.predicates import compare
from expr_builder.expressions.render import Placeholders, render
from tests.support.trees import conditions
from tests.support.update_trees import updates

if TYPE_CHECKING:
    from collections.abc import Iterator

    from expr_builder import Condition
    from expr_builder.expressions.nodes import Node

PAGE = Path(__file__).parents[3] / "docs" / "builder.md"
TABLE = Table("t", "PK")

# For each function: operands, an item, and what the function gives for it.
EXAMPLES: dict[str, tuple[tuple[Any, ...], dict[str, Any], Any]] = {
    "attribute_exists": ((), {"a": 1}, True),
    "attribute_not_exists": ((), {"a": 1}, False),
    "attribute_type": (("N",), {"a": 1}, True),
    "begins_with": (("x",), {"a": "xyz"}, True),
    "contains": (("y",), {"a": "xyz"}, True),
    "size": ((), {"a": "xyz"}, {"N": "3"}),
    "if_not_exists": ((7,), {"b": 1}, {"N": "7"}),
    "list_append": (([2],), {"a": [1]}, {"L": [{"N": "1"}, {"N": "2"}]}),
}


def example(name: str) -> Call:
    return build(name, Attr("a"), *map(make_literal, EXAMPLES[name][0]))


def take_condition(name: str) -> Condition:
    call = example(name)
    if isinstance(call, OperandFunction):
        return compare(call, "=", Literal(EXAMPLES[name][2]))
    return build_condition(name, *call.operands)


def calls_in(node: Node) -> Iterator[str]:
    if isinstance(node, Call):
        yield node.name
    for child in list_children(node):
        yield from calls_in(child)


def of_conditions() -> list[str]:
    return [name for name, known in FUNCTIONS.items() if not issubclass(known.node, UpdateFunction)]


def test_every_function_has_an_example_here() -> None:
    assert list(EXAMPLES) == list(FUNCTIONS)


@pytest.mark.parametrize("name", of_conditions())
def test_every_function_of_conditions_is_parsed_evaluated_and_worded(name: str) -> None:
    condition, item = take_condition(name), EXAMPLES[name][1]
    placeholders = Placeholders()
    assert f"{name}(a" in render(condition, placeholders)
    assert f"{name}(a" in repr(condition)
    text = describe(condition)
    assert parse_condition(text) == condition
    assert explain(condition, item).startswith(f"{'true ' if evaluate(condition, item) else 'FALSE'}  {text}  (")


@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) - set(of_conditions())))
def test_every_function_of_updates_is_parsed_and_worded(name: str) -> None:
    call = example(name)
    (action,) = parse_update(f"SET b = {name}(a, :v)", values={":v": EXAMPLES[name][0][0]})
    assert action.value is not None
    assert action.value._key() == call._key()
    assert f"SET b = {name}(a, " in repr(action)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_is_evaluated_of_values_that_are_there_and_of_missing_ones(name: str) -> None:
    _, item, result = EXAMPLES[name]
    call, known = example(name), FUNCTIONS[name]
    assert known.evaluate(*(find_value(one, {key: make_literal(value).value for key, value in item.items()})
                            for one in call.operands)) == result  # fmt: skip
    nothing = known.evaluate(*(None for _ in known.parameters))
    assert nothing is (name == "attribute_not_exists" if isinstance(call, Function) else None)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_is_a_method_of_attributes_and_a_row_of_the_documentation(name: str) -> None:
    known = FUNCTIONS[name]
    assert f"``{name}(" in (getattr(Attr, known.method).__doc__ or "")
    signature = ", ".join(parameter.name for parameter in known.parameters)
    cells = (rf"`{name}\({signature}\)`", rf"`Attr\(…\)\.{known.method}\(\w*\)`", re.escape(known.means))
    row = r" \| ".join(cells)
    assert re.search(rf"^\| {row} \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_is_generated_by_the_property_tests(name: str) -> None:
    bounded = settings(max_examples=2000, database=None, derandomize=True, phases=[Phase.generate])
    if issubclass(FUNCTIONS[name].node, UpdateFunction):
        find(updates(), lambda actions: any(name in calls_in(action) for action in actions), settings=bounded)
    else:
        find(conditions(), lambda condition: name in calls_in(condition), settings=bounded)


@pytest.mark.parametrize("name", of_conditions())
def test_lint_knows_every_function_of_conditions(name: str) -> None:
    request: dict[str, Any] = {"TableName": "t", "Item": {"PK": {"S": "x"}}}
    placeholders = Placeholders()
    request["ConditionExpression"] = render(take_condition(name), placeholders)
    placeholders.into(request)
    assert lint(request, "PutItem") == []


# --- An unknown name


UNKNOWN = Function("ends_with", Attr("a"), make_literal("x"))


@pytest.mark.parametrize(
    "make",
    [
        lambda: build("ends_with", Attr("a"), make_literal("x")),
        lambda: parse_condition("ends_with(a, 'x')"),
        lambda: parse_update("SET a = ends_with(a, 'x')"),
        lambda: evaluate(UNKNOWN, {"a": "yx"}),
        lambda: evaluate(Comparison(OperandFunction("ends_with", Attr("a")), "=", make_literal(5)), None),
        lambda: explain(UNKNOWN, {"a": "yx"}),
        lambda: describe(UNKNOWN),
        lambda: render(UNKNOWN, Placeholders()),
        lambda: TABLE.delete({"PK": "x"}).when(UNKNOWN).to_request(),
    ],
)
def test_an_unknown_name_is_refused(make: Any) -> None:
    with pytest.raises(BuildError) as caught:
        make()
    assert caught.value.rule == "function-name"


def test_lint_reports_an_unknown_name() -> None:
    request = {"TableName": "t", "Item": {"PK": {"S": "x"}}, "ConditionExpression": "ends_with(a, b)"}
    (problem,) = lint(request, "PutItem")
    assert (problem.rule, problem.message) == (
        "function-name",
        "1 validation error detected: Invalid ConditionExpression: Invalid function name; function: ends_with",
    )


def test_another_number_of_operands_than_a_function_takes_is_refused() -> None:
    for make in (lambda: build("contains", Attr("a")), lambda: evaluate(Function("contains", Attr("a")), {"a": "x"})):
        with pytest.raises(BuildError) as caught:
            make()
        assert caught.value.rule == "function-operands"


def test_what_is_no_condition_by_itself_is_not_built_as_one() -> None:
    with pytest.raises(BuildError) as caught:
        build_condition("size", Attr("a"))
    assert caught.value.rule == "function-place"


# --- A new one


@pytest.fixture
def ends_with(monkeypatch: pytest.MonkeyPatch) -> None:
    """A function that DynamoDB does not have, entered into the table and nowhere else."""

    def evaluate_ending(value: Any, ending: Any) -> bool:
        return bool(value and ending and value.get("S", "").endswith(ending.get("S")))

    definition = Definition(
        Function,
        "ends_with",
        "the string ends with this",
        evaluate_ending,
        Parameter("path"),
        Parameter("ending", ("S",)),
        distinct=True,
        rule="operand-type",
        unfit=("ends_with has no meaning for a value of type {type}", "the ending is a string"),
    )
    monkeypatch.setitem(FUNCTIONS, "ends_with", definition)


@pytest.mark.usefixtures("ends_with")
def test_an_entry_is_all_that_a_new_condition_function_needs() -> None:
    condition = parse_condition("ends_with(email, '.org') AND NOT ends_with(email, other)")
    placeholders = Placeholders()
    assert render(condition, placeholders) == "ends_with(email, :v0) AND NOT ends_with(email, #n0)"
    assert placeholders.values == {":v0": {"S": ".org"}}
    assert evaluate(condition, {"email": "a@example.org"})
    assert not evaluate(condition, {"email": "a@example.com"})
    assert not evaluate(condition, None)
    assert describe(condition) == "ends_with(email, '.org') AND NOT ends_with(email, other)"
    assert repr(condition) == "Condition(ends_with(email, <S>) AND NOT ends_with(email, other))"
    assert explain(condition, {"email": "a@b.org"}) == (
        "true   all of these:\n"
        "true     ends_with(email, '.org')  (email is 'a@b.org')\n"
        "true     not:\n"
        "FALSE      ends_with(email, other)  (email is 'a@b.org', other is missing)"
    )


@pytest.mark.usefixtures("ends_with")
def test_a_new_condition_function_is_checked_by_builder_and_lint_and_generated() -> None:
    for text, rule in (
        ("ends_with(a, 5)", "operand-type"),
        ("ends_with(a, a)", "operand-distinct"),
        ("ends_with(a)", "function-operands"),
        ("ends_with(a, 'x') = 5", "function-place"),
    ):
        with pytest.raises(BuildError) as caught:
            parse_condition(text)
        assert caught.value.rule == rule
    request = {
        "TableName": "t",
        "Item": {"PK": {"S": "x"}},
        "ConditionExpression": "ends_with(a, :n)",
        "ExpressionAttributeValues": {":n": {"N": "5"}},
    }
    (problem,) = lint(request, "PutItem")
    assert problem.message == (
        "1 validation error detected: Invalid ConditionExpression: Incorrect operand type for operator or function; "
        "operator or function: ends_with, operand type: N"
    )
    with pytest.raises(BuildError, match="Invalid operator used in KeyConditionExpression: ends_with"):
        TABLE.query((Attr("PK") == "x") & parse_condition("ends_with(SK, 'x')")).to_request()
    bounded = settings(max_examples=2000, database=None, derandomize=True, phases=[Phase.generate])
    find(conditions(), lambda condition: "ends_with" in calls_in(condition), settings=bounded)
