"""Hypothesis strategies for items and expression trees: few names and few values, so that they meet often."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from expr_builder import Attr
from expr_builder.expressions.functions import FUNCTIONS, build, build_condition, list_functions
from expr_builder.expressions.nodes import Function, OperandFunction, UpdateFunction
from expr_builder.expressions.operands import make_literal
from expr_builder.expressions.predicates import COMPARATORS, between, compare

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from expr_builder import Condition
    from expr_builder.expressions.functions import Parameter
    from expr_builder.expressions.nodes import Call, Operand

__all__ = ["CLAUSES", "NAMES", "clauses", "computed", "conditions", "items", "paths", "values"]

NAMES = ("a", "b", "list", "map", "status", "x.y", "größe", "_id", "#v", "tags", "remove")
"""Names of attributes and map entries: bare ones, reserved ones, and ones that only a placeholder can write."""

_texts = st.sampled_from(["", "a", "ab", "b", "é", "𝄞", "a𝄞", "ab'c\"", "NULL", "10", ":v0"]) | st.text(
    st.characters(exclude_categories=["Cs"]), max_size=4
)
_numbers = (
    st.integers(-3, 3)
    | st.sampled_from([9, 10, 100, Decimal("1.5"), Decimal("-0.1"), Decimal("9.9E+125"), Decimal("1E-130"), 10**37 + 1])
    | st.decimals(min_value=-1000, max_value=1000, places=2)
)
_binaries = st.sampled_from([b"", b"a", b"ab", b"\x00\xff", b"\xff"])
_ordered = (_texts, _numbers, _binaries)
_scalars = st.one_of(*_ordered, st.booleans(), st.none())
_sets = st.one_of(*(st.frozensets(members, min_size=1, max_size=3) for members in _ordered))


@cache
def values(*, depth: int = 2) -> st.SearchStrategy[Any]:
    """Values of every type that DynamoDB has, nested up to ``depth`` levels."""
    flat = _scalars | _sets
    if depth == 0:
        return flat
    inner = values(depth=depth - 1)
    return flat | st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=3)


@cache
def items() -> st.SearchStrategy[dict[str, Any]]:
    """Items without their keys: mostly of several attributes, sometimes empty."""
    several = st.dictionaries(st.sampled_from(NAMES), values(depth=1), min_size=3, max_size=6)
    return st.one_of(several, several, st.dictionaries(st.sampled_from(NAMES), values(), max_size=3))


@cache
def paths() -> st.SearchStrategy[Attr]:
    """Document paths of one to three steps."""
    segments: st.SearchStrategy[list[Any]] = st.just([]) | st.lists(
        st.sampled_from(NAMES) | st.integers(0, 2), max_size=2
    )
    return st.builds(lambda name, inner: Attr.at((name, *inner)), st.sampled_from(NAMES), segments)


def conditions(about: Sequence[Mapping[str, Any]] = ()) -> st.SearchStrategy[Condition]:
    """Conditions of every kind, joined by AND, OR and NOT.

    Args:
        about: Items whose paths, values and values near to them the conditions mention often.
    """
    return st.recursive(
        st.one_of(*(clauses(kind, about) for kind in (*_PREDICATES, *list_functions(Function)))),
        lambda parts: st.one_of(
            st.builds(lambda one, other: one & other, parts, parts),
            st.builds(lambda one, other: one | other, parts, parts),
            st.builds(lambda part: ~part, parts),
        ),
        max_leaves=4,
    )


def clauses(kind: str, about: Sequence[Mapping[str, Any]] = ()) -> st.SearchStrategy[Condition]:
    """Conditions without parts, of one of the kinds of ``CLAUSES``, or of a function by its name."""
    known = [place for item in about for place in _places((), item)]
    # A subject is a path with a value that is, or could be, stored there.
    subjects = st.tuples(paths(), values(depth=1))
    if known:
        subjects = st.one_of(st.sampled_from(known), st.sampled_from(known), st.sampled_from(known), subjects)
    return _PREDICATES[kind](subjects) if kind in _PREDICATES else _functions(kind, subjects)


def _places(segments: tuple[Any, ...], value: Any) -> Iterator[tuple[Attr, Any]]:
    if segments:
        yield Attr.at(segments), value
    if isinstance(value, Mapping):
        for name, entry in value.items():
            yield from _places((*segments, name), entry)
    elif isinstance(value, list):
        for index, element in enumerate(value):
            yield from _places((*segments, index), element)


def _near(value: Any) -> st.SearchStrategy[Any]:
    """The value, values that are nearly the same, and any others."""
    close: list[Any] = [value]
    if isinstance(value, (str, bytes)):
        close += [value[:1], value[1:], value * 2]
    elif _has_order(value) and abs(value) < 1000:
        close += [value + 1, value - 1, value * 10]
    elif isinstance(value, (frozenset, list)):
        close += [*value, type(value)(list(value)[::-1])]
    return st.sampled_from(close) | values(depth=1)


def _has_order(value: Any) -> bool:
    return isinstance(value, (str, bytes, int, Decimal)) and not isinstance(value, bool)


@st.composite
def _comparisons(draw: st.DrawFn, subjects: st.SearchStrategy[tuple[Attr, Any]]) -> Condition:
    operator = draw(st.sampled_from(COMPARATORS))
    left: Operand
    left, value = draw(subjects)
    near = _near(value)
    if draw(st.integers(0, 3)) == 0:
        left, near = draw(_measures(left)), st.integers(0, 4)
    if operator not in ("=", "<>"):
        near = near.filter(_has_order)
    others = st.builds(lambda subject: subject[0], subjects)
    literals = st.builds(make_literal, near)
    right: Operand = draw(st.one_of(literals, literals, others, others.flatmap(_measures)))
    if right._key() == left._key():  # DynamoDB refuses equal operands
        right = make_literal(0)
    first, second = draw(st.sampled_from([(left, right), (left, right), (right, left)]))
    return compare(first, operator, second)


@st.composite
def _betweens(draw: st.DrawFn, subjects: st.SearchStrategy[tuple[Attr, Any]]) -> Condition:
    subject: Operand
    subject, value = draw(subjects)
    if draw(st.integers(0, 3)) == 0:
        subject, value = draw(_measures(subject)), 2
    low = draw(_near(value).filter(_has_order))
    same_kind = _texts if isinstance(low, str) else _binaries if isinstance(low, bytes) else _numbers
    low, high = sorted([low, draw(same_kind)])  # of one type
    bounds: list[Operand] = [make_literal(low), make_literal(high)]
    if draw(st.integers(0, 3)) == 0:
        bounds[draw(st.integers(0, 1))] = draw(subjects)[0]
    return between(subject, *bounds)


@st.composite
def _memberships(draw: st.DrawFn, subjects: st.SearchStrategy[tuple[Attr, Any]]) -> Condition:
    path, value = draw(subjects)
    others = st.builds(lambda subject: subject[0], subjects)
    return path.is_in(draw(st.lists(_near(value) | others, min_size=1, max_size=4)))


def _measures(path: Attr) -> st.SearchStrategy[Any]:
    """What can be compared of an attribute: each function of that kind."""
    return st.sampled_from([build(name, path) for name in list_functions(OperandFunction)])


def _functions(name: str, subjects: st.SearchStrategy[tuple[Attr, Any]]) -> st.SearchStrategy[Condition]:
    """Calls of a condition function, by what the table says that it takes."""

    @st.composite
    def calls(draw: st.DrawFn) -> Condition:
        _, *parameters = FUNCTIONS[name].parameters
        path, value = draw(subjects)
        return build_condition(name, path, *(draw(_operands(path, value, one, subjects)) for one in parameters))

    return calls()


def _operands(
    path: Attr, value: Any, parameter: Parameter, subjects: st.SearchStrategy[tuple[Attr, Any]]
) -> st.SearchStrategy[Operand]:
    if parameter.choices:
        return st.sampled_from([make_literal(value).type, *parameter.choices]).map(make_literal)
    literals = st.one_of(_near(value), _of_types(parameter.types)).map(make_literal).filter(parameter.takes)
    others = subjects.map(lambda subject: subject[0]).filter(lambda other: other._key() != path._key())
    return st.one_of(literals, literals, others)


@cache
def _of_types(types: tuple[str, ...]) -> st.SearchStrategy[Any]:
    """Values of these types of AttributeValues."""
    strategies: dict[str, st.SearchStrategy[Any]] = {
        "S": _texts, "N": _numbers, "B": _binaries, "BOOL": st.booleans(), "NULL": st.none(),
        "SS": st.frozensets(_texts, min_size=1, max_size=3), "NS": st.frozensets(_numbers, min_size=1, max_size=3),
        "BS": st.frozensets(_binaries, min_size=1, max_size=3), "L": st.lists(values(depth=0), max_size=3),
        "M": st.dictionaries(st.sampled_from(NAMES), values(depth=0), max_size=3),
    }  # fmt: skip
    return st.one_of(*(strategies[kind] for kind in types))


def computed() -> st.SearchStrategy[Call]:
    """Calls of the functions that give a value to set, of paths and fitting values."""

    @st.composite
    def calls(draw: st.DrawFn) -> Call:
        name = draw(st.sampled_from(list_functions(UpdateFunction)))
        subjects = st.tuples(paths(), values(depth=1))
        _, *others = FUNCTIONS[name].parameters
        path, value = draw(subjects)
        return build(name, path, *(draw(_operands(path, value, one, subjects)) for one in others))

    return calls()


_PREDICATES = {"comparison": _comparisons, "between": _betweens, "in": _memberships}

CLAUSES = (*_PREDICATES, *list_functions(Function))
"""The kinds of clauses."""
