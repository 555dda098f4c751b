"""The service's words for operands that do not fit their operator or function.

The checks are those of the builder, which refuses a little more than the service does; what the service takes has no
words here.
"""

from __future__ import annotations

from expr_builder.expressions.nodes import Arithmetic, Between, Function, In, ListAppend, Literal, Node, Path, Size
from expr_builder.expressions.parser import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from expr_builder.errors import BuildError
    from expr_builder.expressions.paths import Segments

_ORDERED = frozenset(("S", "N", "B"))
_SETS = frozenset(("SS", "NS", "BS"))
_ALL = frozenset(("S", "N", "B", "SS", "NS", "BS", "BOOL", "NULL", "L", "M"))
_FITTING = {
    "<": _ORDERED,
    "<=": _ORDERED,
    ">": _ORDERED,
    ">=": _ORDERED,
    "BETWEEN": _ORDERED,
    "begins_with": frozenset(("S", "B")),
    "contains": _ALL - _SETS,
    "size": _ALL - {"N", "BOOL", "NULL"},
    "list_append": frozenset(("L",)),
    "+": frozenset(("N",)),
    "-": frozenset(("N",)),
    "ADD": _SETS | {"N"},
    "DELETE": _SETS,
}
_LONG_NAMES = {"S": "STRING", "N": "NUMBER", "B": "BINARY", "BOOL": "BOOLEAN", "L": "LIST", "M": "MAP"}


def path_words(path: Segments) -> str:
    """A path as the service writes it: ``[a, b, [0]]``."""
    return f"[{', '.join(f'[{step}]' if isinstance(step, int) else step for step in path)}]"


def operand_fault(error: BuildError, symbol: str, node: Any) -> tuple[str, str] | None:
    """Say in the service's words what is wrong with a node.

    Args:
        error: What the builder refused it with.
        symbol: The operator or function.
        node: The node as it was meant.

    Returns:
        The rule and the words, without the name of the expression; ``None`` for what the service takes.
    """
    if not isinstance(node, Node):
        return "path-depth", f"The document path has too many nesting levels; nesting levels: {len(node)}"
    if any(isinstance(operand, Unknown) for operand in node.children()):
        return None  # what makes it unknown has been reported
    words = _WORDS[error.rule](symbol, node)
    return None if words is None else (_RULES.get((error.rule, symbol), error.rule), words)


def _unfit_type(symbol: str, node: Node) -> str | None:
    fitting = _FITTING.get(symbol, _ALL)
    given = [node.argument] if isinstance(node, Function) and symbol == "contains" else node.children()
    kinds = (_type_of(operand) for operand in given)
    kind = next((kind for kind in kinds if kind is not None and kind not in fitting), None)
    if kind is None:
        return None
    where = f"operator or function: {symbol}, operand type: {kind}"
    if symbol in ("ADD", "DELETE"):
        where = f"operator: {symbol}, operand type: {_LONG_NAMES.get(kind, kind)}"
    return f"Incorrect operand type for operator or function; {where}"


def _type_of(operand: Node | None) -> str | None:
    if isinstance(operand, Literal):
        return operand.type
    if isinstance(operand, Size):
        return "N"
    return "L" if isinstance(operand, ListAppend) else None


def _needs_path(symbol: str, node: Node) -> str | None:
    if symbol == "size":  # the service takes values that have a size
        return _unfit_type(symbol, node)
    return f"Operator or function requires a document path; operator or function: {symbol}"


def _not_distinct(symbol: str, node: Node) -> str | None:
    first = next(node.children())
    if not isinstance(first, Path):  # the service compares paths only
        return None
    return (
        "The first operand must be distinct from the remaining operands for this operator or function; "
        f"operator: {symbol}, first operand: {path_words(first.segments)}"
    )


def _between(text: str) -> Callable[[str, Any], str]:
    def words(symbol: str, node: Between) -> str:
        low, high = (_shown(bound) for bound in (node.low, node.high))
        return f"{text}; lower bound operand: {low}, upper bound operand: {high}"

    return words


def _shown(bound: Any) -> str:
    return f"AttributeValue: {{{bound.type}:{bound.content}}}"


def _type_name(symbol: str, node: Function) -> str:
    asked = node.argument
    if isinstance(asked, Literal) and asked.type == "S":
        return (
            f"Invalid attribute type name found; type: {asked.content}, valid types: {{B,NULL,SS,BOOL,L,BS,N,NS,S,M}}"
        )
    kind = asked.type if isinstance(asked, Literal) else "{NS,SS,L,BS,N,M,B,BOOL,NULL,S}"
    return f"Incorrect operand type for operator or function; operator or function: {symbol}, operand type: {kind}"


def _too_many(symbol: str, node: In) -> str:
    return f"The IN operator is provided with too many operands; number of operands: {len(node.choices)}"


def _not_computable(symbol: str, node: Node) -> str | None:
    if any(isinstance(operand, Arithmetic) for operand in node.children()):
        return f'Syntax error; token: "{symbol}"'
    return _unfit_type(symbol, node)


# Where the builder's rule is wider or narrower than the service's.
_RULES = {
    ("condition-operand", "+"): "update-arithmetic",
    ("condition-operand", "-"): "update-arithmetic",
    ("operand-path", "size"): "operand-type",
}

_WORDS: dict[str, Callable[[str, Any], str | None]] = {
    "attribute-type": _type_name,
    "between-order": _between("The BETWEEN operator requires upper bound to be greater than or equal to lower bound"),
    "between-types": _between("The BETWEEN operator requires same data type for lower and upper bounds"),
    "condition-operand": _not_computable,
    "in-choices": _too_many,
    "operand-distinct": _not_distinct,
    "operand-path": _needs_path,
    "operand-type": _unfit_type,
    "update-arithmetic": _not_computable,
    "update-list": _unfit_type,
    "update-operand": _unfit_type,
}
