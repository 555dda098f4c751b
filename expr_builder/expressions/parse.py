"""Reads expression text into the tree that the fluent calls build.

>>> parse_condition("status = 'open' AND size(tags) < 5")
Condition(status = <S> AND size(tags) < <N>)

The text is DynamoDB's own grammar, with three liberties, because the tree is rendered with placeholders anyway:

* literals: ``'text'`` (a quote inside is doubled), numbers, ``true``, ``false``, ``null``;
* any name may stand bare when it is a letter or ``_``, then letters, digits and ``_``, reserved or not; only
  ``and``, ``or``, ``not``, ``between``, ``in`` (and, as operands, ``true``, ``false`` and ``null``) are what they are;
* any other name stands in backquotes, a backquote inside doubled: ```na.me` = 'x'`` asks for the attribute ``na.me``.

Keywords may be written in any case, functions in lower case only.
"""

from __future__ import annotations

from collections.abc import Mapping

from expr_builder.attribute_values.text import measure_text, to_text
from expr_builder.errors import BuildError
from expr_builder.limits import MAX_DEPTH

from .key_conditions import find_key_condition_fault
from .operands import make_literal
from .parser import Parser
from .paths import check_name
from .render import refuse_clash
from .tokens import ALIAS
from .updates import join_actions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from .nodes import Condition, Operand, Path
    from .tokens import Token
    from .updates import UpdateAction

    N = TypeVar("N")

_MAX_NESTING = 64  # of parentheses: most code that walks a tree is recursive, and Python's stack has an end


def parse_condition(
    text: str, *, names: Mapping[str, str] | None = None, values: Mapping[str, object] | None = None
) -> Condition:
    """Read a condition, or a filter, from text: DynamoDB's grammar, and literals.

    Args:
        text: Such as ``"email = :old AND attribute_exists(PK)"`` or ``"status = 'open' and size(tags) < 5"``.
        names: What each ``#placeholder`` stands for, as in ExpressionAttributeNames. A dot is part of the name.
        values: What each ``:placeholder`` stands for, as Python values.

    Returns:
        The condition that the fluent calls build: ``(Attr("email") == old) & Attr("PK").exists()``.

    Raises:
        ExpressionSyntaxError: a BuildError that knows the column where the text goes wrong.
        BuildError: for an undefined placeholder, or operands that DynamoDB would refuse.

    See https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.OperatorsAndFunctions.html
    """
    parser = _start(text, names, values)
    condition = parser.read_condition()
    if parser.depth > _MAX_NESTING:
        raise BuildError(
            f"conditions nested {parser.depth} deep, {_MAX_NESTING} are allowed",
            rule="condition-depth",
            fix="a AND (b AND (c)) is a AND b AND c",
        )
    return condition


def parse_key_condition(
    text: str, *, names: Mapping[str, str] | None = None, values: Mapping[str, object] | None = None
) -> Condition:
    """Read the key condition of a query: ``"PK = 'ACCT#1' AND begins_with(SK, 'ORDER#')"``.

    Raises:
        BuildError: as :func:`parse_condition` does; and for anything but ``=`` ``<`` ``<=`` ``>`` ``>=`` ``BETWEEN``
            and ``begins_with`` of top-level attributes, joined with AND.

    See https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Query.KeyConditionExpressions.html
    """
    condition = parse_condition(text, names=names, values=values)
    fault = find_key_condition_fault(condition)
    if fault is not None:
        raise BuildError(
            fault,
            rule="key-condition",
            fix="= for a partition key; = < <= > >= BETWEEN or begins_with for a sort key; joined with AND",
        )
    return condition


def parse_update(
    text: str, *, names: Mapping[str, str] | None = None, values: Mapping[str, object] | None = None
) -> tuple[UpdateAction, ...]:
    """Read an update from text: ``"SET email = :new, version = version + 1 REMOVE pending"``.

    Returns:
        The actions in the order of the text, for ``Table.update(key).apply(…)``.

    Raises:
        BuildError: as :func:`parse_condition` does; and for paths that overlap, or a clause given twice.

    See https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.UpdateExpressions.html
    """
    parser = _start(text, names, values)
    actions = parser.read_update()
    if parser.depth > MAX_DEPTH:
        raise BuildError(
            f"functions nested {parser.depth} deep, {MAX_DEPTH} are allowed",
            rule="condition-depth",
            fix="use several updates",
        )
    return join_actions((), actions)


def parse_projection(text: str, *, names: Mapping[str, str] | None = None) -> tuple[Path, ...]:
    """Read a projection from text: ``"email, address.city, tags[0]"``, for ``Table.get`` or ``Query.project``.

    Raises:
        BuildError: as :func:`parse_condition` does; and for a path that leads through another.

    See https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.ProjectionExpressions.html
    """
    paths = tuple(_start(text, names, None).read_projection())
    refuse_clash(path.segments for path in paths)
    return paths


def _start(text: str, names: Mapping[str, str] | None, values: Mapping[str, object] | None) -> Parser:
    if not isinstance(text, str):
        raise BuildError(f"an expression is text, not a {type(text).__name__}", rule="expression-type")
    text = to_text(text)
    measure_text(text)  # fails for text that no request can hold
    if not text.strip():
        raise BuildError("the expression is empty", rule="expression-empty", fix="leave it out instead")
    return Parser(text, _Bindings(_read_placeholders("names", names), _read_placeholders("values", values)))


def _read_placeholders(where: str, given: Mapping[str, Any] | None) -> dict[str, Any]:
    if given is None:
        return {}
    if not isinstance(given, Mapping) or not all(isinstance(placeholder, str) for placeholder in given):
        what = "with keys that are not text" if isinstance(given, Mapping) else f"as a {type(given).__name__}"
        mark = "#" if where == "names" else ":"
        raise BuildError(
            f"{where} {what}",
            rule="expression-type",
            fix=f'a mapping of placeholders, such as {where}={{"{mark}a": …}}',
        )
    return {to_text(placeholder): meaning for placeholder, meaning in given.items()}


class _Bindings:
    """Resolves placeholders from maps and raises at the first fault."""

    literals = True

    def __init__(self, names: dict[str, Any], values: dict[str, Any]) -> None:
        self._names = names
        self._values = values

    def name(self, token: Token) -> str:
        if token.kind != ALIAS:
            return token.text
        if token.text not in self._names:
            raise self._make_undefined_error(token, "names")
        try:
            return check_name(self._names[token.text])
        except BuildError as error:
            raise error.within(_place(token)) from None

    def value(self, token: Token) -> Operand:
        if token.text not in self._values:
            raise self._make_undefined_error(token, "values")
        return make_literal(self._values[token.text], of=_place(token))

    def build(self, symbol: str, token: Token, make: Callable[[], N], bare: Callable[[], N]) -> N:
        try:
            return make()  # never bare(), which is for lint: it goes on after a fault
        except BuildError as error:
            raise error.within(_place(token)) from None

    def fault(self, rule: str, token: Token, words: str, fix: str = "") -> None:
        if rule != "parentheses":  # rendering writes none that is not needed
            # Where the service ends a sentence with a semicolon, nothing follows here.
            raise BuildError(words.rstrip(";"), rule=rule, place=_place(token), fix=fix)

    def _make_undefined_error(self, token: Token, where: str) -> BuildError:
        return BuildError(
            f"the placeholder {token.text} is not defined",
            rule="placeholder-undefined",
            place=_place(token),
            fix=f'pass {where}={{"{token.text}": …}}',
        )


def _place(token: Token) -> str:
    return f"column {token.column}"
