"""What the keys of indexes demand of items, and all keys of updates and paths: values of their type, and no way in.

See https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/SecondaryIndexes.html
"""

from __future__ import annotations

from expr_builder.attribute_values.values import measure_value
from expr_builder.expressions.nodes import Arithmetic, Call, Literal, find_paths
from expr_builder.expressions.paths import write_path

from .key_schema import INVALID, NOT_VALID, Fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from expr_builder.attribute_values.values import AttributeValue, TypedItem
    from expr_builder.expressions.nodes import Path
    from expr_builder.expressions.paths import Segments
    from expr_builder.expressions.updates import UpdateAction

    from .key_schema import IndexCheck, PrimaryKey, Values

# --- What indexes demand of items and updates


def check_index_keys(checks: tuple[IndexCheck, ...], item: TypedItem) -> None:
    """Refuse an item with an attribute that an index has as a key and cannot take.

    Raises:
        BuildError: with the place of what is wrong, inside the item.
    """
    for fault in find_index_faults(checks, item):
        raise fault.to_error(f".{fault.name}")


def find_index_faults(checks: tuple[IndexCheck, ...], item: Values, *, updated: bool = False) -> Iterator[Fault]:
    """Find the attributes of an item, or those that an update sets, that indexes cannot take: one fault for each.

    A missing attribute is none: the item is then not in the index.
    """
    told: set[str] = set()
    for check in checks:
        name, kind, limit, _ = check
        value = item.get(name)
        content = value.get(kind) if value is not None else None
        # The quick look before the exact one: no character takes more than four bytes.
        if value is None or name in told or (content and (kind == "N" or len(content) * 4 <= limit)):
            continue
        fault = _find_index_fault(check, value, updated=updated)
        if fault is not None:
            told.add(name)
            yield fault


def _find_index_fault(check: IndexCheck, value: AttributeValue, *, updated: bool) -> Fault | None:
    name, kind, limit, index = check
    actual = next(iter(value))
    if actual != kind:
        return _make_type_fault(name, kind, actual, index)
    size = measure_value(value)
    if not size:
        what = "binary" if kind == "B" else "string"
        about = (
            "The update expression attempted to update a secondary index key to a value that is not supported. "
            if updated
            else "A value specified for a secondary index key is not supported. "
        )
        where = "" if updated else f" IndexName: {index}, IndexKey: {name}"
        return Fault(
            name,
            f"{NOT_VALID}{about}The AttributeValue for a key attribute cannot contain an empty {what} value.{where}",
            f"an empty value, which the key of index {index} cannot have",
            _LEAVE_OUT,
            rule="index-key-empty",
        )
    if size > limit:
        words = (
            "The update expression attempted to update the secondary index key beyond allowed size limits"
            if updated
            else f"{INVALID}Size limit exceeded for Index Key {name} Actual Size: {size} bytes Max Size: {limit} bytes "
            f"IndexName: {index}"
        )
        message = f"a value of {size} bytes, the key of index {index} takes {limit}"
        return Fault(name, words, message, "shorten it, or use a hash of it", rule="index-key-length")
    return None


_LEAVE_OUT = "leave it out: the item is then not in the index"


def _make_type_fault(name: str, kind: str, actual: str, index: str) -> Fault:
    return Fault(
        name,
        f"{INVALID}Type mismatch for Index Key {name} Expected: {kind} Actual: {actual} IndexName: {index}",
        f"a value of type {actual}, the key of index {index} is of type {kind}",
        _LEAVE_OUT if actual == "NULL" else "convert it, or declare the index's key with its type: (name, type)",
        rule="index-key-type",
    )


def find_update_faults(checks: tuple[IndexCheck, ...], actions: Iterable[UpdateAction]) -> Iterator[Fault]:
    """Find what an update would write into keys of indexes that they cannot take.

    ``SET g = h`` and ``SET g = if_not_exists(g, :v)`` depend on the item, and are not told.
    """
    kinds = {name: (kind, index) for name, kind, _, index in reversed(checks)}
    for action in actions:
        name = str(action.path.segments[0])
        if len(action.path.segments) > 1 or name not in kinds or action.keyword in ("REMOVE", "DELETE"):
            continue
        value, (kind, index) = action.value, kinds[name]
        if isinstance(value, Literal) and action.keyword == "SET":
            yield from find_index_faults(checks, {name: value.value}, updated=True)
        else:
            # An addition to a number is a number, to a set a set, whatever is stored.
            actual = value.type if isinstance(value, Literal) else _find_computed_type(value)
            if actual and actual != kind:
                yield _make_type_fault(name, kind, actual, index)


def _find_computed_type(value: object) -> str:
    """The type of a value that SET computes, if it is always the same."""
    if isinstance(value, Arithmetic):
        return "N"
    return value.gives if isinstance(value, Call) else ""


def check_update(keys: PrimaryKey, checks: tuple[IndexCheck, ...], actions: list[UpdateAction]) -> None:
    """Refuse what an update would write into keys of indexes that they cannot take, and paths into keys.

    Raises:
        BuildError: naming the attribute.
    """
    if checks:
        for fault in find_update_faults(checks, actions):
            raise fault.to_error(fault.name)
    deep = [path.segments for action in actions for path in _list_paths(action) if len(path.segments) > 1]
    if deep:
        check_paths(keys, checks, deep, "")


def _list_paths(action: UpdateAction) -> Iterable[Path]:
    """Every path of an action; without a walk where its value is none, or given, as of nearly every action."""
    return (action.path,) if action.value is None or isinstance(action.value, Literal) else find_paths(action)


# --- Paths into keys, which are scalars


def find_path_fault(keys: PrimaryKey, checks: tuple[IndexCheck, ...], paths: Iterable[Segments]) -> Fault | None:
    """Find a path that goes into a key attribute, of the table or an index."""
    deep = {segments[0]: segments for segments in paths if len(segments) > 1}
    if not deep:  # as nearly always
        return None
    indexed = [name for name, *_ in checks if name not in keys.types]
    for what, names in (("Key", keys.names), ("IndexKey", indexed)):
        for name in names:
            if name in deep:
                return Fault(
                    name,
                    "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: "
                    f"{what}: {name}",
                    f"{write_path(deep[name])} goes into a key attribute, which holds a single value",
                    f"name {name} itself",
                    rule="key-path",
                )
    return None


def check_paths(keys: PrimaryKey, checks: tuple[IndexCheck, ...], paths: Iterable[Segments], place: str) -> None:
    """Refuse a path that goes into a key attribute.

    Raises:
        BuildError: at ``place``.
    """
    fault = find_path_fault(keys, checks, paths)
    if fault is not None:
        raise fault.to_error(place)
