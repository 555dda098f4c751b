"""Batches: many puts and deletes, or reads, in few requests. Unlike in a transaction, each can fail by itself."""

from __future__ import annotations

from itertools import islice

from expr_builder.attribute_values.values import from_item
from expr_builder.errors import BatchIncomplete, BuildError
from expr_builder.limits import MAX_BATCH_GET, MAX_BATCH_WRITE
from expr_builder.sending.blocking import carry_out
from expr_builder.sending.conversation import Ask, Patience, Wait, back_off, converse

from .action import UNPACK
from .get import Get
from .key_schema import identify
from .targets import list_targets
from .writes import Delete, Put

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import TypeVar

    from mypy_boto3_dynamodb.client import DynamoDBClient

    from expr_builder.attribute_values.values import StoredItem
    from expr_builder.sending.conversation import Conversation

    from .action import Action, Body
    from .key_schema import Target

    A = TypeVar("A", bound=Action)


class BatchWrite:
    """Puts and deletes in few requests; some may be carried out and others not.

    Args:
        actions: Any number of ``table.put(…)`` and ``table.delete(…)``, without conditions, and no two on one item. A
            batch takes no updates, and returns no attributes.

    Raises:
        BuildError: for any other action, a condition, values to return, or two actions on one item.

    Example:
        ``BatchWrite(accounts.put(item), accounts.delete(key)).to_requests()`` is ``[{"RequestItems": {"accounts":
        [{"PutRequest": {"Item": {…}}}, {"DeleteRequest": {"Key": {…}}}]}}]``.

    See https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchWriteItem.html
    """

    def __init__(self, *actions: Put | Delete) -> None:
        self._actions = tuple(actions)
        _refuse_twice(_check_write(action, position) for position, action in enumerate(actions))

    def __repr__(self) -> str:
        return f"BatchWrite({len(self._actions)} actions)"

    def to_requests(self) -> list[Body]:
        """The arguments of ``client.batch_write_item``, one request for each 25 actions."""
        return [_make_write_request(chunk) for chunk in _split(self._actions, MAX_BATCH_WRITE)]

    def send(
        self, client: DynamoDBClient, *, time_left: Callable[[], float] | None = None, max_attempts: int = 8
    ) -> None:
        """Carry out all actions, 25 at a time; send again what comes back unprocessed, with backoff.

        Arguments are those of :meth:`WriteAction.send`; each request has its own ``max_attempts``.

        Raises:
            BatchIncomplete: when some are still unprocessed after ``max_attempts``, or the time is up.
            RequestUnfinished: no final answer within the attempts and time allowed.
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
        patience = Patience(time_left, max_attempts)
        done = 0
        for chunk in _split(actions, MAX_BATCH_WRITE):
            _refuse_twice(_check_write(action, done + position) for position, action in enumerate(chunk))
            carry_out(client, _write(chunk, patience))
            done += len(chunk)
        return done


class BatchGet:
    """Reads of any number of items, 100 in a request; unlike in a transaction, not as of one moment.

    Args:
        actions: ``table.get(…)``, no two of one item; those of one table with the same projection and consistency.
            Anything else is a ``BuildError``.

    Example:
        ``BatchGet(accounts.get(one), accounts.get(two)).fetch(client)`` is ``[{"PK": …}, None]`` if ``two`` is missing.

    See https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchGetItem.html
    """

    def __init__(self, *actions: Get) -> None:
        self._actions = tuple(actions)
        _refuse_twice(_check_get(action, position) for position, action in enumerate(actions))

    def __repr__(self) -> str:
        return f"BatchGet({len(self._actions)} reads)"

    def to_requests(self) -> list[Body]:
        """The arguments of ``client.batch_get_item``, one request for each 100 reads."""
        return [{"RequestItems": _make_get_items(chunk)} for chunk in _split(self._actions, MAX_BATCH_GET)]

    def fetch(
        self, client: DynamoDBClient, *, time_left: Callable[[], float] | None = None, max_attempts: int = 8
    ) -> list[StoredItem | None]:
        """Read the items; ask again for unprocessed ones. Arguments and errors are those of :meth:`BatchWrite.send`.

        Returns:
            For each read, in the same order, the item as Python values, or ``None`` when there is none.
        """
        patience = Patience(time_left, max_attempts)
        found: list[StoredItem | None] = []
        for chunk in _split(self._actions, MAX_BATCH_GET):
            items = carry_out(client, _read(chunk, patience))
            found += [items.get(action.target) for action in chunk]
        return found


def _split(actions: Iterable[A], size: int) -> Iterator[tuple[A, ...]]:
    iterator = iter(actions)
    while chunk := tuple(islice(iterator, size)):
        yield chunk


def _refuse_twice(actions: Iterable[Action]) -> None:
    seen: set[Target] = set()
    for position, target in enumerate(list_targets(actions)):
        if target in seen:
            raise BuildError(
                "another action of the batch is on this item",
                rule="batch-same-item",
                place=f"batch, action {position}",
                fix="leave one of them out",
            )
        seen.add(target)


def _check_write(action: Put | Delete, position: int) -> Put | Delete:
    place = f"batch, action {position}"
    if not isinstance(action, (Put, Delete)):
        raise BuildError(
            f"a batch cannot hold a {type(action).__name__}",
            rule="batch-action",
            place=place,
            fix=UNPACK
            if isinstance(action, (list, tuple))
            else "only put and delete; a TransactWrite holds updates and checks",
        )
    if action.condition is not None:
        raise BuildError(
            "a batch has no conditions",
            rule="batch-condition",
            place=place,
            fix="use a TransactWrite, or a single request",
        )
    if action._returning not in (None, "NONE"):
        raise BuildError(
            "a batch returns no attributes",
            rule="return-values",
            place=place,
            fix="send this write by itself, or read the item before",
        )
    return action


def _check_get(action: Get, position: int) -> Get:
    if not isinstance(action, Get):
        raise BuildError(
            f"a batch of reads cannot hold a {type(action).__name__}",
            rule="batch-action",
            place=f"batch, action {position}",
            fix=UNPACK if isinstance(action, (list, tuple)) else "pass what table.get returns",
        )
    return action


def _make_write_request(chunk: tuple[Put | Delete, ...]) -> Body:
    tables: dict[str, list[Body]] = {}
    for action in chunk:
        tables.setdefault(action.table.name, []).append(_make_entry(action))
    return {"RequestItems": tables}


def _make_entry(action: Put | Delete) -> Body:
    if isinstance(action, Put):
        return {"PutRequest": {"Item": action.item}}
    return {"DeleteRequest": {"Key": action.key}}


def _write(chunk: tuple[Put | Delete, ...], patience: Patience) -> Conversation[None]:
    def list_left(unprocessed: Body) -> list[Put | Delete]:
        # The service names what is left by the entries, not by their numbers.
        entries = [entry for table in unprocessed.values() for entry in table]
        return [action for action in chunk if _make_entry(action) in entries]

    yield from _ask_for_all("batch_write_item", _make_write_request(chunk), "UnprocessedItems", patience, list_left)


def _ask_for_all(
    method: str, request: Body, rest: str, patience: Patience, list_left: Callable[[Body], Sequence[Action]]
) -> Conversation[list[Body]]:
    """Ask again for what an answer gives back as its ``rest``, until nothing is left; return all answers."""
    answers = []
    attempt = 0  # how often there was a rest; converse counts the attempts at each request
    while True:
        attempt += 1
        answer = yield from converse(Ask(method, request), patience)
        answers.append(answer)
        unprocessed = answer.get(rest)
        if not unprocessed:
            return answers
        request = {"RequestItems": unprocessed}
        delay = back_off(attempt)
        if not patience.covers(attempt, delay):
            raise BatchIncomplete(list_left(unprocessed), attempts=attempt)
        yield Wait(delay)


def _make_get_items(chunk: tuple[Get, ...]) -> Body:
    tables: dict[str, Body] = {}
    for action in chunk:
        body: Body = dict(action.to_request())
        name, key = body.pop("TableName"), body.pop("Key")
        # A table appears once in the request, with one projection and consistency for all its keys.
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


def _refuse_without_keys(name: str, wanted: Body, chunk: tuple[Get, ...]) -> None:
    """Refuse a projection without the keys: items come back in any order, and are told apart by their keys."""
    action = next(action for action in chunk if action.table.name == name)
    projected = {path.segments for path in action.paths}
    missing = [key for key in action.table.key_schema.types if projected and (key,) not in projected]
    if missing:
        raise BuildError(
            f"the projection leaves out {' and '.join(missing)}, by which the items are told apart",
            rule="batch-projection",
            place=f'batch, table "{name}"',
            fix="project the key attributes too",
        )


def _read(chunk: tuple[Get, ...], patience: Patience) -> Conversation[dict[Target, StoredItem]]:
    keys = {action.table.name: action.table.key_schema for action in chunk}

    def list_left(unprocessed: Body) -> list[Get]:
        left = {identify(keys[name], key) for name, part in unprocessed.items() for key in part["Keys"]}
        return [action for action in chunk if action.target in left]

    request = {"RequestItems": _make_get_items(chunk)}
    answers = yield from _ask_for_all("batch_get_item", request, "UnprocessedKeys", patience, list_left)
    return {
        identify(keys[name], item): from_item(item)
        for answer in answers
        for name, items in answer["Responses"].items()
        for item in items
    }
