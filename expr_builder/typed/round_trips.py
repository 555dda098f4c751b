"""Tries whether values come back from DynamoDB as they were, where annotations cannot tell.

Samples are tried when a table is declared (:mod:`.single_fields`); :class:`~.model_codec.Codec` tries each value that
it writes.
"""

from __future__ import annotations

import types
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Collection, Mapping, MutableMapping, MutableSequence, MutableSet, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, Flag
from fractions import Fraction
from functools import partial
from ipaddress import IPv4Address, IPv6Address
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin
from uuid import UUID

from pydantic import BaseModel, JsonValue, SecretStr
from typing_extensions import is_typeddict

from expr_builder.attribute_values.values import from_item, to_item

from .field_types import find_leaves, is_open, read_hints, unwrap

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from expr_builder.attribute_values.values import Item, StoredItem

_MOST = 12  # samples of one annotation, unless its values are listed
_DEEPEST = 4
_NOON = datetime(2026, 1, 31, 12, 30, 15, tzinfo=UTC)
_SAMPLES: dict[Any, tuple[object, ...]] = {
    str: ("a", "1", ""),
    int: (1, 0, 7),
    float: (1.0, 0.5),
    Decimal: (Decimal(1), Decimal("0.5")),
    bool: (True, False),
    bytes: (b"a", b"\xff"),
    datetime: (_NOON, _NOON.replace(hour=0, minute=0, second=0), _NOON.replace(tzinfo=None)),
    date: (_NOON.date(),),
    time: (_NOON.time(),),
    timedelta: (timedelta(hours=1),),
    UUID: (UUID("12345678-1234-4678-9234-567812345678"),),
    Path: (Path("a"), Path("1")),
    Fraction: (Fraction(1, 2), Fraction(1)),
    complex: (1 + 2j,),
    IPv4Address: (IPv4Address("10.0.0.1"),),
    IPv6Address: (IPv6Address("::1"),),
    SecretStr: (SecretStr("a"),),
    JsonValue: ("a", 1, True, None, ["a"], {"a": 1}),  # no float: it does not come back, and is refused when written
    None: (None,),
    types.NoneType: (None,),
}
SEQUENCES = (list, tuple, deque)
_CONTAINERS: dict[Any, Any] = {
    **dict.fromkeys((list, Sequence, MutableSequence, Collection), list),
    **dict.fromkeys((set, AbstractSet, MutableSet), set),
    frozenset: frozenset,
    deque: deque,
}


def read_back(item: StoredItem) -> Item:
    """Turn stored forms into what a read of them gives."""
    return from_item(to_item(item))


def is_same(one: Any, other: Any) -> bool:
    """Tell whether two values are equal and of one type, inside too; open fields of models are not compared."""
    if type(one) is not type(other):
        return False
    if isinstance(one, BaseModel):
        return all(
            is_same(getattr(one, name), getattr(other, name))
            for name in type(one).model_fields
            if not is_open(type(one), name)
        )
    if isinstance(one, Enum):
        return one is other
    if isinstance(one, datetime) and one.tzinfo is not None and other.tzinfo is not None:
        # By the moment: Python holds those of an hour that a clock repeats for unequal to any of another zone.
        return bool(one == other or one.astimezone(UTC) == other.astimezone(UTC))
    if is_dataclass(one):
        return all(is_same(getattr(one, field.name), getattr(other, field.name)) for field in fields(one))
    if isinstance(one, SEQUENCES):
        return len(one) == len(other) and all(map(is_same, one, other))
    if isinstance(one, Mapping):
        same_keys = one.keys() == other.keys() and set(map(type, one)) == set(map(type, other))
        return (
            same_keys
            and (type(one) is not OrderedDict or [*one] == [*other])
            and all(is_same(value, other[key]) for key, value in one.items())
        )
    if isinstance(one, (set, frozenset)):
        return one == other and Counter(map(type, one)) == Counter(map(type, other))
    return bool(one == other)


def make_samples(annotation: Any, depth: int = 0) -> list[Any]:
    """Make values of an annotation, few but different ones; none where it does not say what they are."""
    plain, _ = unwrap(annotation)
    if get_origin(plain) is Literal:
        return list(get_args(plain))
    if isinstance(plain, type) and issubclass(plain, Flag):
        every = list(plain)
        return [*every, plain(0), *([every[0] | every[-1]] if every else [])]
    if isinstance(plain, type) and issubclass(plain, Enum):
        return list(plain)
    return list(islice(_make(plain, depth), _MOST)) if depth < _DEEPEST else []


def _make(annotation: Any, depth: int) -> Iterator[Any]:
    origin, parts = get_origin(annotation), get_args(annotation)
    kind = origin or annotation
    if kind in _SAMPLES:
        yield from _SAMPLES[kind]
    elif kind in (Union, types.UnionType):
        members = [make_samples(leaf, depth) for leaf in find_leaves(annotation)]
        for place in range(max(map(len, members), default=0)):  # the first of each, then the second …
            yield from (samples[place] for samples in members if place < len(samples))
    elif kind is tuple:
        if len(parts) == 2 and parts[1] is Ellipsis:
            yield from ((sample,) for sample in make_samples(parts[0], depth + 1))
        elif parts:
            yield from map(tuple, _vary([make_samples(part, depth + 1) for part in parts]))
    elif kind in _CONTAINERS:
        yield from _fill(_CONTAINERS[kind], parts, depth)
    elif kind in (dict, defaultdict, Mapping, MutableMapping) and len(parts) == 2:
        values = make_samples(parts[1], depth + 1)
        yield from ({key: values[0]} for key in make_samples(parts[0], depth + 1) if values)
        yield from ({key: value} for key in make_samples(parts[0], depth + 1)[:1] for value in values)
    elif isinstance(kind, type):
        yield from _make_object(kind, depth)


def _fill(container: Any, parts: tuple[Any, ...], depth: int) -> Iterator[Any]:
    yield container()
    for sample in make_samples(parts[0], depth + 1) if parts else ():
        try:
            yield container([sample])
        except TypeError:  # not hashable
            return


def _make_object(kind: type, depth: int) -> Iterator[Any]:
    if issubclass(kind, BaseModel):
        names = [name for name, field in kind.model_fields.items() if not field.exclude]
        for values in _vary([make_samples(kind.model_fields[name].annotation, depth + 1) for name in names]):
            aliases = (kind.model_fields[name].alias or name for name in names)
            yield from _call(kind.model_validate, dict(zip(aliases, values, strict=True)))
        return
    if not (is_dataclass(kind) or is_typeddict(kind) or (issubclass(kind, tuple) and hasattr(kind, "_fields"))):
        return
    hints = read_hints(kind)
    if is_dataclass(kind):
        hints = {field.name: hints[field.name] for field in fields(kind) if field.init and field.name in hints}
    for values in _vary([make_samples(hint, depth + 1) for hint in hints.values()]):
        yield from _call(partial(kind, **dict(zip(hints, values, strict=True))))


def _call(make: Callable[..., object], *arguments: object) -> Iterator[Any]:
    try:
        yield make(*arguments)
    except Exception:  # noqa: BLE001  # the model's own code, given what it may not expect: no sample, then
        return


def _vary(samples: list[list[Any]]) -> Iterable[list[Any]]:
    """Yield the first of each, then lists in which one is another."""
    if not all(samples):
        return
    first = [several[0] for several in samples]
    yield first
    for place, several in enumerate(samples):
        for other in several[1:]:
            yield [*first[:place], other, *first[place + 1 :]]
