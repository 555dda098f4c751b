"""DynamoDB's expression grammar: turns tokens into the tree.

One parser by recursive descent (conditions without recursion, so that no nesting is too deep for it) serves two
readers: that of :mod:`.parse` raises at the first fault, that of :mod:`.linting` notes it and lets the parser go on.

See https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.OperatorsAndFunctions.html and
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.UpdateExpressions.html
"""

from __future__ import annotations

from expr_builder.limits import MAX_DEPTH

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

    from .nodes import Path, Value
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


class Parser(OperandParser):
    """Reads one text, with a public method for each kind of expression.

    Attributes:
        depth: How deep conditions were nested in each other.
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
        right = self._read_wrapped()
        return self.reader.build(
            symbol.text,
            symbol,
            lambda: compare(left, symbol.text, right),
            lambda: Comparison(left, symbol.text, right),
        )

    def _read_between(self, subject: Operand, symbol: Token) -> Condition:
        self.operators += 1
        low = self._read_wrapped()
        if not self._take_word("AND"):
            raise self._unexpected(self._peek())
        high = self._read_wrapped()
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

    def _read_wrapped(self) -> Operand:
        """Read an operand, which may stand in parentheses."""
        opened = []
        while self._peek().is_mark("("):
            opened.append(self._advance().position)
        operand = self._read_operand()
        for position in reversed(opened):
            if not self._peek().is_mark(")"):
                raise self._unexpected(self._peek())
            self._close(position)
        return operand

    def _read_operand(self) -> Operand:
        if not self._is_call():
            return self._read_plain(NOT_NAMES)
        misplaced = self._find_kind(self._peek()) is Function
        token = self._advance()
        self.operators += 1
        operands = self._read_operands()
        if misplaced:
            self._misplace(token)
            return Unknown(token.text)
        call = self._build_call(token, operands, Function, OperandFunction)
        return call if isinstance(call, Operand) else Unknown(token.text)

    def _read_operands(self) -> list[Operand]:
        """Read operands in parentheses."""
        self._expect("(")
        operands = self._read_list(self._read_wrapped)
        self._expect(")")
        return operands

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
            value = self._read_set_value(0)
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

    def _read_set_value(self, depth: int) -> Value:
        left = self._read_set_operand(depth)
        symbol = self._peek()
        if not (symbol.is_mark("+") or symbol.is_mark("-")):
            return left
        self._advance()
        self.operators += 1
        right = self._read_set_operand(depth)
        return self.reader.build(
            symbol.text,
            symbol,
            lambda: compute(left, symbol.text, right),
            lambda: Arithmetic(left, symbol.text, right),
        )

    def _read_set_operand(self, depth: int) -> Value:
        if depth > MAX_DEPTH:  # operands of SET are read by recursion
            raise self._unexpected(self._peek(), fix=f"nest no deeper than {MAX_DEPTH} functions or parentheses")
        if self._take("("):
            value = self._read_set_value(depth + 1)
            self._expect(")")
            return value
        if not self._is_call():
            return self._read_plain(frozenset())
        token = self._advance()
        self.operators += 1
        self._expect("(")
        operands = self._read_list(lambda: self._read_set_operand(depth + 1))
        self._expect(")")
        call = self._build_call(token, operands, UpdateFunction)
        return call if isinstance(call, UpdateValue) else Unknown(token.text)

    # --- Projections

    def read_projection(self) -> Sequence[Path]:
        """Read a ProjectionExpression: paths with commas between them."""
        paths = self._read_list(lambda: self._read_path(frozenset()))
        if self._peek().kind != END:
            raise self._unexpected(self._peek())
        return paths
