"""The museum while it is open: every command goes through a table with a past, and people write to it meanwhile."""

from __future__ import annotations

import random
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest

from expr_builder import Marker, RequestConflict, Table, Unique, UniqueViolation, to_item
from expr_builder.cli import main
from expr_builder.markers import Kind, Layout, Mender, ScanOptions, audit, backfill
from tests.support.cloud import stored
from tests.support.museum import create_declared

if TYPE_CHECKING:
    from concurrent.futures import Future

    from mypy_boto3_dynamodb import DynamoDBClient

WRITERS = 3
STEPS = 60  # of each writer
OPTIONS = ScanOptions(segments=2, page_items=25)
COMMANDS = [
    "audit",
    "plan --keep oldest:at",
    "repair --dry-run",
    "show one@example.com --no-scan",
    "repair",
    "backfill --checkpoint backfill.json",
    "retire --dry-run",
    "backfill --keep oldest:at",
    "show o#home",
    "give nobody@example.com --field email --to P#1",
    "audit --reserved --redact",
]


def declare(table: str) -> Layout:
    """Every shape of marker at once; the command finds this function by its name."""
    sort = "LOCK" if table.endswith("-sorted") else ""
    rules = {
        "email": Marker("MAIL#{}", normalize=str.lower, sort=sort, previous=[Marker("EMAIL#{}", sort=sort)]),
        "phone": Marker("PHONE#{}", sort=sort, optional=True, hold=timedelta(days=30)),
        "slug": Marker("ORG#{org}#SLUG#{}", sort=sort, optional=True),
        "aliases": Marker("ALIAS#{}", sort=sort, optional=True, each=True, digest=b"secret"),
    }
    declared = Table(table, "PK", "SK" if sort else None)
    return Layout(Unique(declared, rules, owner="PK"), record_sort="HEAD" if sort else None, record_prefix="P#")


def exhibits() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Records, and items at the keys of markers, from before: the first a person must decide about."""
    records: list[dict[str, Any]] = [
        {"PK": "P#old", "email": "Old@example.com", "at": 1},  # has the marker of the old rule alone
        {"PK": "P#twin1", "email": "twin@example.com", "at": 1},
        {"PK": "P#twin2", "email": "TWIN@example.com", "at": 2},
        {"PK": "P#bad", "email": 7},
        {"PK": "P#null", "email": "null@example.com", "phone": None, "slug": None, "aliases": None},
    ]
    others: list[dict[str, Any]] = [
        {"PK": "EMAIL#Old@example.com", "owner": "P#old"},
        {"PK": "MAIL#admin", "owner": "RESERVED"},
        {"PK": "MAIL#root"},
        {"PK": "MAIL#null", "owner": None},
        {"PK": "MAIL#list", "owner": ["P#old"]},
        {"PK": "PHONE#110", "owner": "P#gone", "note": "emergency"},
        {"PK": "PHONE#7", "owner": "P#gone", "free_at": 4_000_000_000},
        {"PK": "PHONE#8", "owner": "P#gone", "free_at": "soon"},
        {"PK": "ORG#o#SLUG#", "owner": "P#old"},
        {"PK": "ORDER#1", "owner": "P#old", "email": "twin@example.com"},
    ]
    return records, others


class Writer:
    """One of those who write to the museum: it knows its own records."""

    def __init__(self, number: int, unique: Unique, client: DynamoDBClient, head: dict[str, Any]) -> None:
        self.chance = random.Random(number)
        self.mine: dict[str, dict[str, Any]] = {}
        self.done: Counter[str] = Counter()
        self.number, self.unique, self.client, self.head = number, unique, client, head

    def work(self) -> None:
        """Create, change and delete, and give up what is refused."""
        for step in range(STEPS):
            chosen = self.chance.choice([*self.mine]) if self.mine else ""
            what = self.chance.choice(["create", "change", "delete"]) if len(self.mine) > 3 else "create"
            old, values = self.mine.get(chosen, {}), self._invent()
            new = {"PK": f"P#{self.number}-{step}", **self.head, **values} if what == "create" else {**old, **values}
            try:
                if what == "create":
                    self.unique.create(new).send(self.client)
                elif what == "change":
                    self.unique.change(old, values).send(self.client)
                else:
                    self.unique.delete(old).send(self.client)
            except (UniqueViolation, RequestConflict):
                continue
            self.done[what] += 1
            if what == "delete":
                del self.mine[chosen]
            else:
                self.mine[new["PK"]] = {name: value for name, value in new.items() if value is not None}

    def _invent(self) -> dict[str, Any]:
        chance = self.chance
        return {
            "email": f"{chance.choice('abcdefghijklmnop')}{chance.randrange(9)}@example.com",
            "phone": chance.choice([None, str(chance.randrange(1000, 1100))]),
            "org": "o",
            "slug": chance.choice([None, f"page{chance.randrange(60)}"]),
            "aliases": chance.choice([None, [f"{chance.choice('xyz')}{chance.randrange(40)}" for _ in range(2)]]),
        }


@pytest.mark.parametrize("kind", ["sorted", "alone"])
def test_nothing_foreign_is_changed_nothing_is_lost_and_the_rest_is_named(
    client: DynamoDBClient, kind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Any
) -> None:
    name = f"museum-{uuid4()}-{kind}"
    layout = declare(name)
    create_declared(client, layout.table)
    head: dict[str, Any] = {"SK": "HEAD"} if kind == "sorted" else {}
    lock: dict[str, Any] = {"SK": "LOCK"} if kind == "sorted" else {}
    records, others = exhibits()
    past = [*({**item, **head} for item in records), *({**item, **lock} for item in others)]
    for item in past:
        client.put_item(TableName=name, Item=to_item(item))
    monkeypatch.setenv("AWS_ENDPOINT_URL", client.meta.endpoint_url)
    for variable in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(variable, "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", client.meta.region_name)
    monkeypatch.chdir(tmp_path)

    def run(command: str) -> tuple[int, str]:
        options = ["--unique", f"{__name__}:declare", "--table", name]
        options += [] if command.startswith("give") else ["--segments", "2"]
        status = main(["markers", *command.split(), *options])
        return status, capsys.readouterr().out

    writers = [Writer(number, layout.unique, client, head) for number in range(WRITERS)]
    with ThreadPoolExecutor(WRITERS) as pool:
        working: list[Future[None]] = [pool.submit(writer.work) for writer in writers]
        rounds = 0
        while rounds < 1 or not all(future.done() for future in working):
            for command in COMMANDS:
                status, output = run(command)
                assert status in (0, 1), (command, output, sys.stderr)
            rounds += 1
        for future in working:
            future.result()
    assert sum((writer.done for writer in writers), Counter()).keys() == {"create", "change", "delete"}

    # Nothing is lost, and nothing foreign is changed.
    kept = {key: record for writer in writers for key, record in writer.mine.items()}
    now = {item["PK"]: item for item in stored(client, name)}
    assert {key: now[key] for key in now if key.startswith("P#")} == kept | {
        item["PK"]: item for item in past if item["PK"].startswith("P#")
    }
    for item in past:
        assert now[item["PK"]] == item

    # Every record has its markers, each names it, and nobody else's: but for what a person must decide.
    backfill(layout, client, OPTIONS)
    for finding in audit(layout, client, OPTIONS).findings:
        Mender(layout, client).mend(finding)
    now = {item["PK"]: item for item in stored(client, name)}
    for key, record in kept.items():
        for field in layout.fields:
            for partition in layout.find_markers(record, field):
                assert now[partition]["owner"] == key
    left = [(one.kind, one.record, one.marker) for one in audit(layout, client, OPTIONS).findings]
    assert sorted(left, key=repr) == sorted(
        [
            (Kind.DUPLICATE, "P#twin2", "MAIL#twin@example.com"),
            (Kind.INVALID, "P#bad", None),
            *((Kind.RESERVED, None, f"MAIL#{reserved}") for reserved in ("admin", "root", "null", "list")),
            (Kind.RESERVED, None, "PHONE#110"),
            (Kind.RESERVED, None, "PHONE#8"),
        ],
        key=repr,
    )
    assert "PHONE#7" in now, "what rests for a record that is gone goes on resting"
    Path("findings.jsonl").write_text(run("audit --format json")[1])
    assert run("repair --from findings.jsonl")[0] == 1
    assert {item["PK"]: item for item in stored(client, name)} == now
