"""Plan: what a backfill would do, and who shares a value by the rule, before anything is written. Reads only."""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from .census import Census, take_census
from .policies import KeepFirst
from .scan import ScanOptions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mypy_boto3_dynamodb import DynamoDBClient

    from .census import Group
    from .findings import Finding
    from .layout import Layout
    from .policies import Policy

_HAND_OVER = 6  # write units: a check of each of the two records, and the marker; those over 1 KB cost more
_DECIDING = 8  # requests to hand a marker over: it is looked at twice, each time by up to three reads


@dataclass(frozen=True, slots=True)
class Plan:
    """What a backfill would do.

    Attributes:
        tally: How many ``records``, ``markers`` and ``others`` were read.
        added: Markers that would be added.
        written: Records that would get some: one transaction each.
        groups: Values that several records have.
        shared: Records that have them, one counted for each such value.
        undecided: Groups in which a person must decide.
        handed: Markers that would be given to another of the records that share their value.
        invalid: Values that can have no marker.
        requests: Calls that the backfill sends, about: pages of its scan, look-ups of markers, transactions.
        write_units: The write units of its transactions.
        read_units: The read units of its scan and look-ups, at most.
    """

    tally: Counter[str]
    added: int
    written: int
    groups: int
    shared: int
    undecided: int
    handed: int
    invalid: int
    requests: int
    write_units: float
    read_units: float
    _census: Census = field(repr=False)

    def list_groups(self, most: int | None = None) -> Iterator[Group]:
        """The values that several records have, at most so many; only while the plan is open."""
        return islice(self._census.list_groups(), most)

    def list_invalid(self, most: int | None = None) -> Iterator[Finding]:
        """The records whose value can have no marker, at most so many; only while the plan is open."""
        return islice(self._census.list_invalid(), most)

    def estimate_cost(self, *, write_price: float, read_price: float) -> float:
        """What a backfill costs on demand, given the prices of a million write and read units."""
        return (self.write_units * write_price + self.read_units * read_price) / 1_000_000

    def to_json(self) -> dict[str, object]:
        """The sums, as JSON data."""
        counted = {**dict.fromkeys(("records", "markers", "others"), 0), **self.tally}
        names = ("added", "written", "groups", "shared", "undecided", "handed", "invalid", "requests")
        units = {"write_units": self.write_units, "read_units": self.read_units}
        return {**counted, **{name: getattr(self, name) for name in names}, **units}


@contextmanager
def plan(
    layout: Layout, client: DynamoDBClient, options: ScanOptions | None = None, *, keep: Policy | None = None
) -> Iterator[Plan]:
    """Find out what a backfill would do. It reads the table once, and writes nothing.

    Memory does not grow with the table: what is seen goes into a temporary file without a name, which is gone when the
    block ends.

    Args:
        layout, client: See :func:`audit`.
        options: How to scan. A plan has no checkpoint: half of a table says nothing about shared values.
        keep: Who keeps a value that several records have; the first of them when left out, as a backfill does.

    Returns:
        A context manager that gives the :class:`Plan`.

    Raises:
        RequestError: when DynamoDB gave no final answer.

    Example:
        ``with plan(layout, make_scan_client(4), keep=KeepExtreme("created_at")) as found: print(found.to_json())``
    """
    with take_census(layout, client, options or ScanOptions(), keep or KeepFirst()) as census:
        yield _sum_up(census)


def _sum_up(census: Census) -> Plan:
    counted: Counter[str] = Counter()
    for group in census.list_groups():
        counted["groups"] += 1
        counted["shared"] += len(group.owners)
        if group.keep is None:
            counted["undecided"] += 1
        elif not group.is_held:
            census.note_addition(group)
        elif group.keep != group.holder and group.holder in group.owners:
            counted["handed"] += 1
        elif group.holder not in group.owners:  # a marker of nobody's: a repair's, not a backfill's
            counted["undecided"] += 1
    added, written, units = census.sum_additions()
    handed = counted["handed"]
    units += handed * _HAND_OVER
    return Plan(
        tally=census.tally,
        added=added,
        written=written,
        groups=counted["groups"],
        shared=counted["shared"],
        undecided=counted["undecided"],
        handed=handed,
        invalid=sum(1 for _ in census.list_invalid()),
        requests=census.reads + written + handed * _DECIDING,
        write_units=units,
        read_units=census.read_units,
        _census=census,
    )
