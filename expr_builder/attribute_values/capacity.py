"""What reads and writes cost, in capacity units.

See https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
"""

from __future__ import annotations

from expr_builder.limits import READ_UNIT_BYTES, WRITE_UNIT_BYTES


def write_units(size: int, *, transactional: bool = False) -> int:
    """Write units for an item of ``size`` bytes: one for each started KB, two in a transaction."""
    units = max(1, -(-size // WRITE_UNIT_BYTES))
    return 2 * units if transactional else units


def read_units(size: int, *, consistent: bool = True, transactional: bool = False) -> float:
    """Read units for an item of ``size`` bytes: one for each started 4 KB, half of that when eventually consistent, two
    in a transaction. A missing item costs as much as the smallest one."""
    units = max(1, -(-size // READ_UNIT_BYTES))
    if transactional:
        return 2 * units
    return units if consistent else units / 2
