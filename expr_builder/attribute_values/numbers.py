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
_SURELY_EXACT = MAX_NUMBER_DIGITS  # text of no more characters has no more digits


def to_number(value: int | float | Decimal) -> str:
    """Write a number the way DynamoDB stores it: ``1.50`` as ``1.5``, ``1.5E2`` as ``150``, ``-0`` as ``0``.

    Raises:
        BuildError: for NaN, Infinity, more than 38 significant digits, or a size outside 1E-130 … 9.99E+125.
    """
    number = to_plain_number(value)
    if type(number) is int:
        if -_SMALL_INT < number < _SMALL_INT:
            return str(number)
        if number.bit_length() > 424:  # 10**126 has 419: refuse before making long text of it
            raise _make_range_error()
        text = str(abs(number))
        digits = text.rstrip("0")
        return _normalize(number < 0, digits, len(text) - len(digits))
    text = str(number)  # of a float, the shortest text that is this float
    if type(number) is float and text.endswith(".0") and number:  # -0.0 goes on: DynamoDB stores 0
        return text[:-2]
    return parse_number(text)


def to_plain_number(value: int | float | Decimal) -> int | float | Decimal:
    """The number as an ``int``, ``float`` or ``Decimal`` itself.

    A subclass may write itself, convert itself and compare as it likes. What is stored is the number.
    """
    if isinstance(value, int):
        return int.__int__(value)
    if isinstance(value, float):
        return float.__float__(value)
    if is_decimal(type(value)):
        return load_decimal()(value)
    raise BuildError(f"a {type(value).__name__} is not a number", rule="value-type", fix="an int, a float or a Decimal")


def is_decimal(kind: type) -> bool:
    """Tell whether a type is ``Decimal`` or a subclass of it."""
    # By name, so that the decimal module is loaded only by programs that use it.
    return any(base.__module__ == "decimal" and base.__name__ == "Decimal" for base in kind.__mro__)


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
        if text.lstrip("+-").lower() in ("nan", "inf", "infinity"):
            raise BuildError(
                "not a finite number",
                rule="number-finite",
                fix="NaN and Infinity cannot be stored; use a string or None",
            )
        raise BuildError(
            "not a number as DynamoDB writes it", rule="number-finite", fix='digits alone, such as "1.5", "-7" or "1e3"'
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
    """The number that number text stands for: an ``int`` when it is whole, else an exact ``Decimal``.

    Raises:
        BuildError: for text that is no number to DynamoDB.
    """
    if text.isascii() and len(text) <= _SURELY_EXACT:
        whole, point, fraction = text.partition(".")
        if whole.isdigit() or (whole[1:].isdigit() and whole[0] == "-"):
            # Most numbers are whole, and need no Decimal.
            if not point:
                return int(text)
            if fraction.isdigit() and fraction[-1] != "0":
                return load_decimal()(text)
    text = parse_number(text)
    if "E+" in text:
        return int(load_decimal()(text))
    return load_decimal()(text) if "E-" in text or "." in text else int(text)


def measure_number(text: str) -> int:
    """The size in bytes of a number in canonical form.

    One for the number itself, one for each two significant digits before the point, one for each two behind it, and
    one for a minus sign.
    """
    if text.isdigit():
        return (len(text.strip("0")) + 1) // 2 + 1
    mantissa, _, exponent = text.partition("E")
    whole, _, fraction = mantissa.lstrip("-").partition(".")
    if exponent:  # so large, or so small, that all digits are on one side of the point
        whole, fraction = whole + fraction, ""
    fraction = fraction.rstrip("0")
    whole = whole.lstrip("0")
    if not fraction:
        whole = whole.rstrip("0")
    elif not whole:
        fraction = fraction.lstrip("0")
    return (len(whole) + 1) // 2 + (len(fraction) + 1) // 2 + (2 if text[0] == "-" else 1)


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
