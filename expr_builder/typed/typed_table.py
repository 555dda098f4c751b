"""The typed table: pydantic models in and out, all requests made by the plain builder."""

from __future__ import annotations

import time
from copy import copy
from datetime import datetime
from typing import TYPE_CHECKING, Any

from pydantic import AwareDatetime, BaseModel, PastDatetime, PydanticUserError, RootModel

from expr_builder.errors import BuildError
from expr_builder.requests.table import Table
from expr_builder.sending.blocking import refuse_resource

from .errors import list_names
from .field_types import find_leaves, has_own_form
from .item_reader import Expiry, ItemReader, RawItem
from .marker_writes import MarkedWrites
from .model_codec import Codec
from .model_key import ModelKey
from .optimistic_writes import SendOptions
from .table_description import Description, describe_table
from .table_parts import K, M, R
from .transaction_actions import TypedActions
from .typed_reads import TypedReads
from .typed_writes import TypedWrites
from .write_drafts import Drafts

if TYPE_CHECKING:
    from collections.abc import Callable

    from mypy_boto3_dynamodb.client import DynamoDBClient

    from expr_builder.unique import Unique


class TypedTable(TypedReads[M, R, K], TypedWrites[M, R, K]):
    """A table whose items are models.

    A stored item that does not fit the model is returned as a :class:`RawItem`, with a logged warning; :meth:`strict`
    raises instead. ``TypedTable[Account]`` is what annotations need; the further type arguments are what reads return
    (``Account | RawItem``; ``Account`` after :meth:`strict`, ``RawItem`` after :meth:`raw`) and the type of keys.

    Args:
        model: The pydantic model.
        table: The plain table, with its name, key and indexes.
        client: ``boto3.client("dynamodb")``.
        partition_key: How the partition key is made from fields, ``"ACCT#{account_id}"``; when left out, the model has
            a field (or alias) of its name.
        sort_key: The same for the sort key; text without braces is one value for all items: ``"PROFILE"``.
        key: A ``TypedDict`` with the key's fields, so that a type checker knows them.
        version: The ``int`` field in which the table counts versions, ``0`` before the first write: a put is refused
            when the stored version differs from the model's.
        unique: The unique fields; put, update and delete then keep their markers.
        ttl: The field with the time to live: an aware ``datetime``, or whole seconds since 1970.
        hide_expired: Whether expired items count as absent before DynamoDB deletes them.
        time_left: Returns the seconds that remain; no retry starts that they do not cover.
        max_attempts: How often a request is sent at most.
        clock: Returns the time in seconds since 1970.

    Raises:
        BuildError: for declarations that contradict each other, the model or the table.

    Attributes:
        actions: Makes the same writes and reads as plain actions, for a ``TransactWrite`` or ``TransactGet``.

    Example:
        ``TypedTable(Account, Table("accounts", "PK", "SK"), client, partition_key="ACCT#{account_id}",
        sort_key="PROFILE").get(account_id="a1")`` is an ``Account``, a ``RawItem`` or ``None``.
    """

    def __init__(
        self,
        model: type[M],
        table: Table,
        client: DynamoDBClient,
        *,
        partition_key: str | None = None,
        sort_key: str | None = None,
        key: type[K] | None = None,
        version: str | None = None,
        unique: Unique | None = None,
        ttl: str | None = None,
        hide_expired: bool = True,
        time_left: Callable[[], float] | None = None,
        max_attempts: int = 8,
        clock: Callable[[], float] = time.time,
    ) -> None:
        refuse_resource(client)  # now, not with the first request
        _check_model(model, table)
        self._client = client
        self._options = SendOptions(time_left=time_left, max_attempts=max_attempts)
        self._table = table
        # First: the parts below take for granted that these names are fields, and that sort_key has a sort key.
        self._check_options(model, sort_key, version, unique, ttl)
        self._codec = Codec(model, ttl=ttl, keys=table.key_schema.names)
        self._ttl = None if ttl is None else self._codec.stored_names[ttl]
        self._expiry = Expiry(self._ttl if hide_expired else None, clock)
        self._reader = ItemReader(self._codec, table.name, "coerce")
        templates = {table.partition_key: partition_key, table.sort_key or "": sort_key}
        given = {attribute: text for attribute, text in templates.items() if text is not None}
        self._key = ModelKey(table, self._codec, given)
        if key is not None:
            self._key.check_declaration(key)
        self._drafts = Drafts(table, self._codec, self._key, self._expiry, version)
        self._marked = None if unique is None else MarkedWrites(unique, self._drafts, client, self._options)
        self.actions: TypedActions[M] = TypedActions(self._drafts, unique)

    def __repr__(self) -> str:
        return f"<TypedTable of {self._codec.name} in {self._table.name}, {self._reader.mode} reads>"

    @property
    def model(self) -> type[M]:
        """The model."""
        return self._codec.model

    @property
    def table(self) -> Table:
        """The plain table."""
        return self._table

    def strict(self) -> TypedTable[M, M, K]:
        """The same table, whose reads raise :class:`ValidationFailed` for an item that does not fit the model."""
        return self._in_mode("strict")

    def raw(self) -> TypedTable[M, RawItem, K]:
        """The same table, whose reads return every item as it is stored."""
        return self._in_mode("raw")

    def describe(self) -> Description:
        """Compare what is declared (keys, indexes, time to live) with the table that exists.

        Keys are compared with their types. What an index projects is compared where it is declared.

        See https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_DescribeTable.html
        Needs the permissions ``dynamodb:DescribeTable`` and, with ``ttl``, ``dynamodb:DescribeTimeToLive``.
        """
        return describe_table(self._client, self._table, self._ttl)

    def _in_mode(self, mode: str) -> TypedTable[M, Any, K]:
        other: TypedTable[M, Any, K] = copy(self)  # all parts are shared but the reader
        other._reader = ItemReader(self._codec, self._table.name, mode)
        return other

    def _check_options(
        self, model: type[M], sort_key: str | None, version: str | None, unique: Unique | None, ttl: str | None
    ) -> None:
        for name in (ttl, version):
            if name is not None and name not in model.model_fields:
                raise BuildError(
                    f"{name} is no field of {model.__name__}",
                    rule="typed-table",
                    place=f'typed table "{self._table.name}"',
                    fix=f"the fields are {list_names(model.model_fields)}",
                )
        if ttl is not None:
            self._check_ttl(model, ttl)
        if sort_key is not None and self._table.sort_key is None:
            self._refuse("the table has no sort key", "leave sort_key out")
        if unique is not None and unique.table.name != self._table.name:
            self._refuse("unique is of another table", "declare both with one Table")
        if unique is not None and ttl is not None:
            self._refuse(
                "a time to live removes records and leaves their markers: what they held stays taken",
                "leave ttl or unique out, and delete such records by a job of your own",
            )

    def _check_ttl(self, model: type[M], ttl: str) -> None:
        place = f'typed table "{self._table.name}", ttl'
        if not has_own_form(model, ttl) and not any(map(_may_be_time, find_leaves(model.model_fields[ttl].annotation))):
            fix = f"{ttl}: AwareDatetime; or int, for whole seconds since 1970"
            raise BuildError(f"{ttl} can hold no time to live", rule="typed-table", place=place, fix=fix)
        if model.model_config.get("val_temporal_unit") == "milliseconds":
            fix = 'leave val_temporal_unit out of its model_config, or "seconds"'
            message = f"{model.__name__} reads numbers as milliseconds, and a time to live is stored in seconds"
            raise BuildError(message, rule="typed-table", place=place, fix=fix)


def _may_be_time(leaf: Any) -> bool:
    if isinstance(leaf, type) and issubclass(leaf, (int, datetime)):
        return leaf is not bool
    return leaf in (Any, object, AwareDatetime, PastDatetime)


def _check_model(model: object, table: Table) -> None:
    """Refuse what is no model, such as a dataclass or a union, and a model whose items would be no maps."""
    if not isinstance(table, Table):
        raise BuildError(
            f"a {type(table).__name__} is no Table",
            rule="typed-table",
            place="TypedTable",
            fix='declare it: Table("accounts", partition_key="PK")',
        )
    fault = ""
    if not (isinstance(model, type) and issubclass(model, BaseModel)) or model is BaseModel:
        fault = f"{getattr(model, '__name__', None) or type(model).__name__} is no pydantic model"
        fix = "a class that inherits from pydantic.BaseModel; for several kinds of items a typed table each"
    elif issubclass(model, RootModel):
        fault, fix = (
            f"{model.__name__} is a RootModel, and an item consists of attributes",
            "a model with a field for it",
        )
    elif not _is_complete(model):
        fault = f"{model.__name__} has annotations that are not defined yet"
        fix = f"define them first, or call {model.__name__}.model_rebuild()"
    if fault:
        raise BuildError(fault, rule="typed-model", place=f'typed table "{table.name}"', fix=fix)


def _is_complete(model: type[BaseModel]) -> bool:
    try:
        return model.model_rebuild(raise_errors=False) is not False
    except PydanticUserError:
        return False
