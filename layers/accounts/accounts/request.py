"""Reads an API Gateway event: the caller, headers, preconditions, the body.

Whatever a client can get wrong is refused here, as a :class:`BadRequest` that names the place and the fix.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from pydantic import BaseModel, ValidationError

from accounts.model import FieldError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    type Event = Mapping[str, Any]
    """A REST API proxy event (payload version 1.0)."""

BODY_MAX = 8 * 1024
_FIELD_MAX = 64
_ERRORS_MAX = 20  # a body of 8 KB has room for a thousand unknown fields
KEY_PATTERN = "[!-~]{1,255}"  # visible ASCII
ACCOUNT_ID_PATTERN = "[A-Za-z0-9-]{1,64}"
_KEY = re.compile(KEY_PATTERN)
_ACCOUNT_ID = re.compile(ACCOUNT_ID_PATTERN)
# An entity tag as RFC 9110, section 8.8.3, writes it; of its own tags the service makes one shape only.
_TAG = r'(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"'
_TAGS = re.compile(rf"{_TAG}(?:[ \t]*,[ \t]*{_TAG})*")
_VERSION_TAG = re.compile(r'(W/)?"([1-9][0-9]{0,17})"')

Model = TypeVar("Model", bound=BaseModel)


class BadRequest(Exception):
    """A request that cannot be carried out as it is.

    Attributes:
        status: 400, or a more precise 4xx.
        detail: What is wrong, without any value.
        errors: The same per field or header, when there is one.
    """

    def __init__(self, status: int, detail: str, *errors: FieldError) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.errors = list(errors)


class Request:
    """A REST API proxy event, read on demand.

    Args:
        event: The event as API Gateway sends it.
        time_left: The seconds that may still be spent on retries.
    """

    def __init__(self, event: Event, time_left: Callable[[], float]) -> None:
        self._event = event
        # Null where the route has no parameters. An event that lacks the member is not API Gateway's.
        self._path: Mapping[str, str] = event["pathParameters"] or {}
        self._headers = _collect_headers(event)
        self.time_left = time_left

    @property
    def subject(self) -> str:
        """The caller, as the authorizer found it; without an authorizer, 401."""
        authorizer = (self._event.get("requestContext") or {}).get("authorizer") or {}
        subject = authorizer.get("sub") or authorizer.get("principalId")
        if not isinstance(subject, str) or not subject:
            raise BadRequest(401, "Send a valid bearer token in the Authorization header.")
        return subject

    @property
    def account_id(self) -> str:
        """The path's account id. Text that cannot be an id is a 404 without asking the store."""
        account_id = self._path.get("account_id")
        if account_id is None:  # the template has wired the function to a route that names no account
            raise BadRequest(404, "There is nothing at this path.")
        if not _ACCOUNT_ID.fullmatch(account_id):
            raise BadRequest(404, "There is no such account.")
        return account_id

    @property
    def url_path(self) -> str:
        """The path as the client wrote it, with the stage where the URL has one."""
        path = (self._event.get("requestContext") or {}).get("path") or self._event.get("path") or ""
        return str(path).rstrip("/")

    @property
    def idempotency_key(self) -> str | None:
        """The ``Idempotency-Key``: 1 to 255 visible ASCII characters; ``None`` when the client sent none."""
        values = self._headers.get("idempotency-key")
        if values is None:
            return None
        if len(values) != 1 or not _KEY.fullmatch(values[0].strip(" \t")):
            raise _refuse_header(
                "Idempotency-Key", "must be sent once, with 1 to 255 visible ASCII characters, no spaces"
            )
        return values[0].strip(" \t")

    @property
    def if_match(self) -> frozenset[int] | None:
        """The versions that ``If-Match`` names; ``None`` for any (no header, or ``*``). Weak tags never match."""
        return self._read_versions("If-Match", weak=False)

    def is_known(self, version: int) -> bool:
        """Whether ``If-None-Match`` names the version, so that the client has it already."""
        if "if-none-match" not in self._headers:
            return False
        known = self._read_versions("If-None-Match", weak=True)
        return known is None or version in known

    def read_body(self, model: type[Model]) -> Model:
        """The JSON body, checked. ``Content-Type`` is ignored: curl, by default, calls every body a form.

        Raises:
            BadRequest: 413 or 400 when it is not JSON text, 422 with every faulty field when it is not a ``model``.
        """
        value = _parse(_decode_body(self._event))
        if not isinstance(value, dict):
            raise BadRequest(400, "The body must be a JSON object.")
        try:
            return model.model_validate(value)
        except ValidationError as error:
            found = error.errors(include_url=False, include_context=False, include_input=False)
            errors = [_describe_fault(one["loc"], one["type"], one["msg"]) for one in found[:_ERRORS_MAX]]
        raise BadRequest(422, "Some fields are not valid.", *errors)

    def _read_versions(self, header: str, *, weak: bool) -> frozenset[int] | None:
        values = self._headers.get(header.lower())
        if values is None:
            return None
        value = ", ".join(values).strip(" \t")
        if value == "*":
            return None
        if not _TAGS.fullmatch(value):
            raise _refuse_header(header, 'must be * or a list of entity tags, such as "3" (with the quotes)')
        # Tags of another form than the service's own match no version.
        tags = (_VERSION_TAG.fullmatch(tag) for tag in re.findall(_TAG, value))
        return frozenset(int(tag[2]) for tag in tags if tag and (weak or not tag[1]))


def make_etag(version: int) -> str:
    """The entity tag of a version: ``"3"``, strong."""
    return f'"{version}"'


def _collect_headers(event: Event) -> dict[str, list[str]]:
    """All values of each header, by lower-case name; ``headers`` has only the last of repeated ones."""
    several = event.get("multiValueHeaders") or {name: [value] for name, value in (event.get("headers") or {}).items()}
    headers: dict[str, list[str]] = {}
    for name, values in several.items():
        headers.setdefault(name.lower(), []).extend(str(value) for value in values)
    return headers


def _decode_body(event: Event) -> str:
    body = event.get("body") or ""
    too_large = BadRequest(413, f"The body must not be larger than {BODY_MAX} bytes.")
    # Four characters of base64 carry three bytes, so this bound comes before any decoding.
    if len(body) > BODY_MAX * 4 // 3 + 4:
        raise too_large
    try:
        raw = base64.b64decode(body, validate=True) if event.get("isBase64Encoded") else body.encode()
        text = raw.decode()
    except (binascii.Error, UnicodeError):
        raise BadRequest(400, "The body must be JSON text in UTF-8.") from None
    if len(raw) > BODY_MAX:
        raise too_large
    return text


def _parse(text: str) -> object:
    if not text.strip():
        raise BadRequest(400, "The body is empty: send a JSON object.")
    try:
        return json.loads(text, object_pairs_hook=_build_object, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise BadRequest(400, f"The body is not valid JSON (line {error.lineno}, column {error.colno}).") from None
    except RecursionError:
        raise BadRequest(400, "The body is nested too deeply.") from None
    except ValueError:
        raise BadRequest(400, "The body holds a number that JSON does not know, or one that is too long.") from None


def _build_object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):  # JSON parsers differ in which one they take
        raise BadRequest(400, "The body names a member twice: which one counts?")
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _describe_fault(where: tuple[int | str, ...], kind: str, message: str) -> FieldError:
    field = ".".join(str(step) for step in where).encode("ascii", "backslashreplace").decode()[:_FIELD_MAX]
    known = {"missing": "is required", "extra_forbidden": "is not a field of this request"}
    return FieldError(field=field, code=kind, message=known.get(kind, message))


def _refuse_header(name: str, message: str) -> BadRequest:
    return BadRequest(
        400, f"The {name} header is malformed.", FieldError(field=name, code="malformed", message=message)
    )
