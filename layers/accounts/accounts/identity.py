"""Decides when two e-mail addresses, or two usernames, are the same.

Each has two forms. What the person typed (an address without surrounding space) is shown, and mail goes to it. The
*key* is what must be unique, and part of a marker's key. No other module normalises.

The rules have a version, :data:`NORM`, which is stored with each account so that they can change later.
"""

from __future__ import annotations

import re
from functools import lru_cache

from email_validator import EmailNotValidError, validate_email

NORM = 1
EMAIL_MAX = 254  # RFC 5321, section 4.5.3.1.3: a path of 256 with its two angle brackets
USERNAME_MIN, USERNAME_MAX = 3, 32

# ASCII only, on purpose: in Unicode, lower-casing joins names that look different (the Kelvin sign becomes "k").
USERNAME_PATTERN = "[A-Za-z0-9]+(?:[-_.][A-Za-z0-9]+)*"
_USERNAME = re.compile(USERNAME_PATTERN)


class InvalidIdentity(ValueError):
    """A value that cannot be an e-mail address or a username. The message never contains the value.

    Attributes:
        code: ``"invalid_email"`` or ``"invalid_username"``.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def check_email(value: object) -> str:
    """Check an address and return it as typed, without surrounding space.

    Raises:
        InvalidIdentity: when it is not one address that the service can keep.
    """
    typed = _strip(value)
    _parse_email(typed)
    return typed


def normalize_email(value: object) -> str:
    """Return what makes the address unique: local part in lower case, domain as lower-case ASCII.

    Plus tags and dots are kept: providers differ in whether they ignore them. The key of a key is the key itself.

    Raises:
        InvalidIdentity: when it is not one address that the service can keep.
    """
    local, domain = _parse_email(_strip(value))
    return f"{local.lower()}@{domain.lower()}"


def check_username(value: object) -> str:
    """Check a username and return it as typed.

    Raises:
        InvalidIdentity: when it is not a username.
    """
    if not isinstance(value, str) or not USERNAME_MIN <= len(value) <= USERNAME_MAX or not _USERNAME.fullmatch(value):
        raise InvalidIdentity(
            "invalid_username",
            f"must be {USERNAME_MIN} to {USERNAME_MAX} characters: letters a to z and digits, "
            "with single '-', '_' or '.' between them",
        )
    return value


def normalize_username(value: object) -> str:
    """Return what makes the username unique: the name in lower case. The key of a key is the key itself.

    Raises:
        InvalidIdentity: when it is not a username.
    """
    return check_username(value).lower()


def _strip(value: object) -> str:
    return value.strip(" \t\r\n") if isinstance(value, str) else ""


@lru_cache(maxsize=4)  # one request asks twice: is it an address, and what is its key
def _parse_email(typed: str) -> tuple[str, str]:
    """Return local part and ASCII domain. The length is checked first, so that nothing long reaches the parser."""
    if 0 < len(typed) <= EMAIL_MAX:
        try:
            found = validate_email(typed, check_deliverability=False, allow_smtputf8=False, strict=True)
        except EmailNotValidError:
            pass  # not re-raised: its message quotes what was typed
        else:
            # The ASCII form, as one domain can be written in Unicode too; without SMTPUTF8 there always is one.
            return found.local_part, found.ascii_domain
    raise InvalidIdentity(
        "invalid_email",
        f"must be one e-mail address of at most {EMAIL_MAX} characters, with only ASCII before the @, "
        "such as name@example.com",
    )
