"""The service's words for operands that do not fit their operator or function.

The checks are those of the builder, which refuses a little more than the service; what the service accepts has no words
here.
"""

from __future__ import annotations

from expr_builder.attribute_values.values import ORDERED_TYPES, TYPES
from expr_builder.expressions.functions import FUNCTIONS
from expr_builder.expressions.nodes import Arithmetic, Call, Literal, Node, Path, list_children
from expr_builder.expressions.operand_parser import Unknown
from expr_builder.expressions.updates import OPERAND_TYPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from expr_builder.errors import BuildError
    from expr_builder.expressions.nodes import Between, Function, In
    from expr_builder.expressions.paths import Segments

# The types that fit each operator; what fits a function is in the table of functions.
_FITTING = {
    **dict.fromkeys(("<", "<=", ">", ">=", "BETWEEN"), ORDERED_TYPES),
    **dict.fromkeys(("+", "-"), ("N",)),
    **OPERAND_TYPES,
}
_LONG_NAMES = {"S": "STRING", "N": "NUMBER", "B": "BINARY", "BOOL": "BOOLEAN", "L": "LIST", "M": "MAP"}


def write_path_words(path: Segments) -> str:
    """A path as the service writes it: ``[a, b, [0]]``."""
    return f"[{', '.join(f'[{step}]' if isinstance(step, int) else step for step in path)}]"


def describe_operand_fault(error: BuildError, symbol: str, node: Any) -> tuple[str, str] | None:
    """Say in the service's words what is wrong with a node.

    Args:
        error: What the builder refused it with.
        symbol: The operator or function.
        node: The node as it was meant.

    Returns:
        The rule and the words, without the name of the expression; ``None`` for what the service takes.
    """
    if not isinstance(node, Node):  # the segments of a path, which are refused for one reason only
        return "path-depth", f"The document path has too many nesting levels; nesting levels: {len(node)}"
    if any(isinstance(operand, Unknown) for operand in list_children(node)):
        return None  # what makes it unknown has been reported
    words = _WORDS[error.rule](symbol, node)
    if words is None:
        return None
    if error.rule == "operand-path" and _takes_values(symbol):  # then the words are about the type
        return "operand-type", words
    return _RULES.get((error.rule, symbol), error.rule), words


def _describe_unfit_type(symbol: str, node: Node) -> str | None:
    kind = next(_find_unfit_types(symbol, node), None)
    if kind is None:
        return None
    where = f"operator or function: {symbol}, operand type: {kind}"
    if symbol in OPERAND_TYPES:
        where = f"operator: {symbol}, operand type: {_LONG_NAMES.get(kind, kind)}"  # ADD and DELETE spell types out
    return f"Incorrect operand type for operator or function; {where}"


def _find_unfit_types(symbol: str, node: Node) -> Iterator[str]:
    known = FUNCTIONS.get(symbol)
    for position, operand in enumerate(list_children(node)):
        fitting = known.parameters[position].types if known is not None else _FITTING.get(symbol, TYPES)
        kind = operand.type if isinstance(operand, Literal) else operand.gives if isinstance(operand, Call) else ""
        if kind and kind not in fitting:  # of a path nothing is known before there is an item
            yield kind


def _describe_needed_path(symbol: str, node: Node) -> str | None:
    if _takes_values(symbol):
        return _describe_unfit_type(symbol, node)
    return f"Operator or function requires a document path; operator or function: {symbol}"


def _takes_values(symbol: str) -> bool:
    """Tell whether the service accepts a value where the builder wants a path, as for ``size``."""
    return bool(FUNCTIONS[symbol].parameters[0].types)


def _describe_repetition(symbol: str, node: Node) -> str | None:
    first = next(list_children(node))
    if not isinstance(first, Path):  # the service compares paths only
        return None
    return (
        "The first operand must be distinct from the remaining operands for this operator or function; "
        f"operator: {symbol}, first operand: {write_path_words(first.segments)}"
    )


def _make_between_words(text: str) -> Callable[[str, Any], str]:
    def words(symbol: str, node: Between) -> str:
        low, high = (_show(bound) for bound in (node.low, node.high))
        return f"{text}; lower bound operand: {low}, upper bound operand: {high}"

    return words


def _show(bound: Any) -> str:
    return f"AttributeValue: {{{bound.type}:{bound.content}}}"


def _describe_type_name(symbol: str, node: Function) -> str:
    asked = node.operands[1]
    if isinstance(asked, Literal) and asked.type == "S":
        return (
            f"Invalid attribute type name found; type: {asked.content}, valid types: {{B,NULL,SS,BOOL,L,BS,N,NS,S,M}}"
        )
    # Not sorted: both lists stand in the order in which the service writes them.
    kind = asked.type if isinstance(asked, Literal) else "{NS,SS,L,BS,N,M,B,BOOL,NULL,S}"
    return f"Incorrect operand type for operator or function; operator or function: {symbol}, operand type: {kind}"


def _describe_excess(symbol: str, node: In) -> str:
    return f"The IN operator is provided with too many operands; number of operands: {len(node.choices)}"


def _describe_uncomputable(symbol: str, node: Node) -> str | None:
    if any(isinstance(operand, Arithmetic) for operand in list_children(node)):
        return f'Syntax error; token: "{symbol}"'  # the service's grammar has no a + b + c
    return _describe_unfit_type(symbol, node)


# Where lint reports another rule than the one with which the builder refuses the operands.
_RULES = {
    ("condition-operand", "+"): "update-arithmetic",
    ("condition-operand", "-"): "update-arithmetic",
}

_WORDS: dict[str, Callable[[str, Any], str | None]] = {
    "attribute-type": _describe_type_name,
    "between-order": _make_between_words(
        "The BETWEEN operator requires upper bound to be greater than or equal to lower bound"
    ),
    "between-types": _make_between_words("The BETWEEN operator requires same data type for lower and upper bounds"),
    "condition-operand": _describe_uncomputable,
    "in-choices": _describe_excess,
    "operand-distinct": _describe_repetition,
    "operand-path": _describe_needed_path,
    "operand-type": _describe_unfit_type,
    "update-arithmetic": _describe_uncomputable,
    "update-list": _describe_unfit_type,
    "update-operand": _describe_unfit_type,
}
