"""Batches: many puts and deletes, or reads, in few requests; not together or not at all, as a transaction is.

See https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchWriteItem.html and
https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchGetItem.html
"""

from __future__ import annotations

import time
from itertools import islice

from expr_builder.attribute_values.values import from_item
from expr_builder.errors import BatchIncomplete, BuildError
from expr_builder.limits import MAX_BATCH_GET, MAX_BATCH_WRITE
from expr_builder.sending.conversation import backoff, refuse_unsuitable_client

from .get import Get
from .writes import Delete, Put

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, TypeVar

    from mypy_boto3_dynamodb.client import DynamoDBClient

    from .action import Action

    A = TypeVar("A", bound=Action)


class BatchWrite:
    """Puts and deletes, each for itself: some may be carried out and others not.

    Args:
        actions: Any number of ``table.put(…)`` and ``table.delete(…)`` without conditions (a batch has none), no two on
            one item. Updates are not possible.

    Raises:
        BuildError: for any other action, a condition, or two actions on one item.

    See https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchWriteItem.html
    """

    def __init__(self, *actions: Put | Delete) -> None:
        self._actions = tuple(actions)
        _refuse_twice(_checked_write(action, position) for position, action in enumerate(actions))

    def to_requests(self) -> list[dict[str, Any]]:
        """The arguments of ``client.batch_write_item``, for each 25 actions."""
        return [_write_request(chunk) for chunk in _chunks(self._actions, MAX_BATCH_WRITE)]

    def send(
        self, client: DynamoDBClient, *, time_left: Callable[[], float] | None = None, max_attempts: int = 8
    ) -> None:
        """Carry out all actions, 25 at a time; what comes back unprocessed is sent again, with backoff.

        Raises:
            BatchIncomplete: when some are still unprocessed after ``max_attempts``, or the time is up.
        """
        self.stream(client, self._actions, time_left=time_left, max_attempts=max_attempts)

    @staticmethod
    def stream(
        client: DynamoDBClient,
        actions: Iterable[Put | Delete],
        *,
        time_left: Callable[[], float] | None = None,
        max_attempts: int = 8,
    ) -> int:
        """Carry out actions as they come, such as from a generator: at most 25 are held in memory.

        Two actions on one item are refused within each 25; over a longer stream the later one wins, as it does with two
        single requests.

        Returns:
            How many actions were carried out.
        """
        refuse_unsuitable_client(client)
        done = 0
        for chunk in _chunks(actions, MAX_BATCH_WRITE):
            _refuse_twice(_checked_write(action, done + position) for position, action in enumerate(chunk))
            _write_chunk(client, chunk, time_left, max_attempts)
            done += len(chunk)
        return done


class BatchGet:
    """Reads of any number of items, 100 in a request, each for itself: not as of one moment.

    Args:
        actions: ``table.get(…)``, no two of one item; those of one table with the same projection and consistency.

    See https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchGetItem.html
    """

    def __init__(self, *actions: Get) -> None:
        self._actions = tuple(actions)
        _refuse_twice(_checked_get(action, position) for position, action in enumerate(actions))

    def to_requests(self) -> list[dict[str, Any]]:
        """The arguments of ``client.batch_get_item``, for each 100 reads."""
        return [{"RequestItems": _get_items(chunk)} for chunk in _chunks(self._actions, MAX_BATCH_GET)]

    def fetch(
        self, client: DynamoDBClient, *, time_left: Callable[[], float] | None = None, max_attempts: int = 8
    ) -> list[dict[str, Any] | None]:
        """Read the items; what comes back unprocessed is asked for again, with backoff.

        Returns:
            For each read, in their order, the item as Python values, or ``None`` where there is none.

        Raises:
            BatchIncomplete: when some are still unprocessed after ``max_attempts``, or the time is up.
        """
        refuse_unsuitable_client(client)
        found: list[dict[str, Any] | None] = []
        for chunk in _chunks(self._actions, MAX_BATCH_GET):
            items = _get_chunk(client, chunk, time_left, max_attempts)
            found += [items.get(action.target) for action in chunk]
        return found


def _chunks(actions: Iterable[A], size: int) -> Iterator[tuple[A, ...]]:
    iterator = iter(actions)
    while chunk := tuple(islice(iterator, size)):
        yield chunk


def _refuse_twice(actions: Iterable[Action]) -> None:
    seen: set[Any] = set()
    for position, action in enumerate(actions):
        if action.target in seen:
            raise BuildError(
                "another action of the batch is on this item",
                rule="batch-same-item",
                place=f"batch, action {position}",
                fix="leave one of them out",
            )
        seen.add(action.target)


def _checked_write(action: Put | Delete, position: int) -> Put | Delete:
    place = f"batch, action {position}"
    if not isinstance(action, (Put, Delete)):
        raise BuildError(
            f"a batch cannot hold a {type(action).__name__}",
            rule="batch-action",
            place=place,
            fix="only put and delete; a TransactWrite holds updates and checks",
        )
    if action.condition is not None:
        raise BuildError(
            "a batch has no conditions",
            rule="batch-condition",
            place=place,
            fix="use a TransactWrite, or a single request",
        )
    return action


def _checked_get(action: Get, position: int) -> Get:
    if not isinstance(action, Get):
        raise BuildError(
            f"a batch of reads cannot hold a {type(action).__name__}",
            rule="batch-action",
            place=f"batch, action {position}",
            fix="pass what table.get returns",
        )
    return action


def _write_request(chunk: tuple[Put | Delete, ...]) -> dict[str, Any]:
    tables: dict[str, list[dict[str, Any]]] = {}
    for action in chunk:
        tables.setdefault(action.table.name, []).append(_batch_entry(action))
    return {"RequestItems": tables}


def _batch_entry(action: Put | Delete) -> dict[str, Any]:
    if isinstance(action, Put):
        return {"PutRequest": {"Item": action.item}}
    return {"DeleteRequest": {"Key": action.key}}


def _write_chunk(
    client: DynamoDBClient,
    chunk: tuple[Put | Delete, ...],
    time_left: Callable[[], float] | None,
    max_attempts: int,
) -> None:
    request = _write_request(chunk)
    attempt = 0
    while True:
        attempt += 1
        unprocessed: Any = client.batch_write_item(**request).get("UnprocessedItems")
        if not unprocessed:
            return
        request = {"RequestItems": unprocessed}
        if not _may_wait(attempt, max_attempts, time_left):
            entries = [entry for table in unprocessed.values() for entry in table]
            raise BatchIncomplete([action for action in chunk if _batch_entry(action) in entries], attempts=attempt)


def _get_items(chunk: tuple[Get, ...]) -> dict[str, Any]:
    tables: dict[str, dict[str, Any]] = {}
    for action in chunk:
        body: Any = action.to_request()
        name, key = body.pop("TableName"), body.pop("Key")
        wanted = tables.setdefault(name, {"Keys": [], **body})
        if {part: value for part, value in wanted.items() if part != "Keys"} != body:
            raise BuildError(
                "two reads of one table differ in projection or consistency",
                rule="batch-projection",
                place=f'batch, table "{name}"',
                fix="read them in two batches",
            )
        wanted["Keys"].append(key)
    for name, wanted in tables.items():
        _refuse_without_keys(name, wanted, chunk)
    return tables


def _refuse_without_keys(name: str, wanted: dict[str, Any], chunk: tuple[Get, ...]) -> None:
    """Items come back in any order: without its key an item cannot be told from another."""
    action = next(action for action in chunk if action.table.name == name)
    projected = {path.segments for path in action.paths}
    missing = [key for key in action.table.key_types if projected and (key,) not in projected]
    if missing:
        raise BuildError(
            f"the projection leaves out {' and '.join(missing)}, by which the items are told apart",
            rule="batch-projection",
            place=f'batch, table "{name}"',
            fix="project the key attributes too",
        )


def _get_chunk(
    client: DynamoDBClient, chunk: tuple[Get, ...], time_left: Callable[[], float] | None, max_attempts: int
) -> dict[Any, dict[str, Any]]:
    keys = {action.table.name: action.table for action in chunk}
    wanted: Any = _get_items(chunk)
    found: dict[Any, dict[str, Any]] = {}
    attempt = 0
    while True:
        attempt += 1
        answer: Any = client.batch_get_item(RequestItems=wanted)
        for name, items in answer["Responses"].items():
            table = keys[name]
            for item in items:
                found[table.target_of(item)] = from_item(item)
        wanted = answer.get("UnprocessedKeys")
        if not wanted:
            return found
        if not _may_wait(attempt, max_attempts, time_left):
            left = {keys[name].target_of(key) for name, part in wanted.items() for key in part["Keys"]}
            raise BatchIncomplete([action for action in chunk if action.target in left], attempts=attempt)


def _may_wait(attempt: int, max_attempts: int, time_left: Callable[[], float] | None) -> bool:
    delay = backoff(attempt)
    if attempt >= max_attempts or (time_left is not None and time_left() <= delay):
        return False
    time.sleep(delay)
    return True
