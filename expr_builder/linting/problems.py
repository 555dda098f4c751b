"""What lint finds, the order in which it is reported, and the envelope around some of the service's words."""

from __future__ import annotations

from expr_builder.attribute_values.text import show_text, to_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeAlias, TypeGuard

    Step: TypeAlias = str | int
    """A member's name or a list's index."""

CLIENT, SHAPE, CONSTRAINT, PARAMETERS, VALUES, EXPRESSIONS, TARGET, TOTAL, TABLE, ADVICE = range(10)
"""The steps in which a request is refused, in the order of :mod:`expr_builder.linting`; advice comes after them."""

_CODES = {CLIENT: "ParamValidationError", SHAPE: "SerializationException", ADVICE: "Advice"}
# The service reads each action in one go: its parameters, values and expressions come in the order of the actions.
_RANKS = {VALUES: PARAMETERS, EXPRESSIONS: PARAMETERS}
_STAGES = ("client", "shape", "shape", "shape", "values", "expressions", "table", "table", "table", "advice")


ENVELOPE = "1 validation error detected: "
"""What the service puts before faults of members, and since mid-2026 before some others."""

_SINGLE_WRITES = ("PutItem", "UpdateItem", "DeleteItem")
# Seen in the envelope; empty values, values of several types, and what is too long for a key or an item are bare.
_ENVELOPED_VALUES = frozenset(
    ("null-true", "number-finite", "number-precision", "number-range", "set-duplicate", "set-empty", "value-depth")
)


def _is_enveloped(operation: str, stage: int, rule: str) -> bool:
    """Tell whether the service puts its words for a fault into the envelope."""
    if operation == "Query":
        return rule in ("select-projection", "select-value") and stage == PARAMETERS
    if operation not in _SINGLE_WRITES or rule == "substitution-size":
        return False
    return stage in (PARAMETERS, EXPRESSIONS) or (stage == VALUES and rule in _ENVELOPED_VALUES)


class Problem:
    """One reason why DynamoDB would refuse a request.

    Attributes:
        pointer: Where, as a JSON pointer (RFC 6901) into the request: ``/TransactItems/0/Put/Item``; ``""`` is the
            whole request.
        rule: The stable id of the rule, as in ``docs/rules.md``; the same id that a ``BuildError`` has.
        code: The service's error code, such as ``"ValidationException"``; ``"ParamValidationError"`` for what AWS
            clients refuse before anything is sent, ``"Advice"`` for what nobody refuses.
        message: DynamoDB's own words if they are known. They can contain values of the request.
        stage: Where the service finds it: ``"client"`` (AWS clients refuse it, nothing is sent), ``"shape"`` (JSON
            types, members that are missing or out of bounds, parameters that do not go together), ``"values"`` (the
            AttributeValues), ``"expressions"`` (the expressions and their placeholders) or ``"table"`` (what needs
            the table: keys and indexes, sizes of what is written, several actions on one item);
            ``"advice"`` for what the service takes.
    """

    __slots__ = ("code", "message", "pointer", "rule", "stage")

    def __init__(self, pointer: str, rule: str, code: str, message: str, stage: str) -> None:
        self.pointer = pointer
        self.rule = rule
        self.code = code
        self.message = message
        self.stage = stage

    def to_dict(self) -> dict[str, str]:
        """The problem as a JSON object."""
        return {name: getattr(self, name) for name in ("pointer", "rule", "code", "message", "stage")}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Problem) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash((self.pointer, self.rule, self.code, self.message, self.stage))

    def __repr__(self) -> str:
        return f"Problem({self.pointer!r}, {self.rule!r}, {self.code!r}, {self.message!r}, {self.stage!r})"


class Place:
    """A place in the request where problems can be reported.

    Attributes:
        steps: The names and indexes that lead to it.
    """

    __slots__ = ("_entries", "_found", "_operation", "steps")

    def __init__(
        self,
        found: list[tuple[int, Problem]],
        operation: str = "",
        steps: tuple[Step, ...] = (),
        entries: tuple[int, ...] = (),
    ) -> None:
        self._found = found
        self._operation = operation
        self.steps = steps
        self._entries = entries  # which of the steps are names in a map, and no members

    def at(self, *steps: Step) -> Place:
        """A place further in."""
        return Place(self._found, self._operation, (*self.steps, *steps), self._entries)

    def at_entry(self, name: str) -> Place:
        """The place of an entry of a map: its name is the user's, and keeps its letters."""
        return Place(self._found, self._operation, (*self.steps, name), (*self._entries, len(self.steps)))

    @property
    def is_in_single_write(self) -> bool:
        """Whether the service's words for faults of values and expressions come in the envelope here."""
        return self._operation in _SINGLE_WRITES

    @property
    def pointer(self) -> str:
        """The place as a JSON pointer."""
        # "~" first, or the "~" of "~1" would be escaped again.
        return "".join(f"/{_write_step(step).replace('~', '~0').replace('/', '~1')}" for step in self.steps)

    @property
    def parameter(self) -> str:
        """The place as AWS clients write it: ``TransactItems[0].Put``; ``input`` for the whole request."""
        text = "".join(f"[{step}]" if isinstance(step, int) else f".{_write_step(step)}" for step in self.steps)
        return text.lstrip(".") or "input"

    @property
    def member(self) -> str:
        """The place as the service writes it: ``transactItems.1.member.put``."""
        return self._write_member(lambda name: name[:1].lower() + name[1:])

    @property
    def field(self) -> str:
        """The place as the service writes it where it does not show the value: ``RequestItems.people.member.Keys``."""
        return self._write_member(lambda name: name)

    def _write_member(self, write: Callable[[str], str]) -> str:
        parts = []
        for position, step in enumerate(self.steps):
            if isinstance(step, int):
                parts.append(f"{step + 1}.member")  # the service counts from 1
            elif position in self._entries:
                parts.append(f"{_write_step(step)}.member")
            else:
                parts.append(write(_write_step(step)))
        return ".".join(parts)

    def report(self, stage: int, rule: str, message: str, places: Iterable[Place] = ()) -> None:
        """Report a problem here, or the same at each of several places."""
        code = _CODES.get(stage, "ValidationException")
        if _is_enveloped(self._operation, stage, rule):
            message = f"{ENVELOPE}{message}"
        words = show_text(message)  # once for all places: it can name them all
        for place in places or (self,):
            problem = Problem(show_text(place.pointer), rule, code, words, _STAGES[stage])
            self._found.append((stage, problem))


def _write_step(step: Step) -> str:
    return str(step) if isinstance(step, int) else to_text(step)


def has_lone_surrogate(text: str) -> bool:
    """Tell whether text contains half of a surrogate pair, which UTF-8 cannot hold."""
    if text.isascii():
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def sort_problems(found: list[tuple[int, Problem]]) -> list[Problem]:
    """Put problems into the order in which the service would get to them."""
    # Sorting is stable: within a stage they stay in the order of the request.
    return [problem for _, problem in sorted(found, key=lambda entry: _RANKS.get(entry[0], entry[0]))]


def is_mapping(value: object) -> TypeGuard[dict[str, object]]:
    """Tell whether a value is a JSON object: a dictionary whose names are all strings."""
    return isinstance(value, dict) and all(isinstance(name, str) for name in value)
