"""Models as people have them, for the tests of the typed table."""

from __future__ import annotations

from datetime import datetime  # noqa: TC003  # pydantic reads the annotation
from decimal import Decimal
from enum import Enum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, field_validator

from expr_builder import Table

__all__ = ["ADDRESS", "ORDER", "Account", "Address", "Order", "Session", "Status", "plain_table"]


class Status(Enum):
    OPEN = "open"
    PAID = "paid"


class Address(BaseModel):
    city: str
    street: str | None = None


class Order(BaseModel):
    """Its table's keys are its own fields."""

    user_id: str
    order_id: str
    total: Annotated[Decimal, Field(ge=0)] = Decimal(0)
    status: Status = Status.OPEN
    created_at: datetime | None = None
    tags: set[str] = Field(default_factory=set)
    address: Address | None = None

    @field_validator("order_id")
    @classmethod
    def _no_spaces(cls, value: str) -> str:
        if " " in value:
            raise ValueError(f"{value} has spaces")
        return value


class Account(BaseModel):
    """Its keys are made of a field; it counts versions."""

    model_config = ConfigDict(frozen=True)

    account_id: str
    email: str
    username: str | None = None
    points: int = 0
    version: int = 0


class Session(BaseModel):
    """It expires."""

    session_id: str
    user_id: str = "u1"
    expires_at: datetime | None = None


def plain_table(name: str) -> Table:
    """The table of all of them but orders."""
    return Table(name, partition_key="PK", sort_key="SK")


ADDRESS = Address(city="Bath", street="Gay Street")
ORDER = Order(user_id="u1", order_id="o1", total=Decimal("12.50"), tags={"new"}, address=ADDRESS)
