"""The one table of DynamoDB's functions, and their fluent methods.

Everything that this library knows of a function is here: :data:`FUNCTIONS` says what it takes, does and means, and a
method of one of the classes below builds it. The parser, the evaluator, lint and the tests' generators ask the table.

A new condition function is an entry and a method in this file, a test, and a row in ``docs/builder.md``.

See https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.OperatorsAndFunctions.html and
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.UpdateExpressions.html
"""

from __future__ import annotations

from expr_builder.attribute_values.comparing import to_comparable
from expr_builder.attribute_values.values import SET_TYPES, TYPES
from expr_builder.errors import BuildError

from .nodes import Arithmetic, Call, Condition, Function, Literal, OperandFunction, Path, UpdateFunction
from .operands import make_literal, make_refusal, take_list, take_number, take_operand, take_stored
from .predicates import Comparable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from expr_builder.attribute_values.values import AttributeValue

    from .nodes import UpdateValue, Value

    Found: TypeAlias = AttributeValue | None
    """An operand's value; ``None`` when it is missing, as is the size of a number."""

_TEXTUAL = ("S", "B")


class Parameter:
    """One operand that a function takes.

    Attributes:
        name: What it is called in documentation.
        types: The types of values that fit; none when only a path does.
        choices: The only texts that fit; none when any does.
    """

    __slots__ = ("choices", "name", "types")

    def __init__(self, name: str, types: tuple[str, ...] = TYPES, choices: tuple[str, ...] = ()) -> None:
        self.name = name
        self.types = types
        self.choices = choices

    def takes(self, operand: Value) -> bool:
        """Tell whether the operand fits, as far as it is known before there is an item."""
        if not isinstance(operand, Literal):
            return not self.choices  # an attribute may hold anything, but a choice must stand in the request
        return operand.type in self.types and (not self.choices or operand.content in self.choices)


class Definition:
    """One function.

    Args:
        node: What it builds: a condition (:class:`Function`), or a subclass of one of the two other kinds.
        method: The fluent method that builds it.
        means: What it means, for people.
        evaluate: Its result for the values of its operands: true or false for a condition, else a value.
        parameters: What it takes.
        of_path: Whether the first operand must be a path.
        distinct: Whether the first two operands must differ.
        of_keys: Whether a key condition may use it.
        rule: The rule that an unfit operand breaks; none when only lint checks operands.
        unfit: The message, in which ``{type}`` is the operand's type, and the fix.
    """

    __slots__ = ("distinct", "evaluate", "means", "method", "node", "of_keys", "of_path", "parameters", "rule", "unfit")

    def __init__(
        self,
        node: type[Call],
        method: str,
        means: str,
        evaluate: Callable[..., bool | Found],
        *parameters: Parameter,
        of_path: bool = False,
        distinct: bool = False,
        of_keys: bool = False,
        rule: str = "",
        unfit: tuple[str, str] = ("", ""),
    ) -> None:
        self.node = node
        self.method = method
        self.means = means
        self.evaluate = evaluate
        self.parameters = parameters
        self.of_path = of_path
        self.distinct = distinct
        self.of_keys = of_keys
        self.rule = rule
        self.unfit = unfit


# --- What each function gives. The value of a missing attribute is None. A value of a type that the function cannot use
# makes a condition false and a size undefined; it is never an error. [Alternator's tests, which pass on the service]


def _begins_with(value: Found, prefix: Found) -> bool:
    if value is None or prefix is None:
        return False
    ((tag, content),) = value.items()
    return tag in _TEXTUAL and tag in prefix and bool(content.startswith(prefix[tag]))


def _contains(value: Found, element: Found) -> bool:
    if value is None or element is None:
        return False
    tag, content = to_comparable(value)
    element_tag, element_content = to_comparable(element)
    if tag == "L":
        return (element_tag, element_content) in content  # elements are such pairs, so that types are compared too
    if tag in _TEXTUAL:
        return tag == element_tag and element_content in content
    return tag == f"{element_tag}S" and element_content in content  # SS holds S, NS holds N, BS holds B


def _measure(value: Found) -> Found:
    if value is None:
        return None
    ((tag, content),) = value.items()
    if tag in ("N", "BOOL", "NULL"):
        return None  # as if missing; AWS does not document it, nor the unit of the next line
    # A character outside the basic plane counts two. [measured on the service: extenddb pull request 67]
    size = len(content.encode("utf-16-le")) // 2 if tag == "S" else len(content)
    return {"N": str(size)}


def _join_lists(first: Found, second: Found) -> Found:
    if first is None or second is None or "L" not in first or "L" not in second:
        return None
    return {"L": [*first["L"], *second["L"]]}


# --- What is built by functions that are not conditions themselves


class SizeOf(Comparable, OperandFunction):
    """``size(path)``, to be compared with a number or another operand."""

    __slots__ = ()
    gives = "N"


class IfMissing(UpdateFunction):
    """``if_not_exists(path, default)``. ``+`` and ``-`` on it make a counter that starts by itself."""

    __slots__ = ()

    def __add__(self, amount: object) -> UpdateValue:
        return Arithmetic(self, "+", take_number(amount, self._path))

    def __sub__(self, amount: object) -> UpdateValue:
        return Arithmetic(self, "-", take_number(amount, self._path))

    def __radd__(self, amount: object) -> UpdateValue:
        return Arithmetic(take_number(amount, self._path), "+", self)

    def __rsub__(self, amount: object) -> UpdateValue:
        return Arithmetic(take_number(amount, self._path), "-", self)

    @property
    def _path(self) -> Path | None:
        path = self.operands[0]  # something else only where lint goes on after a fault
        return path if isinstance(path, Path) else None


class JoinedLists(UpdateFunction):
    """``list_append(first, second)``."""

    __slots__ = ()
    gives = "L"

    def _refuse_arithmetic(self) -> BuildError:
        return BuildError(
            "list_append gives a list, and + and - compute with numbers",
            rule="update-arithmetic",
            fix="append([…]) takes all new items at once",
        )


_PATH = Parameter("path", ())

FUNCTIONS: dict[str, Definition] = {
    "attribute_exists": Definition(
        Function, "exists", "the attribute exists", lambda value: value is not None, _PATH, of_path=True
    ),
    "attribute_not_exists": Definition(
        Function, "not_exists", "the attribute or the item is missing", lambda value: value is None, _PATH, of_path=True
    ),
    "attribute_type": Definition(
        Function,
        "attribute_type",
        f"the attribute is of this type, one of {' '.join(TYPES)}",
        lambda value, name: value is not None and name == {"S": next(iter(value))},
        Parameter("path"),
        Parameter("type", ("S",), choices=TYPES),
        rule="attribute-type",
        unfit=("attribute_type with an unknown type", f"one of {' '.join(TYPES)}"),
    ),
    "begins_with": Definition(
        Function,
        "begins_with",
        "the string or binary value begins with this",
        _begins_with,
        Parameter("path", _TEXTUAL),
        Parameter("prefix", _TEXTUAL),
        distinct=True,
        of_keys=True,
        rule="operand-type",
        unfit=("begins_with has no meaning for a value of type {type}", "the prefix is a string or bytes"),
    ),
    "contains": Definition(
        Function,
        "contains",
        "the string or binary value has this part; the set or list has this element",
        _contains,
        Parameter("path"),
        Parameter("element", tuple(kind for kind in TYPES if kind not in SET_TYPES)),
        distinct=True,
        rule="operand-type",
        unfit=(
            "contains looks for one element, not for a set",
            "all_of(*(attr.contains(element) for element in elements))",
        ),
    ),
    "size": Definition(
        SizeOf,
        "size",
        "a number to compare: UTF-16 units of a string, bytes of a binary value, elements of a set, list or map",
        _measure,
        Parameter("path", tuple(kind for kind in TYPES if kind not in ("N", "BOOL", "NULL"))),
        of_path=True,
    ),
    "if_not_exists": Definition(
        IfMissing,
        "if_not_exists",
        "in a SET: the stored value, or the default when there is none",
        lambda value, default: default if value is None else value,
        _PATH,
        Parameter("default"),
        of_path=True,
    ),
    "list_append": Definition(
        JoinedLists,
        "append",
        "in a SET: the two lists as one",
        _join_lists,
        Parameter("list", ("L",)),
        Parameter("list", ("L",)),
        rule="update-list",
        unfit=("list_append joins lists, not a value of type {type}", "put the value into a list"),
    ),
}
"""Each function by its name in an expression."""


def find_function(name: str, operands: int) -> Definition:
    """Look up a function; refuse an unknown name, or a wrong number of operands."""
    known = FUNCTIONS.get(name)
    if known is None:
        raise refuse_name(name)
    if operands != len(known.parameters):
        raise BuildError(
            f"{name} with {operands} operands", rule="function-operands", fix=f"it takes {len(known.parameters)}"
        )
    return known


def refuse_name(name: str) -> BuildError:
    """The error for a name that no function has."""
    return BuildError(f"no function is called {name}", rule="function-name", fix=f"known are {', '.join(FUNCTIONS)}")


def list_functions(*kinds: type[Call]) -> list[str]:
    """The names of the functions of these kinds."""
    return [name for name, known in FUNCTIONS.items() if issubclass(known.node, kinds)]


def build(name: str, *operands: Value) -> Call:
    """Build ``name(operand, …)``; refuse an unknown name, and operands that do not fit."""
    known = FUNCTIONS.get(name)
    # find_function asks the same again, and raises: asking here saves its call for every sound clause.
    if known is None or len(operands) != len(known.parameters):
        known = find_function(name, len(operands))
    subject = operands[0]
    if known.of_path and not isinstance(subject, Path):
        raise BuildError(f"{name} is asked of a value, not of an attribute", rule="operand-path", fix="give it a path")
    if known.rule:
        for operand, parameter in zip(operands, known.parameters, strict=False):
            if not parameter.takes(operand):
                message, fix = known.unfit
                kind = operand.type if isinstance(operand, Literal) else ""
                # An update names its own place: the path that it sets, which need not be this operand.
                of = "" if issubclass(known.node, UpdateFunction) else subject
                raise make_refusal(of, message.format(type=kind), rule=known.rule, fix=fix)
    other = operands[-1]
    # Keys are costly: they are compared only between two of a kind, as a path never equals a value.
    if known.distinct and isinstance(other, Literal) is isinstance(subject, Literal) and other._key() == subject._key():
        raise make_refusal(
            subject, f"{name} with one path twice", rule="operand-distinct", fix="look for a value or another path"
        )
    return known.node(name, *operands)


def build_condition(name: str, *operands: Value) -> Condition:
    """Build a function that is itself a condition; refuse any other."""
    condition = build(name, *operands)
    if not isinstance(condition, Condition):
        raise BuildError(
            f"{name} is not a condition", rule="function-place", fix=f"known are {', '.join(list_functions(Function))}"
        )
    return condition


# --- The methods of attributes


class KeyFunctions(Path):
    """The functions of key attributes."""

    __slots__ = ()

    def begins_with(self, prefix: object) -> Condition:
        """``begins_with(self, prefix)``: the prefix a string, bytes, or another path."""
        return build_condition("begins_with", self, take_operand(prefix, of=self))


class AttributeFunctions(KeyFunctions):
    """The functions of all attributes."""

    __slots__ = ()

    def exists(self) -> Condition:
        """``attribute_exists(self)``."""
        return Function("attribute_exists", self)  # not by build: nearly every write has it, and nothing to check

    def not_exists(self) -> Condition:
        """``attribute_not_exists(self)``."""
        return Function("attribute_not_exists", self)

    def contains(self, element: object) -> Condition:
        """``contains(self, element)``: a part of a string, an element of a set or list."""
        return build_condition("contains", self, take_operand(element, of=self))

    def attribute_type(self, name: str) -> Condition:
        """``attribute_type(self, name)``: the name one of S SS N NS B BS BOOL NULL L M."""
        return build_condition("attribute_type", self, take_operand(name, of=self))

    def size(self) -> SizeOf:
        """``size(self)``: a number to compare, not a condition by itself."""
        return SizeOf("size", self)

    def if_not_exists(self, default: object) -> IfMissing:
        """``if_not_exists(self, default)`` in a SET: the stored value, or the default when there is none."""
        return IfMissing("if_not_exists", self, take_stored(default, of=self))

    def append(self, items: object) -> UpdateValue:
        """``list_append(if_not_exists(self, []), items)`` in a SET; anything that is not a list counts as one item."""
        return JoinedLists("list_append", self._list_or_empty(), take_list(items, self))

    def prepend(self, items: object) -> UpdateValue:
        """``list_append(items, if_not_exists(self, []))`` in a SET; anything that is not a list counts as one item."""
        return JoinedLists("list_append", take_list(items, self), self._list_or_empty())

    def _list_or_empty(self) -> IfMissing:  # list_append fails where the attribute is missing
        return IfMissing("if_not_exists", self, make_literal([]))
