"""DynamoDB's expression grammar: tokens to the tree.

One recursive descent (conditions without recursion, so that no nesting is too deep for it) serves two readers. The
reader of :mod:`.parse` raises at the first fault; the one of :mod:`.linting` notes it and lets the parser go on.

See https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.OperatorsAndFunctions.html and
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.UpdateExpressions.html
"""

from __future__ import annotations

from expr_builder.errors import BuildError
from expr_builder.limits import MAX_DEPTH

from .attr import Attr, SizeOf
from .nodes import (
    Arithmetic,
    Between,
    Comparison,
    Condition,
    Function,
    IfNotExists,
    In,
    ListAppend,
    Literal,
    Operand,
    Path,
    UpdateValue,
)
from .operands import compute
from .paths import extend
from .predicates import all_of, any_of, attribute_type, begins_with, between, compare, contains, is_in
from .tokens import (
    ALIAS,
    END,
    MARK,
    NAME,
    NUMBER,
    QUOTED,
    STRING,
    VALUE,
    ExpressionSyntaxError,
    blotted,
    near,
    tokenize,
)
from .updates import KEYWORDS, UpdateAction, add_actions, set_actions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Protocol, TypeAlias, TypeVar

    from .paths import Segments
    from .tokens import Token

    N = TypeVar("N")
    Value: TypeAlias = Operand | UpdateValue

    class Reader(Protocol):
        """What the parser asks of its surroundings."""

        literals: bool
        """Whether the text may contain literals and names in backquotes."""

        def name(self, token: Token) -> str:
            """The attribute name that a bare name or a ``#placeholder`` stands for."""

        def value(self, token: Token) -> Operand:
            """The operand that a ``:placeholder`` stands for."""

        def build(self, symbol: str, token: Token, make: Callable[[], N], bare: Callable[[], N]) -> N:
            """Make a node with ``make``, which checks its operands; ``bare`` makes it without checks.

            ``symbol`` is the operator or function, ``token`` where it stands.
            """

        def fault(self, rule: str, token: Token, words: str, fix: str = "") -> None:
            """Take note of a fault that is not in the syntax, in DynamoDB's words."""


_COMPARATORS = ("=", "<>", "<", "<=", ">", ">=")
_NOT_NAMES = frozenset(("AND", "OR", "NOT", "BETWEEN", "IN"))
_CONDITION_FUNCTIONS = {
    "attribute_exists": 1,
    "attribute_not_exists": 1,
    "attribute_type": 2,
    "begins_with": 2,
    "contains": 2,
    "size": 1,
}
_UPDATE_FUNCTIONS = {"if_not_exists": 2, "list_append": 2}
_MAX_INDEX_DIGITS = 10


class Unknown(Operand):
    """An operand whose value is not known: a placeholder that a reader cannot resolve, or a function that is out of
    place, with the operands that were given to it."""

    __slots__ = ("operands", "text")

    def __init__(self, text: str, *operands: Operand) -> None:
        self.text = text
        self.operands = operands


class UnknownCondition(Condition):
    """Stands where a condition was so faulty that it has no tree."""

    __slots__ = ()


class _Group:
    """An open parenthesis, or the whole text: parts joined by OR, each of them parts joined by AND."""

    __slots__ = ("alternatives", "negations", "opened")

    def __init__(self, opened: int) -> None:
        self.opened = opened
        self.alternatives: list[list[Condition]] = [[]]
        self.negations = 0

    def add(self, condition: Condition) -> None:
        for _ in range(self.negations):
            condition = ~condition
        self.negations = 0
        self.alternatives[-1].append(condition)

    def whole(self) -> Condition:
        return any_of(*(all_of(*parts) for parts in self.alternatives))


class Parser:
    """Reads one text; each public method reads it as one kind of expression.

    Args:
        text: The expression.
        reader: Resolves names and values, and takes the faults.

    Attributes:
        operators: How many operators and functions were read.
        depth: How deep conditions were nested in each other.
        paths: The paths that were read.
    """

    def __init__(self, text: str, reader: Reader) -> None:
        self.text = text
        self.reader = reader
        self.operators = 0
        self.depth = 0
        self.paths: list[Segments] = []
        self._tokens = tokenize(text, literals=reader.literals)
        self._next = 0
        self._closings: dict[int, int] = {}  # each opening parenthesis that was read, with its closing one

    # --- Conditions

    def condition(self) -> Condition:
        """Read a condition: a ConditionExpression, FilterExpression or KeyConditionExpression."""
        groups = [_Group(-1)]
        while True:
            group = groups[-1]
            if self._take_word("NOT"):
                self.operators += 1
                group.negations += 1
                continue
            if self._peek().is_mark("("):
                groups.append(_Group(self._advance().position))
                self.depth = max(self.depth, len(groups))
                continue
            condition = self._predicate(groups)
            while True:  # whatever closes after it
                groups[-1].add(condition)
                if len(groups) == 1 or not self._peek().is_mark(")"):
                    break
                closed = groups.pop()
                self._closed(closed.opened)
                condition = closed.whole()
            if self._take_word("AND"):
                self.operators += 1
            elif self._take_word("OR"):
                self.operators += 1
                groups[-1].alternatives.append([])
            elif len(groups) == 1 and self._peek().kind == END:
                return groups[0].whole()
            else:
                raise self._unexpected(self._peek())

    def _closed(self, opened: int) -> None:
        """Read the closing parenthesis of the one at ``opened``; refuse ``((…))``."""
        closing = self._advance()
        self._closings[opened] = closing.position
        if self._closings.get(opened + 1) == closing.position - 1:
            self.reader.fault("parentheses", self._tokens[opened], "The expression has redundant parentheses;")

    def _predicate(self, groups: list[_Group]) -> Condition:
        token = self._peek()
        sized = self._is_call() and token.text == "size"
        if self._is_call() and not sized:
            condition = self._condition_function()
            if not self._at_operator():
                return condition
            if not isinstance(condition, UnknownCondition):
                self._misplaced(token)
            left: Operand = Unknown(token.text)
        else:
            left = self._operand()
        function = token
        while self._peek().is_mark(")") and self._opens_operand(groups, token):
            token = self._tokens[groups[-1].opened]
            self._closed(groups.pop().opened)
        symbol = self._peek()
        if symbol.kind == MARK and symbol.text in _COMPARATORS:
            return self._comparison(left)
        if self._take_word("BETWEEN"):
            return self._between(left, symbol)
        if self._take_word("IN"):
            return self._in(left, symbol)
        if not sized:
            raise self._unexpected(symbol)
        self._misplaced(function)
        return UnknownCondition()

    def _opens_operand(self, groups: list[_Group], token: Token) -> bool:
        """Tell whether the innermost parenthesis was opened right before the operand that starts at ``token``."""
        group = groups[-1]
        return group.opened == token.position - 1 and not group.negations and len(groups) > 1

    def _at_operator(self) -> bool:
        token = self._peek()
        return (token.kind == MARK and token.text in _COMPARATORS) or token.is_word("BETWEEN") or token.is_word("IN")

    def _comparison(self, left: Operand) -> Condition:
        symbol = self._advance()
        self.operators += 1
        right = self._wrapped_operand()
        return self.reader.build(
            symbol.text,
            symbol,
            lambda: compare(symbol.text, left, right),
            lambda: Comparison(symbol.text, left, right),
        )

    def _between(self, subject: Operand, symbol: Token) -> Condition:
        self.operators += 1
        low = self._wrapped_operand()
        if not self._take_word("AND"):
            raise self._unexpected(self._peek())
        high = self._wrapped_operand()
        return self.reader.build(
            "BETWEEN", symbol, lambda: between(subject, low, high), lambda: Between(subject, low, high)
        )

    def _in(self, subject: Operand, symbol: Token) -> Condition:
        self.operators += 1
        choices = self._arguments()
        return self.reader.build("IN", symbol, lambda: is_in(subject, choices), lambda: In(subject, tuple(choices)))

    def _condition_function(self) -> Condition:
        token = self._advance()
        self.operators += 1
        arguments = self._arguments()
        if not self._check_arity(token, arguments, _CONDITION_FUNCTIONS):
            return UnknownCondition()
        name, subject = token.text, arguments[0]
        argument = arguments[1] if len(arguments) == 2 else None

        def make() -> Condition:
            if argument is None:
                return Function(name, self._needs_path(name, subject))
            if name == "attribute_type":
                return attribute_type(subject, argument)
            return (begins_with if name == "begins_with" else contains)(subject, argument)

        return self.reader.build(name, token, make, lambda: Function(name, subject, argument))

    # --- Operands of conditions

    def _wrapped_operand(self) -> Operand:
        """Read an operand, which may stand in parentheses."""
        opened = []
        while self._peek().is_mark("("):
            opened.append(self._advance().position)
        operand = self._operand()
        for position in reversed(opened):
            if not self._peek().is_mark(")"):
                raise self._unexpected(self._peek())
            self._closed(position)
        return operand

    def _operand(self) -> Operand:
        if not self._is_call():
            return self._plain_operand(_NOT_NAMES)
        token = self._advance()
        self.operators += 1
        arguments = self._arguments()
        if token.text != "size":
            if token.text in _CONDITION_FUNCTIONS:
                self._misplaced(token)
            else:
                self._check_arity(token, arguments, _CONDITION_FUNCTIONS)
            return Unknown(token.text)
        if not self._check_arity(token, arguments, _CONDITION_FUNCTIONS):
            return Unknown(token.text)
        return self.reader.build(
            "size", token, lambda: SizeOf(self._needs_path("size", arguments[0])), lambda: Unknown("size", *arguments)
        )

    def _needs_path(self, name: str, operand: Operand) -> Path:
        if isinstance(operand, Path):
            return operand
        raise BuildError(f"{name} is asked of a value, not of an attribute", rule="operand-path", fix="give it a path")

    def _misplaced(self, token: Token) -> None:
        self.reader.fault(
            "function-place",
            token,
            f"The function is not allowed to be used this way in an expression; function: {token.text}",
            "size(…) is compared with a number; every other function is a condition by itself",
        )

    def _arguments(self) -> list[Operand]:
        """Read operands in parentheses."""
        self._expect("(")
        arguments = [self._wrapped_operand()]
        while self._take(","):
            arguments.append(self._wrapped_operand())
        self._expect(")")
        return arguments

    def _check_arity(self, token: Token, arguments: list[Any], functions: dict[str, int]) -> bool:
        count = functions.get(token.text)
        if count is None:
            known = token.text in _CONDITION_FUNCTIONS or token.text in _UPDATE_FUNCTIONS
            kind = "a condition" if functions is _CONDITION_FUNCTIONS else "an update"
            self.reader.fault(
                "function-name",
                token,
                f"The function is not allowed in {kind} expression; function: {token.text}"
                if known
                else f"Invalid function name; function: {token.text}",
                f"known are {', '.join(functions)}, written in lower case",
            )
        elif count != len(arguments):
            self.reader.fault(
                "function-operands",
                token,
                "Incorrect number of operands for operator or function; "
                f"operator or function: {token.text}, number of operands: {len(arguments)}",
                f"it takes {count}",
            )
        return count == len(arguments)

    # --- Updates

    def update(self) -> list[UpdateAction]:
        """Read an UpdateExpression. Whether its paths overlap is for the caller to check."""
        actions: list[UpdateAction] = []
        seen: set[str] = set()
        while True:
            token = self._advance()
            keyword = token.text.upper()
            if token.kind != NAME or keyword not in KEYWORDS:
                raise self._unexpected(token)
            if keyword in seen:
                self.reader.fault(
                    "update-clause",
                    token,
                    f'The "{keyword}" section can only be used once in an update expression;',
                    "join the two with a comma",
                )
            seen.add(keyword)
            actions += self._section(keyword)
            if self._peek().kind == END:
                return actions

    def _section(self, keyword: str) -> list[UpdateAction]:
        actions = []
        while True:
            token = self._peek()
            path = self._path(frozenset() if self.reader.literals else frozenset(KEYWORDS))
            actions.append(self._update_action(keyword, path, token))
            if not self._take(","):
                return actions

    def _update_action(self, keyword: str, path: Path, token: Token) -> UpdateAction:
        if keyword == "REMOVE":
            return UpdateAction("REMOVE", path, None)
        if keyword == "SET":
            self._expect("=")
            value = self._set_value(0)
            return self.reader.build(
                "SET", token, lambda: set_actions([(path, value)])[0], lambda: UpdateAction("SET", path, value)
            )
        if self._peek().kind != VALUE and not self.reader.literals:
            raise self._unexpected(self._peek())
        operand = self._plain_operand(frozenset())
        return self.reader.build(
            keyword,
            token,
            lambda: add_actions(keyword, [(path, operand)])[0],
            lambda: UpdateAction(keyword, path, operand),
        )

    def _set_value(self, depth: int) -> Value:
        left = self._set_operand(depth)
        symbol = self._peek()
        if not (symbol.is_mark("+") or symbol.is_mark("-")):
            return left
        self._advance()
        self.operators += 1
        right = self._set_operand(depth)
        return self.reader.build(
            symbol.text,
            symbol,
            lambda: compute(symbol.text, left, right),
            lambda: Arithmetic(symbol.text, left, right),  # type: ignore[arg-type]  # a faulty one is only inspected
        )

    def _set_operand(self, depth: int) -> Value:
        if depth > MAX_DEPTH:
            raise self._unexpected(self._peek(), fix=f"nest no deeper than {MAX_DEPTH} functions or parentheses")
        if self._take("("):
            value = self._set_value(depth + 1)
            self._expect(")")
            return value
        if not self._is_call():
            return self._plain_operand(frozenset())
        token = self._advance()
        self.operators += 1
        self._expect("(")
        arguments = [self._set_operand(depth + 1)]
        while self._take(","):
            arguments.append(self._set_operand(depth + 1))
        self._expect(")")
        if not self._check_arity(token, arguments, _UPDATE_FUNCTIONS):
            return Unknown(token.text)
        first, second = map(_nested, arguments)
        if token.text == "list_append":
            return self.reader.build(
                "list_append", token, lambda: _append(first, second), lambda: ListAppend(first, second)
            )

        def make() -> Value:
            return IfNotExists(self._needs_path("if_not_exists", first), second)

        return self.reader.build("if_not_exists", token, make, lambda: Unknown("if_not_exists", first, second))

    # --- Projections

    def projection(self) -> list[Path]:
        """Read a ProjectionExpression: paths with commas between them."""
        paths: list[Path] = [self._path(frozenset())]
        while self._take(","):
            paths.append(self._path(frozenset()))
        if self._peek().kind != END:
            raise self._unexpected(self._peek())
        return paths

    # --- Paths, values and names

    def _plain_operand(self, not_names: frozenset[str]) -> Operand:
        """Read a path, a placeholder for a value, or a literal."""
        token = self._peek()
        if token.kind == VALUE:
            return self.reader.value(self._advance())
        if self.reader.literals:
            literal = self._literal(token)
            if literal is not None:
                return literal
        return self._path(not_names)

    def _literal(self, token: Token) -> Literal | None:
        from expr_builder.attribute_values.numbers import parse_number

        if token.kind == STRING:
            return Literal({"S": self._advance().string})
        if token.kind == NUMBER or token.is_mark("-"):
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
            return Literal(dict(value))
        return None

    def _path(self, not_names: frozenset[str]) -> Attr:
        start = self._peek()
        segments: Segments = (self._name(not_names),)
        while True:
            if self._take("."):
                segments = self._extended(start, segments, self._name(not_names))
            elif self._take("["):
                segments = self._extended(start, segments, self._index())
            else:
                self.paths.append(segments)
                return Attr.at(segments)

    def _extended(self, start: Token, segments: Segments, step: str | int) -> Segments:
        return self.reader.build("path", start, lambda: extend(segments, step), lambda: (*segments, step))

    def _name(self, not_names: frozenset[str]) -> str:
        token = self._advance()
        if token.kind == QUOTED:
            return token.name
        if token.kind == ALIAS or (token.kind == NAME and token.text.upper() not in not_names):
            return self.reader.name(token)
        raise self._unexpected(token)

    def _index(self) -> int:
        token = self._advance()
        if token.kind != NUMBER or not token.text.isdigit():
            raise self._unexpected(token)
        self._expect("]")
        if len(token.text) > _MAX_INDEX_DIGITS:
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
        if token.kind != END:
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
        return token.kind == NAME and token.text.upper() not in _NOT_NAMES and self._tokens[self._next + 1].is_mark("(")

    def _unexpected(self, token: Token, fix: str = "") -> ExpressionSyntaxError:
        literals = self.reader.literals
        shown = "<EOF>" if token.kind == END else blotted(token) if literals else token.text
        around = near(self._tokens, token, self.text, literals=literals)
        return ExpressionSyntaxError(
            f'Syntax error; token: "{shown}", near: "{around}"',
            text=self.text,
            column=token.column,
            fix=fix or _hint(token),
        )


_CONSTANTS: dict[str, dict[str, Any]] = {
    "TRUE": {"BOOL": True},
    "FALSE": {"BOOL": False},
    "NULL": {"NULL": True},
}


def _hint(token: Token) -> str:
    if token.text == '"':
        return "text is written 'like this', an unusual name `like this`"
    if token.text in ("'", "`"):
        return "the quote is not closed"
    if token.kind == NAME and token.text.upper() in _NOT_NAMES:
        return f"a name that is a keyword goes in backquotes: `{token.text}`"
    return {"==": "= compares", "!": "<> means unequal, NOT negates"}.get(token.text, "")


def _nested(value: Value) -> Operand:
    """A function within a function stands where nodes expect an operand."""
    return value  # type: ignore[return-value]


def _append(first: Operand, second: Operand) -> ListAppend:
    for side in (first, second):
        if isinstance(side, Literal) and side.type != "L":
            raise BuildError(
                f"list_append joins lists, not a value of type {side.type}",
                rule="update-list",
                fix="put the value into a list",
            )
    return ListAppend(first, second)
