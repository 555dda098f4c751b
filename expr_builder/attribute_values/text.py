"""Text as DynamoDB stores it: its bytes, whatever subclass of ``str`` carries it."""

from __future__ import annotations

from expr_builder.errors import BuildError


def to_text(value: str) -> str:
    """The text of a string as a plain ``str``: for ``class Field(str, Enum)``, ``Field.EMAIL`` gives ``"email"``.

    ``str(…)`` would ask the subclass, and an enumeration answers ``"Field.EMAIL"``.
    """
    return value if type(value) is str else str.__str__(value)


def show_text(text: str) -> str:
    """The text for a message: as it is, but half a surrogate pair, which cannot be printed, as an escape."""
    return text if text.isascii() else text.encode(errors="backslashreplace").decode()


def measure_text(text: str) -> int:
    """Size of text in bytes of UTF-8."""
    if text.isascii():
        return len(text)
    try:
        return len(text.encode())
    except UnicodeEncodeError:
        raise BuildError(
            "text with half a surrogate pair, which UTF-8 cannot hold",
            rule="text-utf8",
            fix="repair the text where it is read, or store bytes",
        ) from None
