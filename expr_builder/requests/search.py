"""Queries and scans: many items, a page at a time."""

from __future__ import annotations

from collections.abc import Mapping

from expr_builder.attribute_values.copying import copy_item
from expr_builder.attribute_values.text import to_text
from expr_builder.attribute_values.values import from_item, to_item
from expr_builder.errors import BuildError
from expr_builder.expressions.joining import take_condition
from expr_builder.expressions.key_conditions import find_key_condition_fault
from expr_builder.expressions.nodes import find_paths
from expr_builder.expressions.render import Placeholders, render, render_projection
from expr_builder.expressions.updates import take_path
from expr_builder.limits import MAX_INDEX_NAME_LENGTH, MAX_LIMIT, MAX_SCAN_SEGMENTS, MIN_INDEX_NAME_LENGTH
from expr_builder.sending.blocking import carry_out
from expr_builder.sending.conversation import Ask, Patience, converse

from .action import Immutable
from .key_reads import (
    KeyTest,
    find_condition_fault,
    find_filter_fault,
    find_start_fault,
    find_unprojected,
    read_key_tests,
)
from .key_schema import find_index
from .key_writes import check_paths
from .table_name import is_index_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, ClassVar, Self

    from mypy_boto3_dynamodb.client import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import QueryInputTypeDef, ScanInputTypeDef

    from expr_builder.attribute_values.values import Item, StoredItem, TypedItem
    from expr_builder.expressions.nodes import Condition, Path
    from expr_builder.expressions.updates import Target

    from .action import Body
    from .key_schema import Fault, Index
    from .table import Table

SELECTS = ("ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES", "COUNT", "SPECIFIC_ATTRIBUTES")


class Page:
    """One page of a query or scan, as ``page`` and ``pages`` return it.

    Attributes:
        items: The items as Python values.
        last_key: The key after which the next page starts, for ``start_from``; ``None`` on the last page. An empty page
            need not be the last: filters are applied after reading.
        count: How many items the page has, even if only their number was asked for.
        scanned: How many items were read, before the filter.
    """

    __slots__ = ("count", "items", "last_key", "scanned")

    def __init__(self, response: Any) -> None:
        self.items: list[StoredItem] = [from_item(item) for item in response.get("Items", ())]
        last = response.get("LastEvaluatedKey")
        self.last_key: StoredItem | None = from_item(last) if last else None
        self.count: int = response.get("Count", len(self.items))
        self.scanned: int = response.get("ScannedCount", self.count)

    def __repr__(self) -> str:
        return f"<Page of {self.count} items{'' if self.last_key is None else ', more to read'}>"


class Search(Immutable):
    """What queries and scans have in common. Each method returns a new one."""

    __slots__ = ("_consistent", "_filter", "_index", "_limit", "_paths", "_select", "_start", "_table")

    operation: ClassVar[str]
    """The service's name for it: ``"Query"`` or ``"Scan"``."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._consistent = False
        self._filter: Condition | None = None
        self._index: str | None = None
        self._limit: int | None = None
        self._paths: tuple[Path, ...] = ()
        self._select: str | None = None
        self._start: TypedItem | None = None

    @property
    def table(self) -> Table:
        """The table."""
        return self._table

    @property
    def _place(self) -> str:
        return f'{self.operation} "{self._table.name}"'

    def __repr__(self) -> str:
        index = f", index {self._index}" if self._index is not None else ""
        return f"<{self.operation} in {self._table.name}{index}>"

    def filter(self, condition: Condition) -> Self:
        """Keep only items for which ``condition`` holds; several are joined with AND.

        The filter is applied after reading: the items that it drops are paid for, and count for the limit.
        """
        checked = take_condition(condition, of=f"{self._place}, filter")
        return self._replace(_filter=checked if self._filter is None else self._filter & checked)

    def project(self, *paths: Target) -> Self:
        """Return only these attributes: names, or ``Attr`` paths."""
        return self._replace(_paths=(*self._paths, *(take_path(path, "project") for path in paths)))

    def limit(self, items: int) -> Self:
        """Read at most this many items **in one page**, before the filter: DynamoDB's ``Limit``."""
        if isinstance(items, bool) or not isinstance(items, int) or not 1 <= items <= MAX_LIMIT:
            raise BuildError(
                f"a limit is a whole number from 1 to {MAX_LIMIT}",
                rule="limit-value",
                place=self._place,
                fix="leave limit(…) out to read all",
            )
        return self._replace(_limit=int.__int__(items))

    def on_index(self, name: str) -> Self:
        """Read a secondary index instead of the table."""
        if not isinstance(name, str) or not is_index_name(to_text(name)):
            raise BuildError(
                f"an index's name has {MIN_INDEX_NAME_LENGTH} to {MAX_INDEX_NAME_LENGTH} letters, digits, _ . or -",
                rule="member-value",
                place=f"{self._place}, IndexName",
            )
        return self._replace(_index=to_text(name))

    def consistent(self) -> Self:
        """Ask for strongly consistent reads, which global secondary indexes do not have."""
        return self._replace(_consistent=True)

    def select(self, what: str) -> Self:
        """Set ``Select``: ``ALL_ATTRIBUTES``, ``ALL_PROJECTED_ATTRIBUTES``, ``COUNT`` or ``SPECIFIC_ATTRIBUTES``."""
        if not isinstance(what, str) or to_text(what) not in SELECTS:
            raise BuildError(
                "select knows no such value", rule="select-value", place=self._place, fix=f"one of {', '.join(SELECTS)}"
            )
        return self._replace(_select=to_text(what))

    def start_from(self, last_key: Item | None) -> Self:
        """Start after this key, the ``last_key`` of a page as Python values; ``None`` starts at the beginning.

        It holds exactly the table's key attributes and, on an index, those of the index. It is copied: a later change
        of ``last_key`` has no effect.
        """
        if last_key is None:
            return self._replace(_start=None)
        place = f"{self._place}, ExclusiveStartKey"
        if not isinstance(last_key, Mapping) or not last_key:
            what = (
                "an empty start key"
                if isinstance(last_key, Mapping)
                else f"a start key is no {type(last_key).__name__}"
            )
            raise BuildError(what, rule="start-key", place=place, fix="give the last_key of a page, or None")
        try:
            return self._replace(_start=to_item(last_key))
        except BuildError as error:
            raise error.within(place) from None

    def to_request(self) -> Mapping[str, object]:
        """The arguments of ``client.query`` or ``client.scan``.

        Raises:
            BuildError: when the parts do not fit together, or an expression breaks a rule.
        """
        request: Body = {"TableName": self._table.name}
        if self._index is not None:
            request["IndexName"] = self._index
        placeholders = Placeholders(always=self._table._always_alias)
        try:
            index = self._find_index()
            self._check_reading(index)
            self._fill(request, placeholders)
            if self._filter is not None:
                request["FilterExpression"] = render(self._filter, placeholders)
            if self._paths:
                request["ProjectionExpression"] = render_projection(self._paths, placeholders)
        except BuildError as error:
            raise error.within(self._place) from None
        placeholders.into(request)
        self._add_options(request)
        return request

    def page(
        self, client: DynamoDBClient, *, time_left: Callable[[], float] | None = None, max_attempts: int = 8
    ) -> Page:
        """Read one page (at most 1 MB before the filter); retry after throttling and lost answers.

        Args:
            client: ``boto3.client("dynamodb")``; not the client of a resource.
            time_left: Returns the seconds that remain; a retry that has to wait longer is not started.
            max_attempts: How often to ask for a page at most.

        Raises:
            RequestUnfinished: no answer within the attempts and time allowed.
        """
        return next(self.pages(client, time_left=time_left, max_attempts=max_attempts))

    def pages(
        self, client: DynamoDBClient, *, time_left: Callable[[], float] | None = None, max_attempts: int = 8
    ) -> Iterator[Page]:
        """Yield one page after another, each read when it is needed. Arguments and errors are those of :meth:`page`.

        Example:
            ``for page in accounts.query(Key("PK").eq("ACCT#1")).limit(100).pages(client): show(page.items)``
        """
        return map(Page, self._read(client, Patience(time_left, max_attempts)))

    def items(
        self, client: DynamoDBClient, *, time_left: Callable[[], float] | None = None, max_attempts: int = 8
    ) -> Iterator[StoredItem]:
        """Yield every item as Python values. Pages are read when they are needed; only one is held in memory.

        Arguments and errors are those of :meth:`page`.

        Example:
            ``for item in accounts.query(Key("PK").eq("ACCT#1")).items(client): …``
        """
        for response in self._read(client, Patience(time_left, max_attempts)):
            for item in response.get("Items", ()):
                yield from_item(item)
            del response  # or two pages would be held while the next one is read

    def count(
        self, client: DynamoDBClient, *, time_left: Callable[[], float] | None = None, max_attempts: int = 8
    ) -> int:
        """Count the items without transferring them; reading them is paid for all the same.

        Arguments and errors are those of :meth:`page`.
        """
        counting = self._replace(_select="COUNT", _paths=())  # a projection beside COUNT is refused
        patience = Patience(time_left, max_attempts)
        return sum(response["Count"] for response in counting._read(client, patience))

    def _read(self, client: DynamoDBClient, patience: Patience) -> Iterator[Any]:
        """The answers, one for each page."""
        request: Body = dict(self.to_request())
        while True:
            response = carry_out(client, converse(Ask(self.operation.lower(), request), patience))
            last = response.get("LastEvaluatedKey")
            yield response
            del response  # as in items()
            if not last:
                return
            request["ExclusiveStartKey"] = last

    def _fill(self, request: Body, placeholders: Placeholders) -> None:
        """Add what only this kind of search has."""

    def _add_options(self, request: Body) -> None:
        if self._select is not None:
            request["Select"] = self._select
        if self._limit is not None:
            request["Limit"] = self._limit
        if self._consistent:
            request["ConsistentRead"] = True
        if self._start is not None:
            request["ExclusiveStartKey"] = copy_item(self._start)  # what is handed out belongs to the caller

    def _find_index(self) -> Index | None:
        if self._index is None or self._table.indexes is None:
            return None  # of a table without declared indexes nothing is known, and nothing checked
        return find_index(self._table.indexes, self._index)

    def _check_reading(self, index: Index | None) -> None:
        """Refuse what does not fit together, or does not fit the keys of the table or ``index``."""
        self._check_select()
        if self._consistent and index is not None and not index.local:
            raise BuildError(
                "a global secondary index cannot be read consistently",
                rule="index-consistent",
                place="ConsistentRead",
                fix="read the table itself, or leave consistent() out",
            )
        keys, checks = self._table.key_schema, self._table._index_checks
        tests = self._check_key_condition(index)
        if self._start is not None:
            fault = find_start_fault(self.operation, keys, index, self._index, self._start, tests)
            _raise_fault(fault, "ExclusiveStartKey")
        filtered = [path.segments for path in find_paths(self._filter)] if self._filter is not None else []
        projected = [path.segments for path in self._paths]
        check_paths(keys, checks, projected, "ProjectionExpression")
        if filtered and self.operation == "Query":
            # Of an unknown index, the keys are those of the condition.
            names = index.names if index is not None else keys.names if self._index is None else tuple(tests)
            _raise_fault(find_filter_fault(names, filtered), "FilterExpression")
        if index is not None and self._index is not None:
            needed = filtered if self.operation == "Query" else []
            fault = find_unprojected(keys, index, self._index, self._select, projected, needed)
            place = (
                "ProjectionExpression"
                if fault and fault.name in [path[0] for path in projected]
                else "FilterExpression"
            )
            _raise_fault(fault, "Select" if self._select == "ALL_ATTRIBUTES" else place)
        check_paths(keys, checks, filtered, "FilterExpression")

    def _check_key_condition(self, index: Index | None) -> dict[str, KeyTest]:
        """Refuse a key condition that the keys cannot serve; return what it says. A scan has none."""
        return {}

    def _check_select(self) -> None:
        if self._paths and self._select not in (None, "SPECIFIC_ATTRIBUTES"):
            raise BuildError(
                f"a projection beside Select {self._select}",
                rule="select-projection",
                place="ProjectionExpression",
                fix="leave one of them out",
            )
        if self._select == "SPECIFIC_ATTRIBUTES" and not self._paths:
            raise BuildError(
                "SPECIFIC_ATTRIBUTES without a projection",
                rule="select-projection",
                place="Select",
                fix="add project(…)",
            )
        if self._select == "ALL_PROJECTED_ATTRIBUTES" and self._index is None:
            raise BuildError(
                "ALL_PROJECTED_ATTRIBUTES of the table itself, which has no projection",
                rule="select-value",
                place="Select",
                fix="leave it out, or read an index",
            )


def _raise_fault(fault: Fault | None, place: str) -> None:
    if fault is not None:
        raise fault.to_error(place)


class Query(Search):
    """The items with one partition key, ordered by their sort key. Made by :meth:`Table.query`.

    See https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Query.html
    """

    __slots__ = ("_forward", "_key_condition")

    operation = "Query"

    if TYPE_CHECKING:  # each request has a TypedDict of its own; at run time the inherited method makes them all

        def to_request(self) -> QueryInputTypeDef:
            """The arguments of the client call."""

    def __init__(self, table: Table, key_condition: Condition) -> None:
        super().__init__(table)
        self._forward = True
        self._key_condition = take_condition(key_condition, of=f"{self._place}, KeyConditionExpression")

    def descending(self) -> Self:
        """Read from the highest sort key down."""
        return self._replace(_forward=False)

    def ascending(self) -> Self:
        """Read from the lowest sort key up: the default."""
        return self._replace(_forward=True)

    def _fill(self, request: Body, placeholders: Placeholders) -> None:
        request["KeyConditionExpression"] = render(self._key_condition, placeholders)

    def _add_options(self, request: Body) -> None:
        super()._add_options(request)
        if not self._forward:
            request["ScanIndexForward"] = False

    def _check_key_condition(self, index: Index | None) -> dict[str, KeyTest]:
        words = find_key_condition_fault(self._key_condition)
        if words is not None:
            raise BuildError(
                words, rule="key-condition", place="KeyConditionExpression", fix="filter(…) takes the rest"
            )
        tests = read_key_tests(self._key_condition)
        keys = self._table.key_schema if self._index is None else index
        _raise_fault(find_condition_fault(keys, self._index, tests), "KeyConditionExpression")
        return tests


class Scan(Search):
    """All items of a table or index. Made by :meth:`Table.scan`.

    See https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Scan.html
    """

    __slots__ = ("_segment",)

    operation = "Scan"

    if TYPE_CHECKING:

        def to_request(self) -> ScanInputTypeDef:
            """The arguments of the client call."""

    def __init__(self, table: Table) -> None:
        super().__init__(table)
        self._segment: tuple[int, int] | None = None

    def segment(self, number: int, of: int) -> Self:
        """Read only part ``number``, from 0, of ``of`` equal parts, so that several workers can share a scan."""
        whole = all(isinstance(part, int) and not isinstance(part, bool) for part in (number, of))
        if not whole or not 1 <= of <= MAX_SCAN_SEGMENTS or not 0 <= number < of:
            raise BuildError(
                f"segments are counted from 0 to one less than their number, which is 1 to {MAX_SCAN_SEGMENTS}",
                rule="scan-segment",
                place=self._place,
            )
        return self._replace(_segment=(number, of))

    def segments(self, number: int) -> tuple[Self, ...]:
        """The scan in ``number`` parts, one for each worker."""
        first = self.segment(0, number)
        return first, *(self.segment(part, number) for part in range(1, number))

    def _add_options(self, request: Body) -> None:
        super()._add_options(request)
        if self._segment is not None:
            request["Segment"], request["TotalSegments"] = self._segment
