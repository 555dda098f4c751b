"""Reads from tokens what all expressions have in common: paths, values, and functions with their operands."""

from __future__ import annotations

from expr_builder.attribute_values.numbers import parse_number
from expr_builder.errors import BuildError, ExpressionSyntaxError
from expr_builder.limits import MAX_LIST_INDEX

from .attr import Attr
from .functions import FUNCTIONS, build, list_functions
from .nodes import Function, Literal, Operand, OperandFunction, UpdateFunction
from .paths import MAX_INDEX_DIGITS, extend
from .tokens import (
    ALIAS,
    END,
    NAME,
    NUMBER,
    QUOTED,
    STRING,
    VALUE,
    blot_out,
    quote_around,
    tokenize,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Protocol, TypeVar

    from expr_builder.attribute_values.values import AttributeValue

    from .nodes import Call, Structure, Value
    from .paths import Segments
    from .tokens import Token

    N = TypeVar("N")

    class Reader(Protocol):
        """Decides for the parser what names and values mean, and what happens to faults."""

        literals: bool
        """Whether the text may contain literals and names in backquotes."""

        def name(self, token: Token) -> str:
            """The attribute name that a bare name or a ``#placeholder`` stands for."""

        def value(self, token: Token) -> Operand:
            """The operand that a ``:placeholder`` stands for."""

        def build(self, symbol: str, token: Token, make: Callable[[], N], bare: Callable[[], N]) -> N:
            """Make an operator's or function's node with ``make``, which checks its operands, or else with ``bare``."""

        def fault(self, rule: str, token: Token, words: str, fix: str = "") -> None:
            """Take note of a fault that is not in the syntax, in DynamoDB's words."""


NOT_NAMES = frozenset(("AND", "OR", "NOT", "BETWEEN", "IN"))
"""The keywords of conditions: an attribute of such a name needs a placeholder, or backquotes."""
_CONSTANTS: dict[str, AttributeValue] = {"TRUE": {"BOOL": True}, "FALSE": {"BOOL": False}, "NULL": {"NULL": True}}


class Unknown(Operand):
    """An operand whose value is not known: an undefined placeholder, or a misplaced function with its operands."""

    _fields = __slots__ = ("text", "operands")

    def __init__(self, text: str, *operands: Value) -> None:
        self.text = text
        self.operands = operands

    def _key(self) -> Structure:
        """Without the operands, which may be unknown as well, and so on without end."""
        return ("Unknown", self.text)


class OperandParser:
    """Walks along the tokens of one text.

    Args:
        text: The expression.
        reader: Resolves names and values, and takes the faults.

    Attributes:
        operators: How many operators and functions were read.
        paths: The paths that were read.
    """

    def __init__(self, text: str, reader: Reader) -> None:
        self.text = text
        self.reader = reader
        self.operators = 0
        self.paths: list[Segments] = []
        self._tokens = tokenize(text, literals=reader.literals)
        self._next = 0

    def _read_list(self, read: Callable[[], N]) -> list[N]:
        """Read one or more, with commas between them."""
        found = [read()]
        while self._take(","):
            found.append(read())
        return found

    # --- Functions

    def _find_kind(self, token: Token) -> type[Call] | None:
        """The kind of function that the token calls, if it is the name of one with its operands behind it."""
        known = FUNCTIONS.get(token.text)
        return known.node if known is not None and self._is_call() else None

    def _build_call(self, token: Token, operands: Sequence[Value], *kinds: type[Call]) -> Call | Unknown | None:
        """Build the call of a function, which must be of one of these kinds; ``None`` for a faulty one."""
        name, known = token.text, FUNCTIONS.get(token.text)
        if known is None or not issubclass(known.node, kinds):
            where = "an update" if UpdateFunction in kinds else "a condition"
            self.reader.fault(
                "function-name",
                token,
                f"The function is not allowed in {where} expression; function: {name}"
                if known is not None
                else f"Invalid function name; function: {name}",
                f"known are {', '.join(list_functions(*kinds))}, written in lower case",
            )
            return None
        if len(operands) != len(known.parameters):
            self.reader.fault(
                "function-operands",
                token,
                "Incorrect number of operands for operator or function; "
                f"operator or function: {name}, number of operands: {len(operands)}",
                f"it takes {len(known.parameters)}",
            )
            return None
        # Such as size(:v): what it would give is unknown, so that no further fault is derived from it.
        bare = known.node if known.node is Function or not known.of_path else Unknown
        return self.reader.build(name, token, lambda: build(name, *operands), lambda: bare(name, *operands))

    def _misplace(self, token: Token) -> None:
        measures = ", ".join(f"{name}(…)" for name in list_functions(OperandFunction))
        self.reader.fault(
            "function-place",
            token,
            f"The function is not allowed to be used this way in an expression; function: {token.text}",
            f"{measures} is compared with a number; every other function is a condition by itself",
        )

    # --- Paths, values and names

    def _read_plain(self, not_names: frozenset[str]) -> Operand:
        """Read a path, a placeholder for a value, or a literal."""
        token = self._peek()
        if token.kind == VALUE:
            return self.reader.value(self._advance())
        if self.reader.literals:
            literal = self._read_literal(token)
            if literal is not None:
                return literal
        return self._read_path(not_names)

    def _read_literal(self, token: Token) -> Literal | None:
        if token.kind == STRING:
            return Literal({"S": self._advance().string})
        if token.kind == NUMBER or token.is_mark("-"):  # a token of its own: n-1 is a subtraction
            sign = "-" if self._take("-") else ""
            number = self._advance()
            if number.kind != NUMBER:
                raise self._unexpected(number)
            try:
                return Literal({"N": parse_number(sign + number.text)})
            except BuildError as error:
                raise error.within(f"column {token.column}") from None
        if token.kind == NAME and (value := _CONSTANTS.get(token.text.upper())) is not None:
            self._advance()
            return Literal(dict(value))  # a copy: what is rendered is the caller's to change
        return None

    def _read_path(self, not_names: frozenset[str]) -> Attr:
        start = self._peek()
        segments: Segments = (self._read_name(not_names),)
        while True:
            if self._take("."):
                segments = self._extend(start, segments, self._read_name(not_names))
            elif self._take("["):
                segments = self._extend(start, segments, self._read_index())
            else:
                self.paths.append(segments)
                return Attr.at(segments)

    def _extend(self, start: Token, segments: Segments, step: str | int) -> Segments:
        return self.reader.build("path", start, lambda: extend(segments, step), lambda: (*segments, step))

    def _read_name(self, not_names: frozenset[str]) -> str:
        token = self._advance()
        if token.kind == QUOTED:
            return token.name
        if token.kind == ALIAS or (token.kind == NAME and token.text.upper() not in not_names):
            return self.reader.name(token)
        raise self._unexpected(token)

    def _read_index(self) -> int:
        token = self._advance()
        if token.kind != NUMBER or not token.text.isdigit() or (token.text[0] == "0" and token.text != "0"):
            raise self._unexpected(token)
        self._expect("]")
        if len(token.text) > MAX_INDEX_DIGITS or int(token.text) > MAX_LIST_INDEX:
            self.reader.fault(
                "path-index",
                token,
                f"List index is not within the allowable range; index: [{token.text}]",
                "no list is that long",
            )
            return 0
        return int(token.text)

    # --- Tokens

    def _peek(self) -> Token:
        return self._tokens[self._next]

    def _advance(self) -> Token:
        token = self._tokens[self._next]
        if token.kind != END:  # never past it, so that peeking needs no check
            self._next += 1
        return token

    def _take(self, mark: str) -> bool:
        if self._peek().is_mark(mark):
            self._advance()
            return True
        return False

    def _take_word(self, word: str) -> bool:
        if self._peek().is_word(word):
            self._advance()
            return True
        return False

    def _expect(self, mark: str) -> None:
        token = self._advance()
        if not token.is_mark(mark):
            raise self._unexpected(token)

    def _is_call(self) -> bool:
        token = self._peek()
        return token.kind == NAME and token.text.upper() not in NOT_NAMES and self._tokens[self._next + 1].is_mark("(")

    def _unexpected(self, token: Token, fix: str = "") -> ExpressionSyntaxError:
        literals = self.reader.literals
        shown = "<EOF>" if token.kind == END else blot_out(token) if literals else token.text
        around = quote_around(self._tokens, token, self.text, literals=literals)
        return ExpressionSyntaxError(
            f'Syntax error; token: "{shown}", near: "{around}"',
            text=self.text,
            column=token.column,
            fix=fix or _find_fix(token),
        )


def _find_fix(token: Token) -> str:
    if token.text == '"':
        return "text is written 'like this', an unusual name `like this`"
    if token.text in ("'", "`"):
        return "the quote is not closed"
    if token.kind == NAME and token.text.upper() in NOT_NAMES:
        return f"a name that is a keyword goes in backquotes: `{token.text}`"
    return {"==": "= compares", "!": "<> means unequal, NOT negates"}.get(token.text, "")
