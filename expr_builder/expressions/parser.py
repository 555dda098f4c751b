"""DynamoDB's expression grammar: turns tokens into the tree.

One parser serves two readers: that of :mod:`.parse` raises at the first fault, that of :mod:`.linting` notes it and
lets the parser go on. It reads conditions and operands without recursion, so that no nesting is too deep for it.

See https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.OperatorsAndFunctions.html and
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.UpdateExpressions.html
"""

from __future__ import annotations

from .functions import FUNCTIONS
from .nodes import (
    And,
    Arithmetic,
    Between,
    Comparison,
    Condition,
    Function,
    In,
    Operand,
    OperandFunction,
    Or,
    UpdateFunction,
    UpdateValue,
)
from .operand_parser import NOT_NAMES, OperandParser, Unknown
from .operands import compute
from .predicates import COMPARATORS, between, compare, is_in
from .tokens import END, MARK, NAME, VALUE
from .updates import KEYWORDS, UpdateAction, add_actions, set_actions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .nodes import Call, Path, Value
    from .operand_parser import Reader
    from .tokens import Token


class UnknownCondition(Condition):
    """Stands in for a condition that is too faulty to have a tree."""

    __slots__ = ()


class _Group:
    """What an open parenthesis, or the whole text, holds so far: parts joined by OR, each of parts joined by AND."""

    __slots__ = ("alternatives", "negations", "opened")

    def __init__(self, opened: int) -> None:
        self.opened = opened  # the position of its token; -1 for the whole text
        self.alternatives: list[list[Condition]] = [[]]
        self.negations = 0

    def add(self, condition: Condition) -> None:
        for _ in range(self.negations):  # one NOT after another is counted, not nested
            condition = ~condition
        self.negations = 0
        self.alternatives[-1].append(condition)

    def join(self) -> Condition:
        return Or.of(*(And.of(*parts) for parts in self.alternatives))


class _Level:
    """What one more parenthesis around an operand, that of a function or a plain one, holds so far."""

    __slots__ = ("function", "left", "opened", "operands", "symbol")

    def __init__(self, opened: int = -1, function: Token | None = None) -> None:
        self.opened = opened  # the position of a plain one; -1 for the whole operand
        self.function = function
        self.operands: list[Value] = []
        self.left: Value | None = None
        self.symbol: Token | None = None  # + or -, between left and what comes


class Parser(OperandParser):
    """Reads one text, with a public method for each kind of expression.

    Attributes:
        depth: How deep conditions, or functions of an update, were nested in each other.
    """

    def __init__(self, text: str, reader: Reader) -> None:
        super().__init__(text, reader)
        self.depth = 0
        self._closings: dict[int, int] = {}  # each opening parenthesis that was read, with its closing one

    # --- Conditions

    def read_condition(self) -> Condition:
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
            condition = self._read_predicate(groups)
            while True:  # the parentheses that close here: a loop, since text may open thousands
                groups[-1].add(condition)
                if len(groups) == 1 or not self._peek().is_mark(")"):
                    break
                closed = groups.pop()
                self._close(closed.opened)
                condition = closed.join()
            if self._take_word("AND"):
                self.operators += 1
            elif self._take_word("OR"):
                self.operators += 1
                groups[-1].alternatives.append([])
            elif len(groups) == 1 and self._peek().kind == END:
                return groups[0].join()
            else:
                raise self._unexpected(self._peek())

    def _close(self, opened: int) -> None:
        """Read the closing parenthesis of the one at ``opened``; refuse ``((…))``."""
        closing = self._advance()
        self._closings[opened] = closing.position
        # Another pair begins right inside and ends right inside. DynamoDB refuses that.
        if self._closings.get(opened + 1) == closing.position - 1:
            self.reader.fault("parentheses", self._tokens[opened], "The expression has redundant parentheses;")

    def _read_predicate(self, groups: list[_Group]) -> Condition:
        token = self._peek()
        kind = self._find_kind(token)
        measures = kind is not None and issubclass(kind, OperandFunction)
        if self._is_call() and not measures:
            condition = self._read_function()
            if not self._at_operator():
                return condition
            if not isinstance(condition, UnknownCondition):  # whose own fault is enough
                self._misplace(token)
            left: Operand = Unknown(token.text)
        else:
            left = self._read_operand()
        function = token
        # Only now is it known that "(" did not open a condition but an operand, as in (a) = 1.
        while self._peek().is_mark(")") and self._is_opened_before(groups, token):
            token = self._tokens[groups[-1].opened]
            self._close(groups.pop().opened)
        symbol = self._peek()
        if symbol.kind == MARK and symbol.text in COMPARATORS:
            return self._read_comparison(left)
        if self._take_word("BETWEEN"):
            return self._read_between(left, symbol)
        if self._take_word("IN"):
            return self._read_in(left, symbol)
        if not measures:  # an operand alone; size(a) alone is no syntax error to the service
            raise self._unexpected(symbol)
        self._misplace(function)
        return UnknownCondition()

    def _is_opened_before(self, groups: list[_Group], token: Token) -> bool:
        """Tell whether the innermost parenthesis was opened right before the operand that starts at ``token``."""
        group = groups[-1]
        return group.opened == token.position - 1 and not group.negations and len(groups) > 1

    def _at_operator(self) -> bool:
        token = self._peek()
        return (token.kind == MARK and token.text in COMPARATORS) or token.is_word("BETWEEN") or token.is_word("IN")

    def _read_comparison(self, left: Operand) -> Condition:
        symbol = self._advance()
        self.operators += 1
        right = self._read_operand()
        return self.reader.build(
            symbol.text,
            symbol,
            lambda: compare(left, symbol.text, right),
            lambda: Comparison(left, symbol.text, right),
        )

    def _read_between(self, subject: Operand, symbol: Token) -> Condition:
        self.operators += 1
        low = self._read_operand()
        if not self._take_word("AND"):
            raise self._unexpected(self._peek())
        high = self._read_operand()
        return self.reader.build(
            "BETWEEN", symbol, lambda: between(subject, low, high), lambda: Between(subject, low, high)
        )

    def _read_in(self, subject: Operand, symbol: Token) -> Condition:
        self.operators += 1
        choices = self._read_operands()
        return self.reader.build("IN", symbol, lambda: is_in(subject, choices), lambda: In(subject, tuple(choices)))

    def _read_function(self) -> Condition:
        token = self._advance()
        self.operators += 1
        call = self._build_call(token, self._read_operands(), Function, OperandFunction)
        return call if isinstance(call, Condition) else UnknownCondition()

    # --- Operands of conditions

    def _read_operand(self) -> Operand:
        if not (self._is_call() or self._peek().is_mark("(")):  # as nearly always
            return self._read_plain(NOT_NAMES)
        operand = self._read_nested(computed=False)
        assert isinstance(operand, Operand)  # noqa: S101  # only a computed one is anything else
        return operand

    def _read_operands(self) -> list[Operand]:
        """Read operands in parentheses."""
        self._expect("(")
        operands = self._read_list(self._read_operand)
        self._expect(")")
        return operands

    def _read_nested(self, *, computed: bool) -> Value:
        """Read an operand, which may stand in parentheses, or be a function of others.

        In a SET it may be ``computed``: there each pair of parentheses, and the whole, may add or subtract two.
        """
        whole = _Level()
        levels = [whole]
        calls = 0
        while True:
            if self._peek().is_mark("("):
                levels.append(_Level(self._advance().position))
                continue
            if self._is_call():
                levels.append(_Level(function=self._advance()))
                self._expect("(")
                self.operators += 1
                calls += 1
                if computed:
                    self.depth = max(self.depth, calls)
                continue
            value: Value = self._read_plain(frozenset() if computed else NOT_NAMES)
            while True:  # the levels that end here
                level = levels[-1]
                if level.symbol is not None:
                    value = self._compute(level, value)
                elif computed and level.function is None and (self._peek().is_mark("+") or self._peek().is_mark("-")):
                    self.operators += 1
                    level.left, level.symbol = value, self._advance()
                    break
                if level is whole:
                    return value
                if level.function is not None:
                    level.operands.append(value)
                    if self._take(","):
                        break
                    self._expect(")")
                    value = self._call(level.function, level.operands, computed=computed)
                    calls -= 1
                elif not self._peek().is_mark(")"):
                    raise self._unexpected(self._peek())
                elif computed:
                    self._advance()
                else:
                    self._close(level.opened)
                levels.pop()

    def _compute(self, level: _Level, right: Value) -> Value:
        left, symbol = level.left, level.symbol
        assert left is not None and symbol is not None  # noqa: S101, PT018
        level.symbol = None
        return self.reader.build(
            symbol.text,
            symbol,
            lambda: compute(left, symbol.text, right),
            lambda: Arithmetic(left, symbol.text, right),
        )

    def _call(self, token: Token, operands: list[Value], *, computed: bool) -> Value:
        """Build a function inside an operand; what cannot stand there is unknown."""
        known = FUNCTIONS.get(token.text)
        if not computed and known is not None and known.node is Function:
            self._misplace(token)
            return Unknown(token.text)
        kinds: tuple[type[Call], ...] = (UpdateFunction,) if computed else (Function, OperandFunction)
        call = self._build_call(token, operands, *kinds)
        return call if isinstance(call, (Operand, UpdateValue)) else Unknown(token.text)

    # --- Updates

    def read_update(self) -> list[UpdateAction]:
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
            actions += self._read_list(lambda keyword=keyword: self._read_action(keyword))  # type: ignore[misc]
            if self._peek().kind == END:
                return actions

    def _read_action(self, keyword: str) -> UpdateAction:
        token = self._peek()
        # In a request a keyword begins the next clause; in text for people every word may be a name.
        path = self._read_path(frozenset() if self.reader.literals else frozenset(KEYWORDS))
        if keyword == "REMOVE":
            return UpdateAction("REMOVE", path, None)
        if keyword == "SET":
            self._expect("=")
            value = self._read_nested(computed=True)
            return self.reader.build(
                "SET", token, lambda: set_actions([(path, value)])[0], lambda: UpdateAction("SET", path, value)
            )
        if self._peek().kind != VALUE and not self.reader.literals:  # to the service, ADD a b is a syntax error
            raise self._unexpected(self._peek())
        operand = self._read_plain(frozenset())
        return self.reader.build(
            keyword,
            token,
            lambda: add_actions(keyword, [(path, operand)])[0],
            lambda: UpdateAction(keyword, path, operand),
        )

    # --- Projections

    def read_projection(self) -> Sequence[Path]:
        """Read a ProjectionExpression: paths with commas between them."""
        paths = self._read_list(lambda: self._read_path(frozenset()))
        if self._peek().kind != END:
            raise self._unexpected(self._peek())
        return paths
