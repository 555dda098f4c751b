"""Lint never raises and never hangs, whatever it is given: deep, wide, broken, or no JSON at all."""

from __future__ import annotations

import copy
import decimal
import enum
import itertools
import string
import time
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from expr_builder import lint
from expr_builder.expressions.paths import find_clash, find_first_clash
from expr_builder.linting import OPERATIONS
from expr_builder.rules import RULES
from tests.unit.expr_builder.rule_cases import CASES, KEY, TABLES, Case, keyed, put, query, scan, transact

if TYPE_CHECKING:
    from expr_builder import Problem
    from expr_builder.expressions.paths import Segments

SURROGATE = "\ud800"


class Field(str, enum.Enum):  # noqa: UP042  # a StrEnum shows its text
    """Text that shows itself as something else."""

    NAME = "a"


def nest(depth: int, wrap: Any, inner: Any) -> Any:
    for _ in range(depth):
        inner = wrap(inner)
    return inner


DEEP = {
    "list": nest(100_000, lambda inner: [inner], "x"),
    "map": nest(100_000, lambda inner: {"a": inner}, "x"),
    "L": nest(10_000, lambda inner: {"L": [inner]}, {"S": "x"}),
    "M": nest(10_000, lambda inner: {"M": {"a": inner}}, {"S": "x"}),
    "both": nest(10_000, lambda inner: {"L": [{"M": {"a": inner}}]}, {}),
    "the same twice": nest(10_000, lambda inner: {"L": [inner], "M": {"a": inner}}, {}),
}
NO_JSON = [
    float("nan"),
    float("-inf"),
    10**5000,
    -(2**31) - 1,
    2**31,
    b"\xff",
    bytearray(b"x"),
    (1, "x"),
    {1, 2},
    frozenset(("S", "N")),
    decimal.Decimal("1.5"),
    object(),
    {1: "x"},
    {None: None},
    {("a", "b"): {"S": "x"}},
    Field.NAME,
    {Field.NAME: {"S": Field.NAME}},
    SURROGATE,
    {SURROGATE: {"S": SURROGATE}},
    "x" * 1_000_000,
    "\N{MUSICAL SYMBOL G CLEF}" * 20_000,
    "9" * 100_000,
    range(3),
    Exception("x"),
    print,
]

_SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
_WORDS = """
    TableName Key Item Keys PK SK a S N B SS NS BS M L BOOL NULL #n :v a.b TransactItems RequestItems Put Update Delete
    Get ConditionCheck PutRequest DeleteRequest ConditionExpression UpdateExpression KeyConditionExpression Value Exists
    FilterExpression ProjectionExpression ExpressionAttributeNames ExpressionAttributeValues ExclusiveStartKey Action
    IndexName Limit Select Segment TotalSegments ConsistentRead AttributesToGet Expected KeyConditions QueryFilter EQ
    ScanFilter AttributeUpdates ConditionalOperator ComparisonOperator AttributeValueList BETWEEN ReturnValues ADD
""".split()  # noqa: SIM905
_JSON = st.recursive(
    _SCALARS | st.sampled_from(_WORDS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(_WORDS) | st.text(max_size=3), inner),
    max_leaves=20,
)
_ANYTHING = _JSON | st.sampled_from(NO_JSON) | st.sampled_from(list(DEEP.values()))

patient = settings(deadline=2000)  # milliseconds, on a machine that does other things, too


def check(request: Any, operation: str) -> list[Problem]:
    for tables in (TABLES, ()):
        problems = lint(request, operation, tables)
        for problem in problems:
            assert problem.rule in RULES
            assert problem.code in ("ValidationException", "SerializationException", "ParamValidationError")
            assert problem.stage in ("client", "shape", "values", "expressions", "table")
            assert problem.pointer == "" or problem.pointer.startswith("/")
            assert problem.message
            f"{problem.pointer}{problem.message}".encode()  # it can be printed
    return problems


@patient
@given(_ANYTHING, st.sampled_from(OPERATIONS))
def test_anything_is_a_list_of_problems(request: Any, operation: str) -> None:
    check(request, operation)


@patient
@given(st.sampled_from(CASES), st.booleans(), st.integers(1, 3), st.data())
def test_any_request_with_parts_replaced_is_a_list_of_problems(
    case: Case, good: bool, times: int, data: st.DataObject
) -> None:
    request = {"": copy.deepcopy(case.good if good else case.bad)}
    parts = list(itertools.islice(list_parts(request), 60))  # of a large request all time would go into drawing
    for _ in range(times):
        container, key = data.draw(st.sampled_from(parts))
        if isinstance(container, dict) and data.draw(st.booleans()):
            key = data.draw(st.sampled_from(_WORDS))
        container[key] = data.draw(_ANYTHING)
    check(request[""], case.operation)


def list_parts(value: Any, depth: int = 0) -> Any:
    """Every place in a JSON value, as a container and a name or index in it."""
    if isinstance(value, (dict, list)) and depth < 12:
        for key in list(value) if isinstance(value, dict) else range(len(value)):
            yield value, key
            yield from list_parts(value[key], depth + 1)


# --- Expressions


_TOKENS = """
    a b.c d[0] d[99999999999] #n #m :v :w AND OR NOT BETWEEN IN = <> < <= > >= ( ) , . [ ] + - SET REMOVE ADD DELETE
    size size( attribute_exists( contains( begins_with( if_not_exists( list_append( attribute_type( f( status 1a
    'x' " _ # :
""".split()  # noqa: SIM905
_TEXTS = st.lists(st.sampled_from(_TOKENS) | st.characters(), max_size=60).map(" ".join) | st.text(max_size=80)
_MAPS = {
    "ExpressionAttributeNames": {"#n": "n", "#m": "status"},
    "ExpressionAttributeValues": {":v": {"S": "x"}, ":w": {"L": [{"N": "1"}]}},
}


@patient
@given(_TEXTS, _TEXTS)
@example("a = :v", SURROGATE)
def test_any_text_is_read_as_each_kind_of_expression(one: str, other: str) -> None:
    check(put(ConditionExpression=one, **_MAPS), "PutItem")
    check(keyed(UpdateExpression=one, ConditionExpression=other, **_MAPS), "UpdateItem")
    check(query(KeyConditionExpression=one, FilterExpression=other, **_MAPS), "Query")
    check(scan(ProjectionExpression=one, FilterExpression=other, **_MAPS), "Scan")
    check(transact("ConditionCheck", keyed(ConditionExpression=one, **_MAPS)), "TransactWriteItems")


@pytest.mark.parametrize("member", ["UpdateExpression", "ConditionExpression"])
def test_an_expression_over_the_limit_is_refused_for_its_length_and_nothing_else(member: str) -> None:
    longest = {"UpdateExpression": f"REMOVE {'a' * 4089}", "ConditionExpression": f"{'a' * 4092} = b"}[member]
    assert len(longest) == 4096
    assert lint(keyed(**{member: longest}), "UpdateItem") == []
    for text in (f"{longest}c", f"{longest}\N{EURO SIGN}", "(" * 5000, "size(" * 100_000, "x = = " * 1_000_000):
        request = keyed(**{member: text}, ExpressionAttributeValues={":unused": {"S": "x"}})
        (problem,) = lint(request, "UpdateItem")
        size = len(text.encode())
        assert problem.message.endswith(f"exceeded the maximum allowed size; expression size: {size}")


@pytest.mark.parametrize("text", [SURROGATE, f"a = {SURROGATE}", f"attribute_exists({SURROGATE})"])
def test_half_a_surrogate_pair_in_text_is_a_problem_wherever_it_stands(text: str) -> None:
    names, values = {"#n": text}, {":v": {"S": text}}
    for request, operation in (
        (put(ConditionExpression=text), "PutItem"),
        (
            put(ConditionExpression="#n = :v", ExpressionAttributeNames=names, ExpressionAttributeValues=values),
            "PutItem",
        ),
        (put(Item={**KEY, text: {"S": "x"}}), "PutItem"),
        (put(Item={**KEY, "a": {"M": {text: {"S": "x"}}}}), "PutItem"),
        (put(Item={**KEY, "a": {"SS": [text]}}), "PutItem"),
        (put(TableName=text), "PutItem"),
        (put(Expected={text: {"Exists": False}}), "PutItem"),
        (scan(AttributesToGet=[text]), "Scan"),
        ({"RequestItems": {text: {"Keys": [KEY]}}}, "BatchGetItem"),
        ({**transact("Put", put()), "ClientRequestToken": text}, "TransactWriteItems"),
    ):
        problems = check(request, operation)
        assert "text-utf8" in [problem.rule for problem in problems]


# --- Depth, width, time


@pytest.mark.parametrize("deep", DEEP.values(), ids=DEEP)
def test_what_is_nested_thousands_of_levels_deep_is_refused_at_each_member(deep: Any) -> None:
    for request, operation in (
        (deep, "PutItem"),
        (put(Item=deep), "PutItem"),
        (put(Item={**KEY, "a": deep}), "PutItem"),
        (put(ConditionExpression=deep), "PutItem"),
        (put(ConditionExpression="a = :v", ExpressionAttributeValues={":v": deep}), "PutItem"),
        (put(ConditionExpression="#n = b", ExpressionAttributeNames={"#n": deep}), "PutItem"),
        (put(Expected={"a": deep}), "PutItem"),
        (put(Expected={"a": {"ComparisonOperator": deep, "AttributeValueList": [deep], "Value": deep}}), "PutItem"),
        (keyed(AttributeUpdates={"a": {"Action": deep, "Value": deep}}), "UpdateItem"),
        (query(KeyConditions={"PK": deep}, QueryFilter=deep, Limit=deep), "Query"),
        (scan(ExclusiveStartKey={**KEY, "SK": deep}), "Scan"),
        ({"RequestItems": {"accounts": deep}}, "BatchWriteItem"),
        ({"RequestItems": {"accounts": {"Keys": [deep]}}}, "BatchGetItem"),
        ({"TransactItems": [deep, {"Put": deep}, {"Put": put(Item={"a": deep})}]}, "TransactWriteItems"),
    ):
        assert check(request, operation)


NAMES = ["".join(letters) for letters in itertools.product(string.ascii_lowercase, repeat=2)]
FULL = {  # expressions of nearly 4,096 bytes, each of another kind
    "undefined placeholders": " AND ".join(f"a=:{number}" for number in range(370)),
    "names": " AND ".join(f"{name}=b" for name in NAMES[:440]),
    "one deep path": f"a{'.b' * 2040}=c",
    "parentheses": "(" * 2000 + "a=b" + ")" * 2000,
    "open parentheses": "(" * 4090,
    "negations": f"{'NOT ' * 1000}a=b",
    "operators": " AND ".join(["a<b"] * 500),
    "choices": f"a IN ({','.join('b' * 1990)})",
    "ranges": " AND ".join(["a BETWEEN b AND c"] * 180),
    "functions": " AND ".join(f"f{number}(a)" for number in range(350)),
    "no tokens": "\N{EURO SIGN}" * 1300,
    "colons": ":" * 4000,
    "nested functions": f"a<{'size(' * 680}a{')' * 680}",
    "open functions": f"a<{'size(' * 815}",
}
FULL_UPDATES = {
    "indexes": f"REMOVE {','.join(f'a[{number}]' for number in range(560))}",
    "overlapping": f"REMOVE {','.join(['a'] * 2000)}",
    "names": f"REMOVE {','.join(NAMES[:660])}",
    "functions": f"SET a = {'list_append(' * 300}",
    "clauses": " ".join(["REMOVE a"] * 450),
}


@pytest.mark.parametrize("text", [*FULL.values(), *FULL_UPDATES.values()], ids=[*FULL, *FULL_UPDATES])
def test_many_actions_with_the_longest_expressions_take_no_more_than_a_moment(text: str) -> None:
    assert len(text.encode()) <= 4096
    member = "UpdateExpression" if text in FULL_UPDATES.values() else "ConditionExpression"
    actions = [{"Update": keyed(**{"UpdateExpression": "REMOVE a", member: text})} for _ in range(25)]
    begun = time.process_time()
    problems = lint({"TransactItems": actions}, "TransactWriteItems")
    assert time.process_time() - begun < 10  # about one second on a machine at rest; what is quadratic takes minutes
    assert problems


def test_wide_requests_take_no_more_than_a_moment() -> None:
    unused = {f"#a{number}": "a" for number in range(20_000)}
    wide = {"L": [{"N": "x"}] * 50_000}
    begun = time.process_time()
    assert len(lint(put(ConditionExpression="a=b", ExpressionAttributeNames=unused), "PutItem")) == 20_000
    assert 1000 <= len(lint(put(Item={**KEY, "a": wide}), "PutItem")) <= 1002  # of a faulty value not all is read
    many = {"L": [{"N": "1"}] * 500_000}
    assert [problem.rule for problem in lint(put(Item={**KEY, "a": many}), "PutItem")] == ["item-size"]
    assert lint({"RequestItems": {f"t{number}": [] for number in range(20_000)}}, "BatchWriteItem")
    assert lint(scan(AttributesToGet=["a"] * 50_000, ScanFilter={str(n): {} for n in range(20_000)}), "Scan")
    assert time.process_time() - begun < 20


# --- The clash of paths, which is not found by comparing each two


_PATHS = st.lists(
    st.tuples(st.sampled_from("ab"), st.lists(st.sampled_from(["a", "b", 0, 1]), max_size=3)).map(
        lambda parts: (parts[0], *parts[1])
    ),
    max_size=8,
)


@given(_PATHS)
def test_the_first_clash_is_that_of_the_first_two_paths_that_clash(paths: list[Segments]) -> None:
    expected = next(
        (
            (one, other, how)
            for position, other in enumerate(paths)
            for one in paths[:position]
            if (how := find_clash(one, other))
        ),
        None,
    )
    assert find_first_clash(paths) == expected
