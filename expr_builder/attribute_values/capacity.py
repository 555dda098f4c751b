"""What reads and writes cost, in capacity units."""

from __future__ import annotations

from expr_builder.limits import READ_UNIT_BYTES, WRITE_UNIT_BYTES


def write_units(size: int, *, transactional: bool = False) -> int:
    """Compute the write units for an item of ``size`` bytes: one for each started KB, twice that in a transaction.

    Example:
        ``write_units(1025)`` is 2, ``write_units(1025, transactional=True)`` is 4.

    See https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
    """
    units = max(1, -(-size // WRITE_UNIT_BYTES))  # rounded up; even a missing item costs one
    return 2 * units if transactional else units


def read_units(size: int, *, consistent: bool = True, transactional: bool = False) -> float:
    """Compute the read units for an item of ``size`` bytes: one for each started 4 KB.

    An eventually consistent read costs half, a transactional one twice as much; a missing item as much as a small one.

    Example:
        ``read_units(100, consistent=False)`` is 0.5.

    See https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
    """
    units = max(1, -(-size // READ_UNIT_BYTES))
    if transactional:
        return 2 * units
    return units if consistent else units / 2
