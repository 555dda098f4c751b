"""What comes in and what goes out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic_core import PydanticCustomError

from accounts.identity import InvalidIdentity, email_display, username_display

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["Account", "Change", "ChangeEmail", "ChangeUsername", "FieldError", "Problem", "SignUp"]


def _checked(display: Callable[[object], str]) -> AfterValidator:
    def check(value: str) -> str:
        try:
            return display(value)
        except InvalidIdentity as error:
            raise PydanticCustomError(error.code, "{reason}", {"reason": str(error)}) from None

    return AfterValidator(check)


Email = Annotated[str, _checked(email_display)]
Username = Annotated[str, _checked(username_display)]


class _Request(BaseModel):
    """Strict: a number is not a string, and a field that nobody knows is a mistake worth telling."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class SignUp(_Request):
    """The body of ``POST /accounts``."""

    email: Email
    username: Username


class ChangeEmail(_Request):
    """The body of ``PUT /accounts/{account_id}/email``."""

    email: Email


class ChangeUsername(_Request):
    """The body of ``PUT /accounts/{account_id}/username``."""

    username: Username


Change = ChangeEmail | ChangeUsername


class Account(BaseModel):
    """An account as its owner sees it. The stored item holds more (``schema``)."""

    model_config = ConfigDict(frozen=True)

    account_id: str
    email: str
    username: str
    version: int
    created_at: str

    @classmethod
    def of(cls, item: Mapping[str, Any]) -> Account:
        """The account that a stored item holds."""
        return cls(**{name: item[name] for name in cls.model_fields})


class FieldError(BaseModel):
    """One thing to mend. ``message`` never contains the value."""

    field: str
    code: str
    message: str


class Problem(BaseModel):
    """An answer that is not an account (RFC 9457, ``application/problem+json``)."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str | None = None
    errors: list[FieldError] = Field(default_factory=list)

    def text(self) -> str:
        """The JSON text, without members that say nothing."""
        return self.model_dump_json(exclude_none=True, exclude=set() if self.errors else {"errors"})
