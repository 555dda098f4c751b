"""The reads of a typed table: one item, many by key, queries and scans."""

from __future__ import annotations

from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, overload

from expr_builder.attribute_values.values import from_item
from expr_builder.errors import BuildError
from expr_builder.requests.batches import BatchGet
from expr_builder.requests.key_schema import find_index

from .errors import InvalidQuery, list_names
from .item_places import find_field
from .table_parts import K, M, R, TableParts
from .where_conditions import WhereReader

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Literal, TypeVar

    from mypy_boto3_dynamodb.client import DynamoDBClient

    from expr_builder.attribute_values.values import StoredItem
    from expr_builder.expressions.nodes import Condition
    from expr_builder.requests.search import Query, Scan

    from .optimistic_writes import SendOptions
    from .where_conditions import Operators

    S = TypeVar("S", Query, Scan)


class TypedReads(TableParts[M, R, K]):
    """The reads of a :class:`TypedTable`."""

    # The key is positional only, so that a field of the key may have its name.
    @overload
    def get(self, key: K, /, *, consistent: bool = False) -> R | None: ...

    @overload
    def get(self, /, *, consistent: bool = False, **key: object) -> R | None: ...

    def get(
        self, key: Mapping[str, object] | None = None, /, *, consistent: bool = False, **fields: object
    ) -> R | None:
        """Read one item: ``get(account_id="a1")`` or ``get({"account_id": "a1"})``.

        See https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_GetItem.html

        Args:
            key: The fields of the key, or the table's key attributes, as a mapping.
            consistent: Ask for a strongly consistent read.
            fields: The same as keyword arguments. A field of the key that is itself called ``consistent`` can only
                come in a mapping.

        Returns:
            The model, or ``None`` when there is no such item or it has expired.

        Raises:
            InvalidQuery: naming fields that are missing or do not belong to the key; for a key that is given in both
                ways, or for a keyword that could be a field as well as the parameter.
            ValidationFailed: for a value that does not fit its field; on a strict read for an item that does not.
        """
        if key is not None and fields:
            self._refuse(
                f"get takes the key as a mapping or as keyword arguments, not both: {list_names(fields)}",
                "name all of the key in one of them",
            )
        # A complete key of attributes leaves nothing open.
        if key is None and set(fields) != set(self._key.attributes) and self._is_of_key("consistent"):
            self._refuse(
                "consistent is a field of the key and a parameter of get: a keyword could mean either",
                'pass the key as a mapping: get({"consistent": …})',
            )
        wanted = self._key.make(fields if key is None else key)
        return self.read(self._table.get(wanted, consistent=consistent).fetch(self._client, **self._options))

    def get_batch(self, keys: Iterable[K], *, consistent: bool = False) -> list[R | None]:
        """Read many items, 100 in a request; unprocessed keys are asked for again, with backoff.

        See https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchGetItem.html

        Returns:
            For each key, in the order given, the model or ``None``. A key may be given more than once.

        Raises:
            BatchIncomplete: when some stay unprocessed; ``left`` are their keys.
        """
        reads = [self._table.get(self._key.make(key), consistent=consistent) for key in keys]
        different = {read.target: read for read in reads}  # BatchGetItem refuses the same key twice
        with self._show_left(lambda read: from_item(read.key)):
            items = BatchGet(*different.values()).fetch(self._client, **self._options)
        found = dict(zip(different, items, strict=True))
        return [self.read(found[read.target]) for read in reads]

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
        """Iterate over the items under one partition key, in sort-key order; each page is read when it is needed.

        See https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Query.html

        Args:
            key_condition: ``Key("PK").eq(…) & Key("SK").begins_with(…)``, by attributes.
            where: The same by fields: ``{"user_id": {"equals": "u1"}, "created_at": {"greater_than": moment}}``.
            index: An index that the table declares, instead of the table itself.
            order: ``"asc"`` or ``"desc"``.
            limit: How many items to return at most.
            filter: Keep only items for which this condition holds; the others are read and paid for all the same.
            consistent: Ask for strongly consistent reads.

        Raises:
            InvalidQuery: now, not when the first item is asked for, naming the fields that would be right.
        """
        if (key_condition is None) == (where is None):
            self._refuse("a query takes either a key condition or where", "one of them")
        if order not in ("asc", "desc") or (limit is not None and limit < 1):
            self._refuse("order is asc or desc, and limit at least 1", "leave them out for all, ascending")
        with self._refuse_as_invalid():
            query, excluded = self._start_query(key_condition, where, index)
            # In the table itself the key condition finds this model alone; an index may hold items of other models.
            own = [] if index is None else list(self._key.recognize(find_index(self._table.indexes, index).names))
            query = _refine(query, index, consistent, *own, filter)
            query = query.descending() if order == "desc" else query
            if limit is not None and not own and filter is None:
                query = query.limit(limit)  # nothing is dropped after reading: read no more than is wanted
            query.to_request()  # refuses it now, not with the first item
        return self._show_all(query.items(self._client, **self._options), limit, excluded)

    def scan(
        self,
        *,
        segments: int = 1,
        index: str | None = None,
        limit: int | None = None,
        filter: Condition | None = None,  # noqa: A002  # the word of the expression
        consistent: bool = False,
    ) -> Iterator[R]:
        """Iterate over all items whose keys fit this model's templates, in no order.

        See https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Scan.html

        Args:
            segments: How many threads share the work. Each holds a page or two.
            index, limit, filter, consistent: See :meth:`query`.

        Raises:
            InvalidQuery: now, not when the first item is asked for.
        """
        with self._refuse_as_invalid():
            scan = _refine(self._table.scan(), index, consistent, *self._key.recognize(), filter)
            scan.segment(0, segments).to_request()  # refuses it now, a wrong number of segments included
        return self._show_all(_scan_segments(self._client, scan, segments, self._options), limit, None)

    def read(self, item: StoredItem | None) -> R | None:
        """Turn an item that was read in another way, such as by a ``TransactGet``, into a model."""
        return self._show(item) if item is not None and self._expiry.is_visible(item) else None

    def _is_of_key(self, name: str) -> bool:
        return name in self._key.attributes or find_field(self._codec, name) in self._key.fields

    def _start_query(
        self, key_condition: Condition | None, where: Mapping[str, Operators] | None, index: str | None
    ) -> tuple[Query, tuple[str, object] | None]:
        if where is None:
            return self._table.query(key_condition), None  # type: ignore[arg-type]  # one of the two is given
        schema = self._table.key_schema if index is None else find_index(self._table.indexes, index)
        place = f'{self._codec.name} in table "{self._table.name}"' + (f', index "{index}"' if index else "")
        condition, excluded = WhereReader(self._codec, self._key, schema, place).read(where)
        return self._table.query(condition), excluded

    @contextmanager
    def _refuse_as_invalid(self) -> Iterator[None]:
        """Turn a refusal of the plain builder into an error of typed queries."""
        try:
            yield
        except InvalidQuery:  # a BuildError too, and as it should be
            raise
        except BuildError as error:
            raise InvalidQuery(error.message, rule=error.rule, place=error.place, fix=error.fix) from None

    def _show_all(
        self, items: Iterator[StoredItem], limit: int | None, excluded: tuple[str, object] | None
    ) -> Iterator[R]:
        if self._expiry.attribute is not None:
            items = filter(self._expiry.is_visible, items)
        if excluded is not None:
            attribute, value = excluded
            items = (item for item in items if item.get(attribute) != value)
        return map(self._show, islice(items, limit))  # last: what was dropped above must not count


def _refine(search: S, index: str | None, consistent: bool, *conditions: Condition | None) -> S:
    search = search if index is None else search.on_index(index)
    search = search.consistent() if consistent else search
    for condition in conditions:
        search = search if condition is None else search.filter(condition)
    return search


def _scan_segments(client: DynamoDBClient, scan: Scan, segments: int, options: SendOptions) -> Iterator[StoredItem]:
    """Yield the items of all segments as they come, in no order; each segment is read one page ahead.

    The client is used by several threads at once: give it as many connections
    (``botocore.config.Config(max_pool_connections=segments)``).
    """
    if segments == 1:
        yield from scan.items(client, **options)
        return
    with ThreadPoolExecutor(segments, thread_name_prefix="scan") as workers:
        reading = {workers.submit(part.page, client, **options): part for part in scan.segments(segments)}
        try:
            while reading:
                for done in wait(reading, return_when=FIRST_COMPLETED).done:
                    part, page = reading.pop(done), done.result()
                    if page.last_key is not None:
                        following = part.start_from(page.last_key)
                        reading[workers.submit(following.page, client, **options)] = following
                    yield from page.items
                    del page  # before the next one comes
        finally:
            for waiting in reading:  # nobody asks for the rest: the executor must not wait for pages not yet begun
                waiting.cancel()
