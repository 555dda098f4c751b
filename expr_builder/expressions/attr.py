"""``Attr`` and ``Key``, whose methods build conditions and update values."""

from __future__ import annotations

from expr_builder.errors import BuildError

from .functions import AttributeFunctions, KeyFunctions
from .nodes import Arithmetic
from .operands import take_number
from .paths import check_name, extend, parse_path, write_path
from .predicates import Comparable, Ordered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from .nodes import Condition, UpdateValue
    from .paths import Segments


class Attr(Comparable, AttributeFunctions):
    """An attribute, from which conditions and update values are built.

    Args:
        name: The attribute's name, taken literally: a dot is part of it. Go deeper with brackets:
            ``Attr("address")["city"]``, ``Attr("tags")[0]``; or read path text with :meth:`path`.

    Raises:
        BuildError: for a name that is empty, too long or not a string.

    Example:
        ``(Attr("email") == "a@example.com") & Attr("tags").size().lt(5)`` renders as
        ``email = :v0 AND size(tags) < :v1``.

    See https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.Attributes.html
    """

    __slots__ = ()

    def __init__(self, name: str) -> None:
        self.segments = (check_name(name),)

    @classmethod
    def path(cls, text: str) -> Attr:
        """Read document-path text: ``Attr.path("address.city[0]")`` is ``Attr("address")["city"][0]``."""
        return cls.at(parse_path(text))

    @classmethod
    def at(cls, segments: Segments) -> Attr:
        """The path with these segments, taken as they are."""
        attr = cls.__new__(cls)  # __init__ takes one name, and would check it again
        attr.segments = segments
        return attr

    def __getitem__(self, segment: str | int) -> Attr:
        """One step further in: a map's entry by name, a list's element by index."""
        try:
            return self.at(extend(self.segments, segment))
        except BuildError as error:
            raise error.within(write_path(self.segments)) from None

    def __iter__(self) -> NoReturn:
        # Without this, Python would try [0], [1], [2] … for ever.
        raise TypeError(f"{self!r} is a path and cannot be looped over")

    def __contains__(self, value: object) -> bool:
        raise TypeError(f"`in` cannot build a condition; write {self!r}.contains(value) or {self!r}.is_in(values)")

    def exists_and_ne(self, value: object) -> Condition:
        """``attribute_exists(self) AND self <> value``: unlike :meth:`ne`, false when the attribute is missing."""
        return self.exists() & self.ne(value)

    # --- values for an update

    def __add__(self, amount: object) -> UpdateValue:
        """``self + amount`` in a SET. Fails at run time when the attribute is missing: see :meth:`increment`."""
        return Arithmetic(self, "+", take_number(amount, self))

    def __sub__(self, amount: object) -> UpdateValue:
        """``self - amount`` in a SET."""
        return Arithmetic(self, "-", take_number(amount, self))

    def __radd__(self, amount: object) -> UpdateValue:
        """``amount + self`` in a SET."""
        return Arithmetic(take_number(amount, self), "+", self)

    def __rsub__(self, amount: object) -> UpdateValue:
        """``amount - self`` in a SET."""
        return Arithmetic(take_number(amount, self), "-", self)

    def increment(self, by: object = 1) -> UpdateValue:
        """``if_not_exists(self, 0) + by`` in a SET: a counter that starts by itself."""
        return self.if_not_exists(0) + by


class Key(Ordered, KeyFunctions):
    """A key attribute, from which the key condition of a query is built.

    It has only what DynamoDB allows there: ``eq`` for a partition key; ``eq``, ``lt``, ``lte``, ``gt``, ``gte``,
    ``between`` and ``begins_with`` for a sort key; joined with ``&``.

    Args:
        name: The attribute's name, taken literally.

    Raises:
        BuildError: for a name that is empty, too long or not a string.

    Example:
        ``Key("PK").eq("A#1") & Key("SK").begins_with("ORDER#")`` renders as ``PK = :v0 AND begins_with(SK, :v1)``.

    See https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Query.KeyConditionExpressions.html
    """

    __slots__ = ()

    def __init__(self, name: str) -> None:
        self.segments = (check_name(name),)
