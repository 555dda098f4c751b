"""What lint finds, and the order in which it is reported."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias, TypeGuard

    Step: TypeAlias = str | int
    """A member's name or a list's index."""

CLIENT, SHAPE, CONSTRAINT, PARAMETERS, VALUES, EXPRESSIONS, TARGET, TOTAL, TABLE, ADVICE = range(10)
"""The steps in which a request is refused, in the order of :mod:`expr_builder.linting`; advice comes after them."""

_CODES = {CLIENT: "ParamValidationError", SHAPE: "SerializationException", ADVICE: "Advice"}
# The service reads each action in one go: its parameters, values and expressions come in the order of the actions.
_RANKS = {VALUES: PARAMETERS, EXPRESSIONS: PARAMETERS}
_STAGES = ("client", "shape", "shape", "shape", "values", "expressions", "table", "table", "table", "advice")


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

    __slots__ = ("_found", "steps")

    def __init__(self, found: list[tuple[int, Problem]], steps: tuple[Step, ...] = ()) -> None:
        self._found = found
        self.steps = steps

    def at(self, *steps: Step) -> Place:
        """A place further in."""
        return Place(self._found, (*self.steps, *steps))

    @property
    def pointer(self) -> str:
        """The place as a JSON pointer."""
        # "~" first, or the "~" of "~1" would be escaped again.
        return "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in self.steps)

    @property
    def parameter(self) -> str:
        """The place as AWS clients write it: ``TransactItems[0].Put``; ``input`` for the whole request."""
        text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in self.steps)
        return text.lstrip(".") or "input"

    @property
    def member(self) -> str:
        """The place as the service writes it: ``transactItems.1.member.put``."""
        # The service counts from 1, and its names begin with a small letter.
        steps = (f"{step + 1}.member" if isinstance(step, int) else step[:1].lower() + step[1:] for step in self.steps)
        return ".".join(steps)

    def report(self, stage: int, rule: str, message: str) -> None:
        """Report a problem here."""
        code = _CODES.get(stage, "ValidationException")
        self._found.append((stage, Problem(self.pointer, rule, code, message, _STAGES[stage])))


def sort_problems(found: list[tuple[int, Problem]]) -> list[Problem]:
    """Put problems into the order in which the service would get to them."""
    # Sorting is stable: within a stage they stay in the order of the request.
    return [problem for _, problem in sorted(found, key=lambda entry: _RANKS.get(entry[0], entry[0]))]


def is_mapping(value: object) -> TypeGuard[dict[str, object]]:
    """Tell whether a value is a JSON object: a dictionary whose names are all strings."""
    return isinstance(value, dict) and all(isinstance(name, str) for name in value)
