"""Hypothesis strategies for items and expression trees: few names and few values, so that they meet often."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from expr_builder import Attr
from expr_builder.expressions.attr import SizeOf
from expr_builder.expressions.operands import literal
from expr_builder.expressions.predicates import ATTRIBUTE_TYPES, between, compare

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from expr_builder import Condition
    from expr_builder.expressions.nodes import Operand

__all__ = ["CLAUSES", "NAMES", "clauses", "conditions", "items", "paths", "values"]

NAMES = ("a", "b", "list", "map", "status", "x.y", "größe", "_id", "#v", "tags")
"""Names of attributes and map entries: bare ones, reserved ones, and ones that only a placeholder can write."""

COMPARATORS = ("=", "<>", "<", "<=", ">", ">=")

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
        st.one_of(*(clauses(kind, about) for kind in CLAUSES)),
        lambda parts: st.one_of(
            st.builds(lambda one, other: one & other, parts, parts),
            st.builds(lambda one, other: one | other, parts, parts),
            st.builds(lambda part: ~part, parts),
        ),
        max_leaves=4,
    )


def clauses(kind: str, about: Sequence[Mapping[str, Any]] = ()) -> st.SearchStrategy[Condition]:
    """Conditions without parts, of one of the kinds of ``CLAUSES``."""
    known = [place for item in about for place in _places((), item)]
    # A subject is a path with a value that is, or could be, stored there.
    subjects = st.tuples(paths(), values(depth=1))
    if known:
        subjects = st.one_of(st.sampled_from(known), st.sampled_from(known), st.sampled_from(known), subjects)
    return CLAUSES[kind](subjects)


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
        left, near = SizeOf(left), st.integers(0, 4)
    if operator not in ("=", "<>"):
        near = near.filter(_has_order)
    others = st.builds(lambda subject: subject[0], subjects)
    literals = st.builds(literal, near)
    right: Operand = draw(st.one_of(literals, literals, others, st.builds(SizeOf, others)))
    if right.key() == left.key():  # DynamoDB refuses equal operands
        right = literal(0)
    return compare(operator, *draw(st.sampled_from([(left, right), (left, right), (right, left)])))


@st.composite
def _betweens(draw: st.DrawFn, subjects: st.SearchStrategy[tuple[Attr, Any]]) -> Condition:
    subject: Operand
    subject, value = draw(subjects)
    if draw(st.integers(0, 3)) == 0:
        subject, value = SizeOf(subject), 2
    low = draw(_near(value).filter(_has_order))
    same_kind = _texts if isinstance(low, str) else _binaries if isinstance(low, bytes) else _numbers
    low, high = sorted([low, draw(same_kind)])  # of one type
    bounds: list[Operand] = [literal(low), literal(high)]
    if draw(st.integers(0, 3)) == 0:
        bounds[draw(st.integers(0, 1))] = draw(subjects)[0]
    return between(subject, *bounds)


@st.composite
def _memberships(draw: st.DrawFn, subjects: st.SearchStrategy[tuple[Attr, Any]]) -> Condition:
    path, value = draw(subjects)
    others = st.builds(lambda subject: subject[0], subjects)
    return path.is_in(draw(st.lists(_near(value) | others, min_size=1, max_size=4)))


@st.composite
def _existence(draw: st.DrawFn, subjects: st.SearchStrategy[tuple[Attr, Any]]) -> Condition:
    path, _ = draw(subjects)
    return draw(st.sampled_from([path.exists(), path.not_exists()]))


@st.composite
def _types(draw: st.DrawFn, subjects: st.SearchStrategy[tuple[Attr, Any]]) -> Condition:
    path, value = draw(subjects)
    return path.attribute_type(draw(st.sampled_from([literal(value).type, *ATTRIBUTE_TYPES])))


@st.composite
def _prefixes(draw: st.DrawFn, subjects: st.SearchStrategy[tuple[Attr, Any]]) -> Condition:
    textual = subjects.filter(lambda subject: isinstance(subject[1], (str, bytes)) and len(subject[1]) > 1)
    path: Attr
    path, value = draw(st.one_of(textual, textual, subjects))
    near = _near(value) if isinstance(value, (str, bytes)) else _texts | _binaries
    literals = near.filter(lambda argument: isinstance(argument, (str, bytes)))
    return path.begins_with(draw(st.one_of(literals, literals, _other_paths(path, subjects))))


@st.composite
def _elements(draw: st.DrawFn, subjects: st.SearchStrategy[tuple[Attr, Any]]) -> Condition:
    path, value = draw(subjects)
    literals = _near(value).filter(lambda argument: not isinstance(argument, frozenset))
    return path.contains(draw(st.one_of(literals, literals, _other_paths(path, subjects))))


def _other_paths(path: Attr, subjects: st.SearchStrategy[tuple[Attr, Any]]) -> st.SearchStrategy[Attr]:
    return subjects.map(lambda subject: subject[0]).filter(lambda other: other.key() != path.key())


CLAUSES = {
    "comparison": _comparisons,
    "between": _betweens,
    "in": _memberships,
    "existence": _existence,
    "attribute_type": _types,
    "begins_with": _prefixes,
    "contains": _elements,
}
"""What makes the clauses of each kind, from their subjects."""
