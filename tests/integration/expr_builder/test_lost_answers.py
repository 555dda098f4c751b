"""After a lost answer, the effect of any write of the builder is there once, or the error says that it is unknown."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import pytest

from expr_builder import (
    Attr,
    BatchWrite,
    Marker,
    RequestUnavailable,
    Table,
    TransactWrite,
    Unique,
    from_item,
    parse_update,
)
from tests.support.typed_faults import FaultyClient

if TYPE_CHECKING:
    from collections.abc import Callable

    from mypy_boto3_dynamodb import DynamoDBClient

    from expr_builder.attribute_values.values import Item
    from expr_builder.requests.writes import Delete, Put, WriteAction

    Write = Callable[[Any], object]

t = Table("t", "PK", "SK")
unique = Unique(t, owner="PK", email=Marker("UNIQ#EMAIL#{}"), phone=Marker("UNIQ#PHONE#{}", optional=True))

# --- What is stored before each write

OLD: Item = {"PK": "old", "SK": "P"}
NEW: Item = {"PK": "new", "SK": "P"}
ITEM: Item = {
    **OLD,
    "n": 5,
    "status": "open",
    "tags": {"a", "b"},
    "log": ["x", "y"],
    "sets": [{"a", "b"}],
    "m": {"k": 1},
}
RECORD: Item = {"PK": "A#1", "SK": "P", "email": "ada@example.com"}
MARKER = unique.make_marker_key("email", "ada@example.com")


def place(item: Item) -> tuple[str, str]:
    """Where an item is: for sorting."""
    return item["PK"], item["SK"]


BEFORE: list[Item] = sorted([ITEM, RECORD, unique.make_marker("email", "ada@example.com", "A#1")], key=place)

put, update, delete = t.put({**ITEM, "n": 6}), t.update(OLD), t.delete(OLD)
put_new, update_new, delete_new = t.put({**NEW, "n": 1}), t.update(NEW).set(n=1), t.delete(NEW)
is_open = Attr("status") == "open"
n_is_5 = Attr("n") == 5

# --- Single writes

REPEATED: dict[str, WriteAction] = {
    "put": put,
    "put of a new item": put_new,
    "put if exists": put.if_exists(),
    "put when its own item allows it": put.when(is_open),
    "delete": delete,
    "delete of nothing": delete_new,
    "delete of nothing if not exists": delete_new.if_not_exists(),
    "delete when": delete.when(Attr("status") != "closed"),
    "update of a new item": update_new,
    "update if exists": update.set(n=6).if_exists(),
    "update when": update.set(n=6).when(is_open),
    "set": update.set(n=6, status="closed"),
    "set an entry": update.set({Attr("m")["k"]: 2, Attr("m")["l"]: 3}),
    "set a default": update.set(n=Attr("n").if_not_exists(0), o=Attr("o").if_not_exists(0)),
    "set and lose the default": update.set(o=Attr("o").if_not_exists(Attr("n"))).remove("n"),
    "set a copy": update.set(o=Attr("n"), p=Attr("log")[0]),
    "set what is computed from others": update.set(o=Attr("n") + 1, p=Attr("log").append(["z"])),
    "remove": update.remove("n", Attr("m")["k"]),
    "add elements": update.add(tags={"b", "c"}, more={"a"}),
    "delete elements": update.delete(tags={"b", "c"}),
    "delete all elements": update.delete(tags={"a", "b"}),
    "apply": update.apply(parse_update("SET n = :n REMOVE log", values={":n": 6})),
}
NOT_REPEATED: dict[str, WriteAction] = {
    "put if not exists": put_new.if_not_exists(),
    "put when": put.when(n_is_5),
    "delete if exists": delete.if_exists(),
    "delete when it is so": delete.when(n_is_5),
    "update if not exists": update_new.if_not_exists(),
    "update when it is so": update.set(n=6).when(n_is_5),
    "update when either": update.set(n=6).when(is_open | n_is_5),
    "add to a number": update.add(n=1),
    "add to a number and elements": update.add(n=1, tags={"c"}),
    "set arithmetic": update.set(n=Attr("n") + 1),
    "set a counter": update.set(n=Attr("n").increment(), o=Attr("o").increment()),
    "append": update.set(log=Attr("log").append(["z"])),
    "prepend": update.set(log=Attr("log").prepend(["z"])),
    "set a copy of what changes": update.set(o=Attr("n"), n=6),
    "swap": update.set(status=Attr("n"), n=Attr("status")),
    "set an element": update.set({Attr("log")[0]: "z"}),
    "set behind the end": update.set({Attr("log")[9]: "z"}),
    "add elements behind the end": update.add({Attr("sets")[9]: {"b"}}),
    "delete elements of an element": update.delete({Attr("sets")[0]: {"a"}}),
    "remove an element": update.remove(Attr("log")[0]),
    "apply a count": update.apply(parse_update("SET n = n + :one", values={":one": 1})),
}
for write in (put, delete, update.set(n=6).remove("log").delete(tags={"a"})):
    for values in write._returnable:
        (NOT_REPEATED if values.endswith("OLD") else REPEATED)[f"{write.operation}, {values}"] = write.returning(values)

# --- Writes with a token, and batches


def send_by_hand(client: Any, *actions: Any, token: str | None = None) -> object:
    """Send it once, and what may have been carried out again, as another process that was handed the transaction."""
    transaction = TransactWrite(*actions, token=token)
    for _ in range(4):
        try:
            return transaction.send(client, max_attempts=1)
        except RequestUnavailable as error:
            last, transaction = error, pickle.loads(pickle.dumps(transaction))
    raise last


count = update.add(n=1).when(n_is_5)
several = (
    count.named("count"),
    put_new.if_not_exists(),
    t.delete(MARKER).if_exists(),
    t.check({"PK": "A#1", "SK": "P"}).when(Attr("email").exists()),
)
batch: list[Put | Delete] = [put, put_new, t.delete(MARKER)]
WITH_TOKEN: dict[str, Write] = {
    "put exactly once": lambda client: put_new.if_not_exists().send(client, exactly_once=True),
    "put when it is so, exactly once": lambda client: put.when(n_is_5).send(client, exactly_once=True),
    "update exactly once": lambda client: update.add(n=1).send(client, exactly_once=True),
    "update when it is so, exactly once": lambda client: count.send(client, exactly_once=True),
    "append exactly once": lambda client: update.set(log=Attr("log").append(["z"])).send(client, exactly_once=True),
    "delete exactly once": lambda client: delete.if_exists().send(client, exactly_once=True),
    "transaction of one": lambda client: TransactWrite(update.add(n=1)).send(client),
    "transaction of one with a given token": lambda client: TransactWrite(count, token="one").send(client),
    "transaction of several": lambda client: TransactWrite(*several).send(client),
    "transaction of several with a given token": lambda client: TransactWrite(*several, token="several").send(client),
    "transaction by hand": lambda client: send_by_hand(client, *several),
    "transaction with a given token by hand": lambda client: send_by_hand(client, *several, token="by hand"),
    "create": lambda client: unique.create({**NEW, "email": "bob@example.com", "phone": "1"}).send(client),
    "create with a given token": lambda client: unique.create(
        {**NEW, "email": "bob@example.com"}, token="create", when=Attr("n").not_exists()
    ).send(client),
    "change": lambda client: unique.change(RECORD, email="bob@example.com", phone="1").send(client),
    "change and count": lambda client: unique.change(
        RECORD, email="bob@example.com", update=t.update({"PK": "A#1", "SK": "P"}).add(n=1)
    ).send(client),
    "delete with its markers": lambda client: unique.delete(RECORD).send(client),
    "batch": lambda client: BatchWrite(*batch).send(client),
    "stream": lambda client: BatchWrite.stream(client, iter(batch)),
}

# --- The store, and what can happen

SOME = [("lost",), ("500",), ("lost", "500", "lost")]
UNKNOWN = "unknown"
MOTO_DIFFERS = "Update, UPDATED_NEW"
"""moto returns what has changed; DynamoDB what was named: https://github.com/ministackorg/ministack/issues/1040"""


@pytest.fixture
def store(moto: DynamoDBClient, monkeypatch: pytest.MonkeyPatch) -> DynamoDBClient:
    """A client of a table; nobody waits."""
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    moto.create_table(
        TableName="t",
        KeySchema=[{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}],
        AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("PK", "SK")],
        BillingMode="PAY_PER_REQUEST",
    )
    return moto


def read_all(store: DynamoDBClient) -> list[Any]:
    return sorted((from_item(item) for item in store.scan(TableName="t", ConsistentRead=True)["Items"]), key=place)


def carry_out(store: DynamoDBClient, write: Write, *faults: str) -> tuple[object, list[Any]]:
    """Write to what is stored before: the answer, or that the outcome is said to be unknown, and all that is stored."""
    BatchWrite(*(t.delete({name: item[name] for name in OLD}) for item in read_all(store))).send(store)
    BatchWrite(*(t.put(item) for item in BEFORE)).send(store)
    try:
        answer = write(FaultyClient(store, *faults))
    except RequestUnavailable as error:
        answer = UNKNOWN if error.outcome_unknown else error
    if isinstance(answer, dict):
        answer.pop("ResponseMetadata", None)
    return answer, read_all(store)


@pytest.mark.parametrize("name", [*REPEATED, *WITH_TOKEN])
def test_what_can_be_repeated_is_done_once_and_answered_as_if_nothing_was_lost(
    store: DynamoDBClient, name: str
) -> None:
    write = WITH_TOKEN[name] if name in WITH_TOKEN else REPEATED[name].send
    answer, once = carry_out(store, write)
    for faults in SOME:
        found, items = carry_out(store, write, *faults)
        assert items == once, faults
        assert found == answer or name == MOTO_DIFFERS, faults
    assert carry_out(store, write, *["lost"] * 30) == (UNKNOWN, once)
    assert carry_out(store, write, *["500"] * 30) == (UNKNOWN, BEFORE)


@pytest.mark.parametrize("name", NOT_REPEATED)
def test_what_would_count_twice_or_be_answered_otherwise_is_said_to_be_unknown(
    store: DynamoDBClient, name: str
) -> None:
    write = NOT_REPEATED[name].send
    _, once = carry_out(store, write)
    for faults in SOME:
        items = once if faults[0] == "lost" else BEFORE
        assert carry_out(store, write, *faults) == (UNKNOWN, items), faults


def test_a_batch_of_many_requests_is_done_as_far_as_its_answers_came(store: DynamoDBClient) -> None:
    actions = [t.put({**NEW, "SK": f"{number:02}"}) for number in range(30)] + [t.delete(MARKER)]

    def write(client: Any) -> None:
        BatchWrite(*actions).send(client)

    _, once = carry_out(store, write)
    assert len(once) == 32
    for faults in SOME:
        assert carry_out(store, write, *faults) == (None, once), faults
    assert carry_out(store, write, *["lost"] * 30) == (UNKNOWN, sorted([*BEFORE, *once[1:26]], key=place))
