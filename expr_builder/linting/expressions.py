"""Checks the expressions of one action, and the two maps of placeholders that they share.

See https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.html
"""

from __future__ import annotations

from expr_builder.attribute_values.values import measure_value
from expr_builder.errors import BuildError, ExpressionSyntaxError
from expr_builder.expressions.key_conditions import find_key_condition_fault
from expr_builder.expressions.nodes import Literal
from expr_builder.expressions.operand_parser import Unknown
from expr_builder.expressions.parser import Parser
from expr_builder.expressions.paths import find_first_clash
from expr_builder.expressions.tokens import ALIAS, VALUE, tokenize
from expr_builder.limits import (
    MAX_ATTRIBUTE_NAME_BYTES,
    MAX_EXPRESSION_BYTES,
    MAX_OPERATORS,
    MAX_PLACEHOLDER_BYTES,
    MAX_SUBSTITUTION_BYTES,
)
from expr_builder.reserved import is_reserved

from .problems import EXPRESSIONS, PARAMETERS, SHAPE, has_lone_surrogate, is_mapping
from .shapes import SURROGATE_WORDS, describe_type_fault
from .typed_values import make_placeholder_say, read_value
from .wording import describe_operand_fault, write_path_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from expr_builder.attribute_values.values import AttributeValue
    from expr_builder.expressions.nodes import Condition, Operand
    from expr_builder.expressions.paths import Segments
    from expr_builder.expressions.tokens import Token
    from expr_builder.expressions.updates import UpdateAction

    from .problems import Place

    N = TypeVar("N")

_NAMES, _VALUES = "ExpressionAttributeNames", "ExpressionAttributeValues"

# The service reports one fault for an expression: its syntax, else the first kind listed here, else the first as read.
_CONDITION_RANKS = ("parentheses", "function-name", "function-place", "reserved-word")
_UPDATE_RANKS = ("reserved-word", "function-name", "update-clause", "placeholder-undefined", "update-overlap")


class Expressions:
    """What the expressions of one action say, as far as they can be read.

    Attributes:
        update: The update's actions.
        condition: The condition.
        filter: The filter.
        key_condition: The key condition, if it is sound.
        filter_paths: The paths that the filter uses.
        projection_paths: The paths that the projection names.
    """

    __slots__ = ("condition", "filter", "filter_paths", "key_condition", "projection_paths", "update")

    def __init__(self) -> None:
        self.update: list[UpdateAction] = []
        self.condition: Condition | None = None
        self.filter: Condition | None = None
        self.key_condition: Condition | None = None
        self.filter_paths: list[Segments] = []
        self.projection_paths: list[Segments] = []


def check_parameters(
    body: dict[str, Any], place: Place, expressions: tuple[str, ...], legacy: tuple[str, ...] = ()
) -> None:
    """Check whether the parameters of one action go together. The service does so before it reads any value.

    Args:
        body: The action.
        place: Where it stands.
        expressions: The members that may hold expressions, in the order in which the service reads them.
        legacy: The members that cannot be used beside expressions, in the order in which the service names them.
    """
    given = [name for name in expressions if body.get(name) is not None]
    mixed = [name for name in legacy if body.get(name) is not None]
    if "KeyConditions" in mixed and "KeyConditionExpression" not in given:
        mixed.remove("KeyConditions")  # the one legacy parameter that the service takes beside other expressions
    if given and mixed:
        place.at(mixed[0]).report(PARAMETERS, "legacy-mixed", write_mixture_words(mixed, given))
    if body.get(_NAMES) is not None and not given:
        words = f"{_NAMES} can only be specified when using expressions"
        place.at(_NAMES).report(PARAMETERS, "placeholder-map", words)
    with_values = [name for name in expressions if name != "ProjectionExpression"]  # which holds no values
    if body.get(_VALUES) is not None and with_values and not set(with_values) & set(given):
        verb = "are" if len(with_values) > 1 else "is"
        named = " and ".join(_sort_as_named(with_values))
        words = f"{_VALUES} can only be specified when using expressions: {named} {verb} null"
        place.at(_VALUES).report(PARAMETERS, "placeholder-map", words)


def write_mixture_words(legacy: list[str], expressions: list[str]) -> str:
    """The service's words for legacy parameters beside expressions."""
    return (
        "Can not use both expression and non-expression parameters in the same request: "
        f"Non-expression parameters: {{{', '.join(legacy)}}} "
        f"Expression parameters: {{{', '.join(_sort_as_named(expressions))}}}"
    )


def _sort_as_named(expressions: list[str]) -> list[str]:
    """Sort expressions as the service names them, which is not how it reads them."""
    order = ("UpdateExpression", "ConditionExpression", "ProjectionExpression", "FilterExpression")
    return sorted(expressions, key=lambda name: order.index(name) if name in order else len(order))


def check_expressions(body: dict[str, Any], place: Place, expressions: tuple[str, ...]) -> Expressions:
    """Check the expressions of one action.

    Args:
        body: The action.
        place: Where it stands.
        expressions: The members that may hold expressions, in the order in which the service reads them.
    """
    given = [name for name in expressions if body.get(name) is not None]
    # Of the others the shape says what is wrong.
    readable = [name for name in given if isinstance(body[name], str) and not has_lone_surrogate(body[name])]
    maps = _Maps(body, place)
    read = Expressions()
    for name in readable:
        _check_expression(name, body[name], place.at(name), maps, read)
    # What is used is known only when every expression was read.
    if not maps.unread and len(readable) == len(given):
        maps.check_unused(given)
    if read.key_condition is not None:  # its structure comes last of all
        _check_key_condition(place.at("KeyConditionExpression"), read)
    return read


class _Maps:
    """ExpressionAttributeNames and ExpressionAttributeValues of one action.

    Attributes:
        names: Each sound placeholder for a name.
        values: Each placeholder for a value; ``None`` for a faulty one.
        used: The placeholders that an expression uses.
        broken: Which of the two are not maps.
        unread: Whether an expression could not be read, so that nobody knows what it uses.
    """

    def __init__(self, body: dict[str, Any], place: Place) -> None:
        self._body = body
        self._place = place
        self.names: dict[str, str] = {}
        self.values: dict[str, AttributeValue | None] = {}
        self.used: set[str] = set()
        self.broken: set[str] = set()
        self.unread = False
        for name, element in self._list_entries(_NAMES, "#"):
            self._read_name(name, element)
        for name, element in self._list_entries(_VALUES, ":"):
            self.values[name] = read_value(
                element,
                self._place.at(_VALUES, name),
                make_placeholder_say(_VALUES, name, is_in_single_write=place.is_in_single_write),
            )
        self._check_size()

    def _list_entries(self, member: str, mark: str) -> list[tuple[str, Any]]:
        entries = self._body.get(member)
        place = self._place.at(member)
        if entries is None:
            return []
        if not is_mapping(entries):
            place.report(SHAPE, "member-type", describe_type_fault(entries, "Map"))
            self.broken.add(member)
            return []
        if not entries:
            place.report(EXPRESSIONS, "placeholder-map", f"{member} must not be empty")
        for name in entries:
            if len(name.encode(errors="surrogatepass")) > MAX_PLACEHOLDER_BYTES:
                place.at(name).report(
                    EXPRESSIONS,
                    "placeholder-length",
                    f"{member} contains invalid key: The expression attribute map contains a key that is too long; "
                    f"key: {name[:16]}…",
                )
            elif not _is_placeholder(name, mark):
                place.at(name).report(
                    EXPRESSIONS, "placeholder-syntax", f'{member} contains invalid key: Syntax error; key: "{name}"'
                )
        return list(entries.items())

    def _read_name(self, placeholder: str, name: Any) -> None:
        place = self._place.at(_NAMES, placeholder)
        if not isinstance(name, str):
            place.report(SHAPE, "attribute-name", describe_type_fault(name, "String"))
            name = placeholder  # a stand-in, so that expressions which use it are not faulty as well
        elif has_lone_surrogate(name):
            place.report(SHAPE, "text-utf8", SURROGATE_WORDS)
            name = placeholder
        elif not 0 < len(name.encode()) <= MAX_ATTRIBUTE_NAME_BYTES:
            words = "Attribute name is too large" if name else "Empty attribute name"
            place.report(
                EXPRESSIONS, "attribute-name", f"{_NAMES} contains invalid value: {words} for key {placeholder}"
            )
        self.names[placeholder] = name

    def _check_size(self) -> None:
        size = sum(len(name.encode(errors="surrogatepass")) for name in self.names.values())
        size += sum(measure_value(value) for value in self.values.values() if value is not None)
        if size > MAX_SUBSTITUTION_BYTES:
            self._place.at(_VALUES).report(
                EXPRESSIONS,
                "substitution-size",
                f"Names and values of {size} bytes have exceeded the maximum allowed size of {MAX_SUBSTITUTION_BYTES}",
            )

    def check_unused(self, given: list[str]) -> None:
        """Report unused placeholders: each at its place, all named in one message, as the service does."""
        for member, entries, mark, users in (
            (_NAMES, self.names, "#", given),
            (_VALUES, self.values, ":", [name for name in given if name != "ProjectionExpression"]),
        ):
            unused = [name for name in entries if _is_placeholder(name, mark) and name not in self.used]
            if users and unused:
                words = f"Value provided in {member} unused in expressions: keys: {{{', '.join(unused)}}}"
                places = [self._place.at(member, name) for name in unused]
                self._place.report(EXPRESSIONS, "placeholder-unused", words, places)


def _is_placeholder(name: str, mark: str) -> bool:
    if not name.startswith(mark) or len(name) > MAX_PLACEHOLDER_BYTES:
        return False
    token = tokenize(name, literals=False)[0]
    return token.kind in (ALIAS, VALUE) and token.text == name


def _check_expression(name: str, text: str, place: Place, maps: _Maps, read: Expressions) -> None:
    size = len(text.encode())
    if size > MAX_EXPRESSION_BYTES:  # the service looks at the length before it reads
        maps.unread = True
        words = f"Expression size has exceeded the maximum allowed size; expression size: {size}"
        place.report(EXPRESSIONS, "expression-length", f"Invalid {name}: {words}")
        return
    if not text.strip():
        maps.unread = True
        place.report(EXPRESSIONS, "expression-empty", f"Invalid {name}: The expression can not be empty;")
        return
    reader = _Collector(maps)
    parser = Parser(text, reader)
    try:
        _READERS[name](parser, reader, read)
    except ExpressionSyntaxError as error:
        reader.note("syntax", error.message)
        # Behind the fault nothing was read, but what stands there is not unused.
        maps.used.update(token.text for token in tokenize(text, literals=False))
    if parser.operators > MAX_OPERATORS:
        words = f"The expression contains too many operators; operator count: {parser.operators}"
        reader.note("expression-operators", words)
    ranks = _UPDATE_RANKS if name == "UpdateExpression" else _CONDITION_RANKS
    for rule, words in sorted(reader.faults, key=lambda fault: _rank(fault[0], ranks)):
        place.report(EXPRESSIONS, rule, f"Invalid {name}: {words}")


def _rank(rule: str, ranks: tuple[str, ...]) -> int:
    if rule == "syntax":  # whatever the kind of expression
        return -1
    return ranks.index(rule) if rule in ranks else len(ranks)


def _check_key_condition(place: Place, read: Expressions) -> None:
    assert read.key_condition is not None  # noqa: S101  # it was read without fault
    words = find_key_condition_fault(read.key_condition)
    if words is not None:
        place.report(EXPRESSIONS, "key-condition", words)
        read.key_condition = None  # read_key_tests needs a sound one


# --- One function for each kind of expression


def _read_condition(parser: Parser, reader: _Collector, read: Expressions) -> None:
    read.condition = parser.read_condition()


def _read_filter(parser: Parser, reader: _Collector, read: Expressions) -> None:
    read.filter = parser.read_condition()
    read.filter_paths = parser.paths


def _read_key_condition(parser: Parser, reader: _Collector, read: Expressions) -> None:
    condition = parser.read_condition()
    read.key_condition = None if reader.faults else condition


def _read_update(parser: Parser, reader: _Collector, read: Expressions) -> None:
    read.update = parser.read_update()
    _check_clash([action.path.segments for action in read.update], "update-overlap", reader)


def _read_projection(parser: Parser, reader: _Collector, read: Expressions) -> None:
    read.projection_paths = [path.segments for path in parser.read_projection()]
    _check_clash(read.projection_paths, "projection-overlap", reader)


_READERS: dict[str, Callable[[Parser, _Collector, Expressions], None]] = {
    "ConditionExpression": _read_condition,
    "FilterExpression": _read_filter,
    "KeyConditionExpression": _read_key_condition,
    "ProjectionExpression": _read_projection,
    "UpdateExpression": _read_update,
}


def _check_clash(paths: list[Segments], rule: str, reader: _Collector) -> None:
    clash = find_first_clash(paths)
    if clash is not None:
        one, other, how = clash
        words = (
            f"Two document paths {how} with each other; must remove or rewrite one of these paths; "
            f"path one: {write_path_words(one)}, path two: {write_path_words(other)}"
        )
        reader.note(rule, words)


class _Collector:
    """Resolves placeholders as far as they are defined, and collects all faults of one expression.

    Attributes:
        faults: Each rule that is broken, with the words for it; in the order of the text.
    """

    literals = False

    def __init__(self, maps: _Maps) -> None:
        self._maps = maps
        self._has_path_depth = False
        self.faults: dict[tuple[str, str], None] = {}

    def note(self, rule: str, words: str) -> None:
        """Take note of a fault, once however often it stands there."""
        self.faults.setdefault((rule, words))

    def name(self, token: Token) -> str:
        if token.kind == ALIAS:
            self._maps.used.add(token.text)
            if token.text not in self._maps.names and _NAMES not in self._maps.broken:
                self.note(
                    "placeholder-undefined",
                    "An expression attribute name used in the document path is not defined; "
                    f"attribute name: {token.text}",
                )
            return self._maps.names.get(token.text, token.text)  # an undefined one stands for itself
        if is_reserved(token.text):
            self.note("reserved-word", f"Attribute name is a reserved keyword; reserved keyword: {token.text}")
        return token.text

    def value(self, token: Token) -> Operand:
        self._maps.used.add(token.text)
        if token.text not in self._maps.values and _VALUES not in self._maps.broken:
            self.note(
                "placeholder-undefined",
                f"An expression attribute value used in expression is not defined; attribute value: {token.text}",
            )
        value = self._maps.values.get(token.text)
        return Unknown(token.text) if value is None else Literal(value)

    def build(self, symbol: str, token: Token, make: Callable[[], N], bare: Callable[[], N]) -> N:
        if symbol == "path" and self._has_path_depth:
            return bare()  # one path too deep is reported, and a longer one would be refused at each further step
        try:
            return make()
        except BuildError as error:
            node = bare()  # as it was meant, so that the text behind it is read, too
            fault = describe_operand_fault(error, symbol, node)
            if fault is not None:
                self._has_path_depth = self._has_path_depth or fault[0] == "path-depth"
                self.note(*fault)
            return node

    def fault(self, rule: str, token: Token, words: str, fix: str = "") -> None:
        self.note(rule, words)
