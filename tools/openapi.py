"""Writes openapi.json from the routes of template.yaml, the models of the accounts package, and the texts below.

``make openapi`` writes it; a test fails when the committed file is out of date.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic.json_schema import models_json_schema

from accounts.model import Account, ChangeEmail, ChangeUsername, Problem, SignUp
from accounts.request import ACCOUNT_ID_PATTERN, KEY_PATTERN
from tools.sam_template import routes
from tools.venvs import ROOT

if TYPE_CHECKING:
    from pydantic import BaseModel

FILE = ROOT / "openapi.json"

_KEY = "Idempotency-Key"
_IF_MATCH = "If-Match"
_IF_NONE_MATCH = "If-None-Match"


@dataclass(frozen=True, slots=True)
class Operation:
    """What the template does not say of a function's route.

    Attributes:
        summary: One line.
        description: What else a caller has to know.
        body: The model of the request's body.
        headers: Request headers, by name.
        success: Statuses that are no problem, each with a description.
        problems: Statuses of its own problems, each with a description.
    """

    summary: str
    description: str
    success: dict[int, str]
    problems: dict[int, str]
    body: type[BaseModel] | None = None
    headers: tuple[str, ...] = ()


_NOT_FOUND = {404: "There is no such account, or it is another subject's: the two look alike."}
_STALE = {412: "The account is at none of the versions that If-Match names."}
_BODY = {413: "The body is larger than 8 KB.", 422: "Some fields are not valid; each is named, no value is repeated."}
_SAME_KEY = "The same Idempotency-Key again gives the first answer again; with another body it is a 422."


def _change(model: type[BaseModel], what: str) -> Operation:
    return Operation(
        summary=f"Change the {what}",
        description=f"The {what} that the account has already is a success that writes nothing. {_SAME_KEY}",
        body=model,
        headers=(_KEY, _IF_MATCH),
        success={200: "The account as it is now."},
        problems=_NOT_FOUND | {409: f"The {what} belongs to another account."} | _STALE | _BODY,
    )


OPERATIONS = {
    "SignupFunction": Operation(
        summary="Sign up",
        description=f"Makes an account for the token's subject, if its e-mail and its username are free. {_SAME_KEY}",
        body=SignUp,
        headers=(_KEY,),
        success={201: "The account."},
        problems={409: "Taken: errors names every field whose value belongs to another account."} | _BODY,
    ),
    "GetAccountFunction": Operation(
        summary="Read an account",
        description="Shows the account to the subject that made it.",
        headers=(_IF_NONE_MATCH,),
        success={200: "The account.", 304: "The client has this version already."},
        problems=_NOT_FOUND,
    ),
    "ChangeEmailFunction": _change(ChangeEmail, "e-mail"),
    "ChangeUsernameFunction": _change(ChangeUsername, "username"),
    "DeleteAccountFunction": Operation(
        summary="Delete an account",
        description="Removes the account; its e-mail and its username are free at once. A repeated deletion is a 404, "
        "or with the Idempotency-Key of the first, for ten minutes, a 204.",
        headers=(_KEY, _IF_MATCH),
        success={204: "The account is gone."},
        problems=_NOT_FOUND | _STALE,
    ),
}
"""By the logical id of the function in the template."""

_ANY_PROBLEM = {
    400: "A header or the body is malformed.",
    401: "There is no valid bearer token.",
    403: "The token does not allow this.",
    429: "Too many requests: API Gateway's throttle.",
    500: "The service failed; nothing is told of how.",
    503: "Conflict or throttling that did not end. The same request may be sent again.",
}

_TAG = r'(?:W/)?"[!#-~]*"'
_TAGS = {"type": "string", "pattern": rf"^(?:\*|{_TAG}(?:, ?{_TAG})*)$"}
_REQUEST_HEADERS: dict[str, dict[str, Any]] = {
    _KEY: {
        "description": "Names this request, for whenever it is sent again.",
        "schema": {"type": "string", "pattern": f"^{KEY_PATTERN}$"},
    },
    _IF_MATCH: {
        "description": 'The ETags at which the change may happen, such as "3"; * for any.',
        "schema": _TAGS,
    },
    _IF_NONE_MATCH: {
        "description": "The ETags that the client has already.",
        "schema": _TAGS,
    },
}
_ETAG = {"description": "The version, quoted.", "required": True, "schema": {"type": "string", "pattern": '^"[0-9]+"$'}}
_LOCATION = {"description": "Where the account is.", "required": True, "schema": {"type": "string"}}
_RETRY_AFTER = {"description": "Seconds to wait.", "required": True, "schema": {"type": "integer", "minimum": 0}}
_RESPONSE_HEADERS = {
    200: {"ETag": _ETAG},
    201: {"ETag": _ETAG, "Location": _LOCATION},
    304: {"ETag": _ETAG},
    429: {"Retry-After": _RETRY_AFTER},
    503: {"Retry-After": _RETRY_AFTER},
}

_ACCOUNT_ID: dict[str, Any] = {
    "name": "account_id",
    "in": "path",
    "required": True,
    "description": "As the sign-up answered it.",
    "schema": {"type": "string", "pattern": f"^{ACCOUNT_ID_PATTERN}$"},
}


def document() -> dict[str, Any]:
    """The whole document."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Accounts",
            "version": "1",
            "description": "One e-mail, one account; one username, one account. Problems are those of RFC 9457.",
        },
        "servers": [{"url": "/v1"}],
        "security": [{"bearer": []}],
        "paths": _paths(),
        "components": {
            "schemas": _schemas(),
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}},
        },
    }


def text() -> str:
    """The file's content."""
    return json.dumps(document(), indent=2, ensure_ascii=False) + "\n"


def _paths() -> dict[str, Any]:
    paths: dict[str, Any] = {}
    for route in routes():
        operation = _operation(route.function, OPERATIONS[route.function], route.path)
        paths.setdefault(route.path, {})[route.method.lower()] = operation
    return paths


def _operation(name: str, operation: Operation, path: str) -> dict[str, Any]:
    parameters = [{"name": header, "in": "header", **_REQUEST_HEADERS[header]} for header in operation.headers]
    if "{account_id}" in path:
        parameters.insert(0, _ACCOUNT_ID)  # in the order of the request: path, then headers
    # The operation's own come last: it may describe a common status more precisely.
    answers = operation.success | _ANY_PROBLEM | operation.problems
    described: dict[str, Any] = {
        "operationId": name.removesuffix("Function"),
        "summary": operation.summary,
        "description": operation.description,
        "parameters": parameters,
        "responses": {str(status): _response(status, answers[status]) for status in sorted(answers)},
    }
    if operation.body is not None:
        described["requestBody"] = {"required": True, "content": _content("application/json", operation.body)}
    return described


def _response(status: int, description: str) -> dict[str, Any]:
    response: dict[str, Any] = {"description": description}
    if status in _RESPONSE_HEADERS:
        response["headers"] = _RESPONSE_HEADERS[status]
    if status in (200, 201):
        response["content"] = _content("application/json", Account)
    elif status >= 400:
        response["content"] = _content("application/problem+json", Problem)
    return response


def _content(kind: str, model: type[BaseModel]) -> dict[str, Any]:
    return {kind: {"schema": {"$ref": f"#/components/schemas/{model.__name__}"}}}


def _schemas() -> dict[str, Any]:
    models = (Account, ChangeEmail, ChangeUsername, Problem, SignUp)
    _, schema = models_json_schema(
        [(model, "validation") for model in models], ref_template="#/components/schemas/{model}"
    )
    found: dict[str, Any] = schema["$defs"]
    return found


def main() -> int:
    """Writes the file."""
    FILE.write_text(text(), encoding="utf-8")
    print(f"Wrote {FILE.relative_to(ROOT)}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
