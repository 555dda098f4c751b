"""Document paths: ``address.city[0]`` as the segments ``("address", "city", 0)``.

See https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.Attributes.html
"""

from __future__ import annotations

from functools import lru_cache

from expr_builder.attribute_values.text import measure_text, to_text
from expr_builder.errors import BuildError
from expr_builder.limits import MAX_ATTRIBUTE_NAME_BYTES, MAX_DEPTH, MAX_LIST_INDEX
from expr_builder.reserved import is_reserved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TypeAlias

    Segments: TypeAlias = tuple[str | int, ...]
    """A path from the item inwards: names of attributes and map entries, indexes of list elements."""


@lru_cache(maxsize=4096)  # names come again in every request; bounded, as map keys can be data
def is_bare(name: str) -> bool:
    """Tell whether ``name`` needs no placeholder: a letter, then letters, digits and ``_``, and not a reserved word."""
    if name.upper() == "REMOVE":  # the one keyword of expressions that is not on the list of reserved words
        return False
    return name.isascii() and name.isidentifier() and name[0] != "_" and not is_reserved(name)


MAX_INDEX_DIGITS = len(str(MAX_LIST_INDEX))
"""``int()`` of ever longer text is slow."""


def check_name(name: object) -> str:
    """Return the text of ``name`` if it can be an attribute's name: 1 byte to 64 KB."""
    if type(name) is not str:
        if not isinstance(name, str):
            raise BuildError(
                f"an attribute's name is a string, not a {type(name).__name__}",
                rule="attribute-name",
                fix='Attr("tags")[0] is an element of the list "tags"',
            )
        name = to_text(name)
    if not name:
        raise BuildError("an attribute name is empty", rule="attribute-name", fix="name the attribute")
    # Most names need no encoding.
    if (len(name) > MAX_ATTRIBUTE_NAME_BYTES or not name.isascii()) and measure_text(name) > MAX_ATTRIBUTE_NAME_BYTES:
        raise BuildError(
            f"an attribute name over {MAX_ATTRIBUTE_NAME_BYTES} bytes", rule="attribute-name", fix="shorten it"
        )
    return name


def check_segment(segment: object) -> str | int:
    """Return ``segment`` if it can be part of a path: a name, see :func:`check_name`, or an index from 0."""
    if isinstance(segment, str):
        return check_name(segment)
    # A bool is an int to Python, but no index.
    if not isinstance(segment, int) or isinstance(segment, bool):
        raise _make_index_error(f"a {type(segment).__name__}")
    index = int.__int__(segment)  # a subclass may convert itself, and compare, as it likes
    if index < 0:
        raise _make_index_error("a negative number")
    if index > MAX_LIST_INDEX:
        raise BuildError(f"a list index over {MAX_LIST_INDEX}", rule="path-index", fix="no list is that long")
    return index


def _make_index_error(what: str) -> BuildError:
    return BuildError(
        f"{what} is neither a name nor a list index",
        rule="path-index",
        fix="a path goes on with a name (a string) or an index (0, 1, 2 …)",
    )


def extend(segments: Segments, segment: object) -> Segments:
    """Return the path one step further in, at most 32 steps deep."""
    if len(segments) > MAX_DEPTH:  # the first segment is not a step
        raise BuildError(
            f"a document path deeper than {MAX_DEPTH} steps", rule="path-depth", place=write_path(segments[:3]) + "…"
        )
    return (*segments, check_segment(segment))


def find_clash(one: Segments, other: Segments) -> str:
    """Say in what way two paths cannot stand in one expression.

    Returns:
        ``"overlap"`` when they are equal or one leads through the other, ``"conflict"`` when one expects a map where
        the other expects a list (``a.b`` and ``a[0]``), else ``""``.
    """
    for mine, yours in zip(one, other, strict=False):
        if isinstance(mine, str) is not isinstance(yours, str):
            return "conflict"
        if mine != yours:
            return ""
    return "overlap"


def find_first_clash(paths: Iterable[Segments]) -> tuple[Segments, Segments, str] | None:
    """The first two paths that cannot stand in one expression, and why (see :func:`find_clash`)."""
    given = list(paths)
    clash = find_clashing(given)
    if clash is None:
        return None
    one, other = given[clash[0]], given[clash[1]]
    return one, other, find_clash(one, other)


def find_clashing(paths: list[Segments]) -> tuple[int, int] | None:
    """The positions of the first path that cannot stand beside one before it, that one first."""
    if len({path[0] for path in paths}) == len(paths):  # each on an attribute of its own, as nearly always
        return None
    # Each path is looked up instead of compared with all before it: an expression may have very many.
    ends: dict[Segments, int] = {}  # the first path that ends here
    steps: dict[tuple[Segments, type], int] = {}  # the first that goes on from here, by name or by index
    for position, path in enumerate(paths):
        clashes = []
        for length in range(len(path) + 1):
            here = path[:length]
            clashes.append(ends.get(here))
            if length == len(path):  # both steps lead through this path
                clashes += [steps.get((here, str)), steps.get((here, int))]
            else:
                clashes.append(steps.get((here, int if isinstance(path[length], str) else str)))
        found = [clash for clash in clashes if clash is not None]
        if found:
            return min(found), position
        for length, segment in enumerate(path):
            steps.setdefault((path[:length], type(segment)), position)
        ends[path] = position
    return None


def write_path(segments: Segments) -> str:
    """Write a path for people: ``address.city[0]``. A name with a dot in it is put in backquotes."""
    text = ""
    for segment in segments:
        if isinstance(segment, int):
            text += f"[{segment}]"
        else:
            name = f"`{segment}`" if any(mark in segment for mark in ".[]` ") else segment
            text += f".{name}" if text else name
    return text


def parse_path(text: str) -> Segments:
    """Read document-path text such as ``"address.city[0]"``, with names of anything but ``.``, ``[`` and ``]``."""
    if not isinstance(text, str):
        raise BuildError(
            f"a path is read from text, not from a {type(text).__name__}",
            rule="path-syntax",
            fix='write it like "address.city[0]"',
        )
    text = to_text(text)
    segments: Segments = ()
    position, end = 0, len(text)
    while position < end or not segments:  # at least once: empty text is a fault
        if segments and text[position] == "[":
            close = text.find("]", position)
            index = text[position + 1 : close] if close > 0 else ""
            if not (index.isascii() and index.isdigit()) or (index[0] == "0" and index != "0"):
                raise _make_syntax_error(text, position, "a list index in brackets, such as [0], is expected")
            # int() refuses very long text; one digit more than is allowed is refused as any other.
            segments = extend(segments, int(index[: MAX_INDEX_DIGITS + 1]))
            position = close + 1
            continue
        if segments:
            if text[position] != ".":
                raise _make_syntax_error(text, position, "a dot or a list index is expected")
            position += 1
        start = position
        while position < end and text[position] not in ".[]":
            position += 1
        if position == start:
            raise _make_syntax_error(text, position, "an attribute name is expected")
        segments = extend(segments, text[start:position]) if segments else (check_name(text[start:position]),)
    return segments


def _make_syntax_error(text: str, position: int, expected: str) -> BuildError:
    return BuildError(
        f"column {position + 1} of the path: {expected}",
        rule="path-syntax",
        fix='write it like "address.city[0]", or Attr(name) when dots are part of the name',
    )
