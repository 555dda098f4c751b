"""Who keeps a value that several records have: rules by which nobody has to look at each of them.

A policy decides, or leaves a group undecided: for a person.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from dataclasses import field as hidden
from decimal import Decimal
from typing import TYPE_CHECKING, TypeAlias

from expr_builder.attribute_values.json_form import make_typed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True, slots=True)
class Candidate:
    """A record that has a shared value.

    Attributes:
        owner: The owner key that its markers name, as AttributeValue JSON text, by which it is told from others.
        rank: What the policy compares; ``None`` when the record has nothing of the kind.
    """

    # Keys hold people's data, and reprs end up in logs.
    owner: str = hidden(repr=False)
    rank: str | int | Decimal | None = hidden(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class KeepFirst:
    """The one whose marker it is already, or else the one that the scan met first."""

    def choose(self, field: str, marker: str, candidates: Sequence[Candidate], holder: str | None) -> str | None:
        """The owner that keeps the value."""
        owners = [candidate.owner for candidate in candidates]
        return holder if holder in owners else owners[0]


@dataclass(frozen=True, slots=True)
class KeepExtreme:
    """The one with the smallest, or the greatest, value of an attribute, such as the oldest by ``created_at``.

    A record without the attribute does not win. Where two share the extreme, or some have text and others numbers,
    nobody does.

    Attributes:
        attribute: Its name.
        newest: Whether the greatest wins.
    """

    attribute: str
    newest: bool = False

    def choose(self, field: str, marker: str, candidates: Sequence[Candidate], holder: str | None) -> str | None:
        """The owner that keeps the value; ``None`` when that cannot be told."""
        ranked = [candidate for candidate in candidates if candidate.rank is not None]
        if len({isinstance(candidate.rank, str) for candidate in ranked}) != 1:
            return None
        ranks = [candidate.rank for candidate in ranked]
        best = max(ranks) if self.newest else min(ranks)  # type: ignore[type-var]  # of one type, as just seen
        winners = [candidate.owner for candidate in ranked if candidate.rank == best]
        return winners[0] if len(winners) == 1 else None


@dataclass(frozen=True, slots=True)
class KeepChosen:
    """The one that a person chose.

    Attributes:
        chosen: For each field and marker the owner, as AttributeValue JSON text.
    """

    chosen: Mapping[tuple[str, str], str] = hidden(repr=False)

    def choose(self, field: str, marker: str, candidates: Sequence[Candidate], holder: str | None) -> str | None:
        """The owner that keeps the value; ``None`` when nobody was chosen, or one that does not have the value."""
        owner = self.chosen.get((field, marker))
        return owner if any(candidate.owner == owner for candidate in candidates) else None


Policy: TypeAlias = KeepFirst | KeepExtreme | KeepChosen


def write_owner(owner: object) -> str:
    """An owner key as AttributeValue JSON text, by which owners of all types are compared: 1 is not ``"1"``."""
    return json.dumps(make_typed(owner), sort_keys=True)


def read_rank(value: object) -> str | int | Decimal | None:
    """What of an attribute's value can be compared: text that is not empty, or a number."""
    if isinstance(value, bool) or not isinstance(value, str | int | Decimal) or value == "":
        return None
    return value
