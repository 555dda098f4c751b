"""The bodies of requests and answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from accounts.identity import (
    EMAIL_MAX,
    USERNAME_MAX,
    USERNAME_MIN,
    USERNAME_PATTERN,
    InvalidIdentity,
    check_email,
    check_username,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from expr_builder.attribute_values.values import Item


def _check_with(rule: Callable[[object], str]) -> AfterValidator:
    def check(value: str) -> str:
        try:
            return rule(value)
        except InvalidIdentity as error:
            # A custom error keeps the code; a plain ValueError would be told as "value_error".
            raise PydanticCustomError(error.code, "{reason}", {"reason": str(error)}) from None

    return AfterValidator(check)


# The schemas are for readers of openapi.json; the checks are stricter than a schema can say.
Email = Annotated[
    str, _check_with(check_email), WithJsonSchema({"type": "string", "format": "email", "maxLength": EMAIL_MAX})
]
Username = Annotated[
    str,
    _check_with(check_username),
    WithJsonSchema(
        {"type": "string", "minLength": USERNAME_MIN, "maxLength": USERNAME_MAX, "pattern": f"^{USERNAME_PATTERN}$"}
    ),
]


class _Request(BaseModel):
    """Strict: a number is no string, and an unknown field is a mistake that the client should hear of."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class SignUp(_Request):
    """The body of a sign-up."""

    email: Email
    username: Username


class ChangeEmail(_Request):
    """The body of a change of the e-mail."""

    email: Email


class ChangeUsername(_Request):
    """The body of a change of the username."""

    username: Username


Change = ChangeEmail | ChangeUsername


class Account(BaseModel):
    """An account as its owner sees it. The stored item holds more (``schema``)."""

    model_config = ConfigDict(frozen=True)

    account_id: Annotated[str, WithJsonSchema({"type": "string", "format": "uuid"})]
    email: str
    username: str
    version: Annotated[int, WithJsonSchema({"type": "integer", "minimum": 1})]
    created_at: Annotated[str, WithJsonSchema({"type": "string", "format": "date-time"})]

    @classmethod
    def of(cls, item: Item) -> Account:
        """The account that a stored item holds."""
        return cls(**{name: item[name] for name in cls.model_fields})


class FieldError(BaseModel):
    """One faulty field. ``message`` never contains the value."""

    field: str
    code: str
    message: str


class Problem(BaseModel):
    """An answer that is not an account (RFC 9457, ``application/problem+json``)."""

    # API Gateway's own answer to unexpected errors cannot contain its status, so the schema must not require it.
    model_config = ConfigDict(json_schema_extra={"required": ["title"]})

    type: str = "about:blank"
    title: str
    status: int
    detail: str | None = None
    errors: list[FieldError] = Field(default_factory=list)

    def to_json(self) -> str:
        """The JSON text, without empty members."""
        return self.model_dump_json(exclude_none=True, exclude=set() if self.errors else {"errors"})
