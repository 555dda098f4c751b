"""What lint finds, and the order in which it tells it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias, TypeGuard

    Step: TypeAlias = str | int
    """A member's name or a list's index."""

CLIENT, SHAPE, CONSTRAINT, ACTION, TARGET, TOTAL, TABLE = range(7)
"""The stages in which a request is refused, first to last: by the client that would send it; because a member is not of
its JSON type; because a member is missing or out of its bounds; because an action's values or expressions are faulty;
because two actions are on one item; because all together are too large; because of the table's keys."""

_CODES = {CLIENT: "ParamValidationError", SHAPE: "SerializationException"}


class Problem:
    """One reason why DynamoDB would refuse a request.

    Attributes:
        pointer: Where, as a JSON pointer (RFC 6901) into the request: ``/TransactItems/0/Put/Item``; ``""`` is the
            whole request.
        rule: The stable id of the rule, as in ``docs/rules.md``; the same id that a ``BuildError`` has.
        code: The service's error code, such as ``"ValidationException"``; ``"ParamValidationError"`` for what AWS
            clients refuse before anything is sent.
        message: DynamoDB's own words where they are known. They can contain values of the request.
    """

    __slots__ = ("code", "message", "pointer", "rule")

    def __init__(self, pointer: str, rule: str, code: str, message: str) -> None:
        self.pointer = pointer
        self.rule = rule
        self.code = code
        self.message = message

    def to_dict(self) -> dict[str, str]:
        """The problem as a JSON object."""
        return {"pointer": self.pointer, "rule": self.rule, "code": self.code, "message": self.message}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Problem) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash((self.pointer, self.rule, self.code, self.message))

    def __repr__(self) -> str:
        return f"Problem({self.pointer!r}, {self.rule!r}, {self.code!r}, {self.message!r})"


class Place:
    """A place in the request, at which problems can be reported.

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
        return "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in self.steps)

    @property
    def parameter(self) -> str:
        """The place as AWS clients write it: ``TransactItems[0].Put``; ``input`` for the whole request."""
        text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in self.steps)
        return text.lstrip(".") or "input"

    @property
    def member(self) -> str:
        """The place as the service writes it: ``transactItems.1.member.put``."""
        steps = (f"{step + 1}.member" if isinstance(step, int) else step[:1].lower() + step[1:] for step in self.steps)
        return ".".join(steps)

    def report(self, stage: int, rule: str, message: str) -> None:
        """Report a problem here."""
        code = _CODES.get(stage, "ValidationException")
        self._found.append((stage, Problem(self.pointer, rule, code, message)))


def sort_problems(found: list[tuple[int, Problem]]) -> list[Problem]:
    """Put problems into the order in which the service would get to them."""
    # Within a stage they stay as they were found, which is the order of the request.
    return [problem for _, problem in sorted(found, key=lambda entry: entry[0])]


def is_mapping(value: object) -> TypeGuard[dict[str, object]]:
    """Tell whether a JSON value is an object; one whose names are not all strings is none."""
    return isinstance(value, dict) and all(isinstance(name, str) for name in value)
