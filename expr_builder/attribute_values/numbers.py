"""Numbers as DynamoDB writes them: text in one canonical form, of at most 38 significant digits.

See https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.NamingRulesDataTypes.html
"""

from __future__ import annotations

from functools import cache

from expr_builder.errors import BuildError
from expr_builder.limits import MAX_NUMBER_DIGITS, MAX_NUMBER_EXPONENT, MIN_NUMBER_EXPONENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from decimal import Decimal

_PLAIN_NUMBER_LENGTH = 48  # longer ones are written with an exponent: 1E+125, not a one and 125 zeros
_SMALL_INT = 10**MAX_NUMBER_DIGITS  # below this, no digits need counting


def to_number(value: int | float | Decimal) -> str:
    """Write a number the way DynamoDB stores it: ``1.50`` as ``1.5``, ``1.5E2`` as ``150``, ``-0`` as ``0``.

    Raises:
        BuildError: for NaN, Infinity, more than 38 significant digits, or a size outside 1E-130 … 9.99E+125.
    """
    if isinstance(value, int):
        if -_SMALL_INT < value < _SMALL_INT:
            return int.__repr__(value)  # not str(): a subclass may have its own, as enumerations do
        if value.bit_length() > 424:  # 10**126 has 419: refuse before making long text of it
            raise _make_range_error()
        text = int.__repr__(abs(value))
        digits = text.rstrip("0")
        return _normalize(value < 0, digits, len(text) - len(digits))
    if isinstance(value, float):
        text = float.__repr__(value)  # the shortest text that is this float; str() may belong to a subclass
        if text.endswith(".0") and value:  # -0.0 goes on: DynamoDB stores 0
            return text[:-2]
        return parse_number(text)
    return parse_number(str(value))


def parse_number(text: str) -> str:
    """Check number text as DynamoDB reads it and return it in canonical form."""
    # Not by Decimal: it is slow to import, and takes what DynamoDB refuses ("NaN", "1_000", digits of other scripts).
    mantissa, _, exponent_text = text.replace("E", "e").partition("e")
    negative = mantissa.startswith("-")
    whole, _, fraction = mantissa.lstrip("+-").partition(".")
    digits = whole + fraction
    signs = mantissa[: len(mantissa) - len(mantissa.lstrip("+-"))]
    exponent_digits = exponent_text[1:] if exponent_text[:1] in ("+", "-") else exponent_text
    has_exponent = "e" in text.replace("E", "e")
    if (
        len(signs) > 1
        or not (digits.isascii() and digits.isdigit())
        or (has_exponent and not (exponent_digits.isascii() and exponent_digits.isdigit()))
    ):
        raise BuildError(
            "not a finite number", rule="number-finite", fix="NaN and Infinity cannot be stored; use a string or None"
        )
    digits = digits.lstrip("0")
    if not digits:
        return "0"  # whatever its sign and exponent
    if len(exponent_digits) > 6:  # refuse before computing with it
        raise _make_range_error()
    significant = digits.rstrip("0")
    # As a whole number: the point, and the zeros that were dropped, move into the exponent.
    exponent = int(exponent_text or 0) - len(fraction) + len(digits) - len(significant)
    return _normalize(negative, significant, exponent)


def read_number(text: str) -> int | Decimal:
    """The number that number text stands for: an ``int`` when it is whole, else an exact ``Decimal``."""
    # Most numbers are whole, and need no Decimal.
    if text.isdigit() or (text[1:].isdigit() and text[0] == "-"):
        return int(text)
    number: Decimal = load_decimal()(text)
    if text[-1] != "0" and "." in text and "E" not in text:
        return number  # no need to compare: with a last digit behind the point it is not whole
    return int(number) if number == number.to_integral_value() else number


def measure_number(text: str) -> int:
    """The size in bytes: one for each two significant digits, one for the number itself, one for a minus sign."""
    if text.isdigit():
        return (len(text.strip("0")) + 1) // 2 + 1
    digits = text.partition("E")[0].strip("-0.")
    return (len(digits) - ("." in digits) + 1) // 2 + (2 if text[0] == "-" else 1)


def _normalize(negative: bool, digits: str, exponent: int) -> str:
    """Write ``digits`` (no zeros at either end) times ten to the power of ``exponent``."""
    if len(digits) > MAX_NUMBER_DIGITS:
        raise BuildError(
            f"a number of {len(digits)} significant digits, {MAX_NUMBER_DIGITS} are allowed",
            rule="number-precision",
            fix="round it, or store it as a string",
        )
    # The exponent of the form 1.23E+4, which is what the limits are about.
    magnitude = exponent + len(digits) - 1
    if not MIN_NUMBER_EXPONENT <= magnitude <= MAX_NUMBER_EXPONENT:
        raise _make_range_error()
    sign = "-" if negative else ""
    if exponent >= 0 and magnitude < _PLAIN_NUMBER_LENGTH:
        return f"{sign}{digits}{'0' * exponent}"
    if exponent < 0 <= magnitude:
        return f"{sign}{digits[:exponent]}.{digits[exponent:]}"
    if exponent < 0 and -exponent < _PLAIN_NUMBER_LENGTH:
        return f"{sign}0.{digits.rjust(-exponent, '0')}"
    fraction = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{fraction}E{magnitude:+d}"


def _make_range_error() -> BuildError:
    return BuildError(
        "a number outside DynamoDB's range, 1E-130 to 9.99E+125 in size",
        rule="number-range",
        fix="store it as a string",
    )


@cache
def load_decimal() -> type[Decimal]:
    """The ``Decimal`` class."""
    # Cached, and imported by the first number that needs it: both the import and finding the module again are slow.
    from decimal import Decimal

    return Decimal
