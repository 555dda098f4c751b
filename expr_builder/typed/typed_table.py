"""The typed table: pydantic models in and out, everything sent through the plain builder."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any, Generic, Literal, Union, overload

from pydantic import BaseModel
from typing_extensions import TypeVar

from expr_builder.attribute_values.values import from_item, to_item
from expr_builder.errors import BatchIncomplete, BuildError
from expr_builder.expressions.attr import Attr
from expr_builder.expressions.joining import all_of
from expr_builder.requests.batches import BatchGet, BatchWrite
from expr_builder.requests.table import Table
from expr_builder.sending.blocking import refuse_resource
from expr_builder.sending.conversation import back_off

from .description import Description, describe_table
from .errors import ConditionFailed, InvalidQuery
from .key_templates import KeySchema, listed
from .marked import MarkedWrites, touched
from .models import Codec
from .rows import READS, RawItem, Reader
from .rows_and_guards import Drafts, joined
from .scanning import scan_together
from .sending import Refused, send_write
from .slots import TypedActions
from .where import Operators, WhereReader

if TYPE_CHECKING:
    from collections.abc import Callable

    from mypy_boto3_dynamodb.client import DynamoDBClient

    from expr_builder.expressions.nodes import Condition
    from expr_builder.expressions.updates import Target
    from expr_builder.requests.key_schema import Index
    from expr_builder.requests.search import Query
    from expr_builder.requests.writes import WriteAction
    from expr_builder.unique import Unique

M = TypeVar("M", bound=BaseModel)
R = TypeVar("R", default=Union[M, RawItem], covariant=True)  # noqa: UP007  # evaluated, with a variable of 3.11
K = TypeVar("K", bound=Mapping[str, Any], default=Mapping[str, Any], contravariant=True)


class TypedTable(Generic[M, R, K]):
    """A table whose items are models.

    ``TypedTable[Account]`` is what annotations need. The further type arguments are what reads return (``Account |
    RawItem``; ``Account`` with ``read="strict"``, ``RawItem`` with ``read="off"``) and the type of keys.

    Args:
        model: The pydantic model.
        table: The plain table: its name and key. It may have been created by anybody.
        client: ``boto3.client("dynamodb")``.
        partition_key: How the partition key is made of fields, ``"ACCT#{account_id}"``; when left out, the model has a
            field (or alias) of its name.
        sort_key: The same for the sort key; text without braces is the same for all: ``"PROFILE"``.
        indexes: The secondary indexes by name, beside those that ``table`` declares.
        ttl: The field with the time to live: an aware ``datetime``, or whole seconds.
        read: ``"coerce"`` fills in defaults and narrows types, and returns what cannot be read as a
            :class:`RawItem`, with a logged warning; ``"strict"`` raises :class:`ValidationFailed` instead; ``"off"``
            returns every row raw.
        unique: What must be unique; put, update and delete then keep its markers.
        version: The ``int`` field in which the table counts versions, ``0`` before the first write: a put is refused
            when the stored version is another than the model's.
        key: A ``TypedDict`` with the key's fields, so that a type checker knows them.
        hide_expired: Whether rows whose time to live is over count as absent before they are swept.
        time_left: Returns the seconds that remain; no retry starts that they do not cover.
        max_attempts: How often a request is sent at most.
        clock: The time in seconds since 1970.

    Raises:
        BuildError: for declarations that do not fit together.

    Example:
        ``TypedTable(Account, Table("accounts", "PK", "SK"), client, partition_key="ACCT#{account_id}",
        sort_key="PROFILE").get(account_id="a1")`` is an ``Account``, a ``RawItem`` or ``None``.
    """

    @overload
    def __init__(
        self: TypedTable[M, M | RawItem, K],
        model: type[M],
        table: Table,
        client: DynamoDBClient,
        *,
        partition_key: str | None = None,
        sort_key: str | None = None,
        indexes: Mapping[str, Index] | None = None,
        ttl: str | None = None,
        read: Literal["coerce"] = "coerce",
        unique: Unique | None = None,
        version: str | None = None,
        key: type[K] | None = None,
        hide_expired: bool = True,
        time_left: Callable[[], float] | None = None,
        max_attempts: int = 8,
        clock: Callable[[], float] = time.time,
    ) -> None: ...

    @overload
    def __init__(
        self: TypedTable[M, M, K],
        model: type[M],
        table: Table,
        client: DynamoDBClient,
        *,
        read: Literal["strict"],
        partition_key: str | None = None,
        sort_key: str | None = None,
        indexes: Mapping[str, Index] | None = None,
        ttl: str | None = None,
        unique: Unique | None = None,
        version: str | None = None,
        key: type[K] | None = None,
        hide_expired: bool = True,
        time_left: Callable[[], float] | None = None,
        max_attempts: int = 8,
        clock: Callable[[], float] = time.time,
    ) -> None: ...

    @overload
    def __init__(
        self: TypedTable[M, RawItem, K],
        model: type[M],
        table: Table,
        client: DynamoDBClient,
        *,
        read: Literal["off"],
        partition_key: str | None = None,
        sort_key: str | None = None,
        indexes: Mapping[str, Index] | None = None,
        ttl: str | None = None,
        unique: Unique | None = None,
        version: str | None = None,
        key: type[K] | None = None,
        hide_expired: bool = True,
        time_left: Callable[[], float] | None = None,
        max_attempts: int = 8,
        clock: Callable[[], float] = time.time,
    ) -> None: ...

    def __init__(
        self,
        model: type[M],
        table: Table,
        client: DynamoDBClient,
        *,
        partition_key: str | None = None,
        sort_key: str | None = None,
        indexes: Mapping[str, Index] | None = None,
        ttl: str | None = None,
        read: str = "coerce",
        unique: Unique | None = None,
        version: str | None = None,
        key: type[Any] | None = None,
        hide_expired: bool = True,
        time_left: Callable[[], float] | None = None,
        max_attempts: int = 8,
        clock: Callable[[], float] = time.time,
    ) -> None:
        refuse_resource(client)
        self._client = client
        self._sending: dict[str, Any] = {"time_left": time_left, "max_attempts": max_attempts}
        self._table = _with_indexes(table, indexes or {})
        self._place = f'typed table "{table.name}"'
        self._check(read, unique, ttl)
        self._codec: Codec[M] = Codec(model, ttl=_field(model, ttl, self._place), keys=self._table.key_schema.types)
        self._ttl = None if ttl is None else self._codec.stored_names[ttl]
        self._reader: Reader[M] = Reader(
            self._codec, mode=read, table=table.name, expires=self._ttl if hide_expired else None, clock=clock
        )
        self._schema = KeySchema(self._table, self._codec, self._templates(partition_key, sort_key))
        if key is not None:
            self._schema.declared(key)
        self._drafts: Drafts[M] = Drafts(
            self._table, self._codec, self._schema, self._reader, _field(model, version, self._place)
        )
        self._marked: MarkedWrites[M] | None = None
        if unique is not None:
            self._marked = MarkedWrites(unique, self._drafts, self._fetch, lambda tx: tx.send(client, **self._sending))
        self.actions: TypedActions[M] = TypedActions(self._drafts, unique)
        """Puts, updates, deletions, checks and reads as plain actions, for a ``TransactWrite`` or ``TransactGet``."""

    @property
    def model(self) -> type[M]:
        """The model."""
        return self._codec.model

    @property
    def table(self) -> Table:
        """The plain table, indexes included."""
        return self._table

    # --- one item

    @overload
    def get(self, key: K, /, *, consistent: bool = False) -> R | None: ...

    @overload
    def get(self, /, *, consistent: bool = False, **key: Any) -> R | None: ...

    def get(self, key: Mapping[str, Any] | None = None, /, *, consistent: bool = False, **fields: Any) -> R | None:
        """Read one item: ``get(account_id="a1")`` or ``get({"account_id": "a1"})``.

        Args:
            key: The fields of the key, or the table's key attributes, as a mapping.
            consistent: Ask for a strongly consistent read.
            fields: The same by name.

        Returns:
            The model, or ``None`` when there is no such item or it has expired.

        Raises:
            InvalidQuery: for a field that is missing or none of the key, by name.
            ValidationFailed: for a value that does not fit its field; with ``read="strict"`` for a row that does not.
        """
        wanted = self._schema.key(fields if key is None else key)
        row = self._table.get(wanted, consistent=consistent).fetch(self._client, **self._sending)
        return self._result(row)

    def put(
        self,
        model: M | Mapping[str, Any],
        *,
        if_not_exists: bool = False,
        if_field_equals: Mapping[str, Any] | None = None,
        when: Condition | None = None,
    ) -> M:
        """Write a whole item. What the model does not know but was read with it is written back.

        Args:
            model: The model, or a raw row; validated in any case.
            if_not_exists: Only when there is no such item (or it has expired).
            if_field_equals: Only when these fields are stored with these values.
            when: Only when this condition holds; its names are those of attributes.

        Returns:
            The model as it is stored, its version counted up.

        Raises:
            ConditionFailed: with the stored item.
            ValidationFailed: for a model that is not valid.
            ItemTooLarge: for an item over 400 KB.
            UniqueViolation: where the table has unique fields, with all that are taken.
        """
        checked, row, version = self._drafts.row(model)
        demanded = self._drafts.guard(if_not_exists=if_not_exists, if_field_equals=if_field_equals, when=when)
        guard = joined(version, demanded)
        if self._marked is None:
            self._write(self._drafts.put_row(row, guard), meant=row)
            return checked
        self._drafts.put_row(row)  # refuses what is too large before anything is read
        with self._refusals():
            if if_not_exists:
                self._marked.create(row, guard)
            else:
                self._marked.put(row, guard)
        return checked

    def update(
        self,
        key: K,
        *,
        set: Mapping[Any, Any] | None = None,  # noqa: A002  # the word of the expression
        remove: Iterable[Target] = (),
        add: Mapping[str, Any] | None = None,
        delete: Mapping[str, Any] | None = None,
        if_field_equals: Mapping[str, Any] | None = None,
        when: Condition | None = None,
    ) -> R:
        """Change parts of an existing item, without reading it first.

        Args:
            key: The key.
            set: Fields (or ``Attr`` paths) and their values, checked field by field; or what DynamoDB computes, such as
                ``Attr("visits") + 1``.
            remove: Fields or paths to remove.
            add: Numbers to add to fields, or elements to add to sets.
            delete: Elements to take out of sets.
            if_field_equals: See :meth:`put`.
            when: See :meth:`put`.

        Returns:
            The item as it is now.

        Raises:
            ConditionFailed: when there is no such item, or it is not as demanded.
            ValidationFailed: for a value that does not fit its field, a name that is none, or a required one removed.
            InvalidQuery: for a field that is part of the key.
            UniqueViolation: when a unique field's new value is taken.
        """
        draft = self._drafts.update(key, sets=set, remove=remove, add=add, delete=delete)
        demanded = self._drafts.guard(if_field_equals=if_field_equals, when=when)
        guard = all_of(self._drafts.present(), demanded)
        if self._marked is None or not self._marked.concerns(touched(draft)):
            return self._shown(self._write(draft.when(guard).returning("ALL_NEW")) or {})
        wanted = self._schema.key(key)
        with self._refusals():
            self._marked.update(wanted, draft, guard)
            row = self._fetch(wanted)
            if row is None:  # deleted by somebody else since
                raise Refused(None, sent_again=False)
        return self._shown(row)

    def delete(
        self,
        key: K,
        *,
        if_exists: bool = False,
        if_field_equals: Mapping[str, Any] | None = None,
        when: Condition | None = None,
    ) -> None:
        """Remove an item; a missing one is no error, unless a condition says so.

        Args:
            key: The key.
            if_exists: Only when there is such an item.
            if_field_equals: See :meth:`put`.
            when: See :meth:`put`.

        Raises:
            ConditionFailed: when the item is not as demanded.
        """
        guard = self._drafts.guard(if_exists=if_exists, if_field_equals=if_field_equals, when=when)
        if self._marked is not None:
            with self._refusals():
                self._marked.delete(self._schema.key(key), guard)
            return
        action = self._drafts.delete(key)
        self._write(action if guard is None else action.when(guard))

    def modify(self, key: K, change: Callable[[M], M], *, max_attempts: int = 8) -> M:
        """Read an item, change it and write what differs; all over again when somebody else was faster.

        The write is guarded by the version, if the table maintains one, else by everything that was read.

        Args:
            key: The key.
            change: Takes the model as it is and returns it as it should be; may be called several times.
            max_attempts: How often to try.

        Returns:
            The model as it is stored; written only if it differs.

        Raises:
            ConditionFailed: when there is no such item, or others kept being faster.
            ValidationFailed: for a row, or a result, that does not fit the model: here in every ``read`` mode.
            InvalidQuery: when the key was changed.
            UniqueViolation: when a unique field's new value is taken.
        """
        wanted = self._schema.key(key)
        attempt = 0
        while True:
            attempt += 1
            row = self._fetch(wanted)
            if row is None or not self._reader.is_visible(row):
                raise ConditionFailed(self._table.name, None)
            after = change(self._codec.decode(row))
            try:
                return self._replaced(row, after)
            except Refused as refused:
                if attempt >= max_attempts:
                    raise self._condition_failed(refused) from refused
                time.sleep(back_off(attempt))

    # --- many items

    def get_batch(self, keys: Iterable[K], *, consistent: bool = False) -> list[R | None]:
        """Read many items, 100 in a request; what comes back unprocessed is asked for again, with backoff.

        Returns:
            For each key, in their order, the model or ``None``. A key may come more than once.

        Raises:
            BatchIncomplete: when some stay unprocessed; ``left`` are their keys.
        """
        reads = [self._table.get(self._schema.key(key), consistent=consistent) for key in keys]
        different = {read.target: read for read in reads}
        with self._batch_refusals(lambda read: from_item(read.key)):
            rows = BatchGet(*different.values()).fetch(self._client, **self._sending)
        found = dict(zip(different, rows, strict=True))
        return [self._result(found[read.target]) for read in reads]

    def put_batch(self, models: Iterable[M | Mapping[str, Any]]) -> int:
        """Write many items, 25 in a request, as they come: 25 are held in memory. A batch has no conditions.

        Versions are counted up, but not compared.

        Returns:
            How many were written.

        Raises:
            BatchIncomplete: when some stay unprocessed; ``left`` are their models.
            BuildError: for a table with unique fields: a batch cannot keep markers.
        """
        self._refuse_batch("put_batch")
        puts = (self._drafts.put_row(self._drafts.row(model)[1]) for model in models)
        with self._batch_refusals(lambda put: self._reader.show(from_item(put.item))):
            return BatchWrite.stream(self._client, puts, **self._sending)

    def delete_batch(self, keys: Iterable[K]) -> int:
        """Remove many items, 25 in a request, as their keys come.

        Returns:
            How many keys were given.

        Raises:
            BatchIncomplete: when some stay unprocessed; ``left`` are their keys.
            BuildError: for a table with unique fields: a batch cannot keep markers.
        """
        self._refuse_batch("delete_batch")
        with self._batch_refusals(lambda delete: from_item(delete.key)):
            return BatchWrite.stream(self._client, (self._drafts.delete(key) for key in keys), **self._sending)

    def query(
        self,
        key_condition: Condition | None = None,
        /,
        *,
        where: Mapping[str, Operators] | None = None,
        index: str | None = None,
        order: Literal["asc", "desc"] = "asc",
        limit: int | None = None,
        filter: Condition | None = None,  # noqa: A002  # the word of the expression
        consistent: bool = False,
    ) -> Iterator[R]:
        """The items under one partition key, in the order of the sort key; read page by page as they are asked for.

        Args:
            key_condition: ``Key("PK").eq(…) & Key("SK").begins_with(…)``, by attributes.
            where: The same by fields: ``{"user_id": {"equals": "u1"}, "created_at": {"greater_than": moment}}``.
            index: A declared index, instead of the table.
            order: ``"asc"`` or ``"desc"``.
            limit: How many items to return at most.
            filter: Keep only items for which this condition holds, after they were read and paid for.
            consistent: Ask for strongly consistent reads.

        Raises:
            InvalidQuery: now, not when the first item is asked for, naming the fields that would be right.
        """
        excluded = None
        if (key_condition is None) == (where is None):
            raise self._invalid("a query takes either a key condition or where", "one of them")
        if order not in ("asc", "desc") or (limit is not None and limit < 1):
            raise self._invalid("order is asc or desc, and limit at least 1", "leave them out for all, ascending")
        reader = WhereReader(self._table, self._codec, self._schema, index)
        try:
            if where is not None:
                key_condition, excluded = reader.read(where)
            query = self._table.query(key_condition)  # type: ignore[arg-type]  # one of the two is given
            own = None if index is None else self._own_keys(reader.attributes)
            query = self._refined(query, index, order, joined(own, filter), consistent)
            if limit is not None and own is None and filter is None:
                query = query.limit(limit)
            query.to_request()
        except BuildError as error:
            raise _as_invalid(error) from None
        return self._results(query.items(self._client, **self._sending), limit, excluded)

    def scan(
        self,
        *,
        segments: int = 1,
        index: str | None = None,
        limit: int | None = None,
        filter: Condition | None = None,  # noqa: A002  # the word of the expression
        consistent: bool = False,
    ) -> Iterator[R]:
        """Every item of the table that is one of this model's, by its key templates; in no order.

        Args:
            segments: How many threads share the work. Each holds a page or two.
            index: A declared index, instead of the table.
            limit: How many items to return at most.
            filter: Keep only items for which this condition holds.
            consistent: Ask for strongly consistent reads.
        """
        own = self._own_keys(())
        scan = self._table.scan()
        try:
            scan = scan if index is None else scan.on_index(index)
            scan = scan.consistent() if consistent else scan
            for condition in (own, filter):
                scan = scan if condition is None else scan.filter(condition)
            scan.segment(0, segments).to_request()
        except BuildError as error:
            raise _as_invalid(error) from None
        return self._results(scan_together(self._client, scan, segments), limit, None)

    # --- the table itself

    def read(self, row: dict[str, Any] | None) -> R | None:
        """What a row that was read otherwise, such as by a ``TransactGet``, is as a model."""
        return self._result(row)

    def describe(self) -> Description:
        """Compare what is declared (keys, indexes, time to live) with what the table is.

        Needs the permissions ``dynamodb:DescribeTable`` and, with ``ttl``, ``dynamodb:DescribeTimeToLive``.
        """
        return describe_table(self._client, self._table, self._ttl)

    # --- small change

    def _fetch(self, key: Mapping[str, Any]) -> dict[str, Any] | None:
        return self._table.get(key, consistent=True).fetch(self._client, **self._sending)

    def _replaced(self, row: dict[str, Any], after: Any) -> M:
        """Write what makes ``row`` the model ``after``, if the row is still the same.

        Raises:
            Refused: when it is not.
        """
        checked, new, version = self._drafts.row(after, counted_from=row)
        self._drafts.refuse_other_key(row, new)
        sets, removed = self._drafts.changes(row, new)
        if not removed and sets.keys() <= {self._drafts.version_attribute}:
            return self._codec.decode(row)
        guard = version if version is not None else self._drafts.same_as(row)
        if self._marked is not None and self._marked.concerns([*sets, *removed]):
            self._marked.change(row, new, guard)
            return checked
        update = self._table.update({name: row[name] for name in self._table.key_schema.types})
        update = update.set(sets) if sets else update
        update = update.remove(*removed) if removed else update
        try:
            send_write(self._client, update.when(all_of(self._drafts.present(), guard)), **self._sending)
        except Refused as refused:
            if not _is_own_write(refused, new):
                raise
        return checked

    def _write(self, action: WriteAction, *, meant: Mapping[str, Any] | None = None) -> dict[str, Any] | None:
        try:
            return send_write(self._client, action, **self._sending)
        except Refused as refused:
            if meant is not None and _is_own_write(refused, meant):
                return None
            raise self._condition_failed(refused) from refused

    @contextmanager
    def _refusals(self) -> Iterator[None]:
        try:
            yield
        except Refused as refused:
            raise self._condition_failed(refused) from refused

    def _condition_failed(self, refused: Refused) -> ConditionFailed:
        return ConditionFailed(self._table.name, None if refused.row is None else self._reader.show(refused.row))

    @contextmanager
    def _batch_refusals(self, show: Callable[[Any], Any]) -> Iterator[None]:
        try:
            yield
        except BatchIncomplete as error:
            raise BatchIncomplete([show(action) for action in error.left], attempts=error.attempts) from None

    def _result(self, row: dict[str, Any] | None) -> R | None:
        return self._shown(row) if row is not None and self._reader.is_visible(row) else None

    def _shown(self, row: dict[str, Any]) -> R:
        return self._reader.read(row)  # type: ignore[return-value]  # R is what the reader's mode makes of it

    def _results(
        self, rows: Iterator[dict[str, Any]], limit: int | None, excluded: tuple[str, Any] | None
    ) -> Iterator[R]:
        if self._reader.expires is not None:
            rows = filter(self._reader.is_visible, rows)
        if excluded is not None:
            attribute, value = excluded
            rows = (row for row in rows if row.get(attribute) != value)
        return map(self._shown, islice(rows, limit))

    def _refined(
        self, query: Query, index: str | None, order: str, condition: Condition | None, consistent: bool
    ) -> Query:
        query = query.descending() if order == "desc" else query
        query = query.consistent() if consistent else query
        query = query if condition is None else query.filter(condition)
        return query if index is None else query.on_index(index)

    def _own_keys(self, besides: Iterable[str]) -> Condition | None:
        """What tells this model's items from others in the table: what their keys begin with."""
        conditions = []
        for attribute, template in self._schema.templates.items():
            if attribute in besides:
                continue
            if not template.fields:
                conditions.append(Attr(attribute).eq(template.tail))
            elif template.prefix:
                conditions.append(Attr(attribute).begins_with(template.prefix))
        return joined(*conditions)

    def _templates(self, partition_key: str | None, sort_key: str | None) -> dict[str, str]:
        if sort_key is not None and self._table.sort_key is None:
            raise self._invalid("the table has no sort key", "leave sort_key out")
        templates = {self._table.partition_key: partition_key, self._table.sort_key or "": sort_key}
        return {attribute: text for attribute, text in templates.items() if text is not None}

    def _check(self, read: str, unique: Unique | None, ttl: str | None) -> None:
        if read not in READS:
            raise self._invalid("read is coerce, strict or off", 'read="coerce"')
        if unique is not None and unique.table.name != self._table.name:
            raise self._invalid("unique is of another table", "declare both with one Table")
        if unique is not None and ttl is not None:
            raise self._invalid(
                "a time to live removes records and leaves their markers: what they held stays taken",
                "leave ttl or unique out, and delete such records by a job of your own",
            )

    def _refuse_batch(self, method: str) -> None:
        if self._marked is not None:
            raise self._invalid(
                f"{method} cannot keep the markers of {listed(self._marked.fields)}",
                "one put or delete after the other",
            )

    def _invalid(self, message: str, fix: str) -> InvalidQuery:
        return InvalidQuery(message, rule="typed-table", place=self._place, fix=fix)


def _with_indexes(table: Table, indexes: Mapping[str, Index]) -> Table:
    """The same table with further indexes declared."""
    if not indexes:
        return table
    partition, *sort = table.key_schema.types.items()
    return Table(
        table.name,
        partition,
        sort[0] if sort else None,
        alias="always" if table._always_alias else "auto",
        indexes={**table.indexes, **indexes},
    )


def _field(model: type[BaseModel], name: str | None, place: str) -> str | None:
    if name is not None and name not in model.model_fields:
        raise BuildError(
            f"{name} is no field of {model.__name__}",
            rule="typed-table",
            place=place,
            fix=f"the fields are {listed(model.model_fields)}",
        )
    return name


def _as_invalid(error: BuildError) -> BuildError:
    if isinstance(error, InvalidQuery):
        return error
    return InvalidQuery(error.message, rule=error.rule, place=error.place, fix=error.fix)


def _is_own_write(refused: Refused, meant: Mapping[str, Any]) -> bool:
    """Whether an earlier attempt, whose answer was lost, has already written what was meant."""
    return refused.sent_again and refused.row is not None and to_item(refused.row) == to_item(meant)
