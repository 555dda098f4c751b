"""``expr-builder markers`` on the accounts: what it prints, and how it ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest

from accounts.schema import declare_table
from expr_builder import BatchWrite
from expr_builder.cli import main
from tests.support.cloud import dynamodb
from tests.support.damage import DAMAGES, account, duplicate, lock, missing, orphan, put
from tests.support.store import Store
from tests.support.template import ROOT, create_table
from tools import processes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from mypy_boto3_dynamodb import DynamoDBClient

    from tools.local_cloud import LocalCloud

    Output = tuple[int, str, str]
    Run = Callable[..., Output]

ACCOUNTS = ("--unique", "accounts.schema:declare_layout")


@pytest.fixture
def store(client: DynamoDBClient, table: str) -> Store:
    """The table on moto, which TABLE_NAME names."""
    return Store(client, table)


@pytest.fixture
def run(store: Store, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command in this process; returns exit code, standard output and standard error.

    One thread, as moto's transactions do not bear several.
    """
    monkeypatch.setattr(sys, "path", [*sys.path])  # the command adds the current directory

    def command(name: str, *arguments: str) -> Output:
        threads = () if name == "show" else ("--segments", "1")
        code = main(["markers", name, *ACCOUNTS, *threads, *arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return command


def lines(output: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output.splitlines()]


def test_a_clean_audit_is_a_sentence_and_exit_code_0(store: Store, run: Run) -> None:
    account(store, "ada")

    assert run("audit") == (0, "1 record and 2 markers read: no findings.\n", "")


def test_findings_are_a_table_their_meaning_and_exit_code_1(store: Store, run: Run) -> None:
    put(store, lock("UNIQ#HANDLE#bob", "ACCT#1"))
    put(store, lock("UNIQ#EMAIL#bob@example.com", "ACCT#1"))

    assert run("audit") == (
        1,
        (
            "KIND    FIELD     MARKER                      RECORD  HOLDER\n"
            "orphan  email     UNIQ#EMAIL#bob@example.com  -       ACCT#1\n"
            "orphan  username  UNIQ#HANDLE#bob             -       ACCT#1\n"
            "\n"
            "orphan: a marker whose record does not exist: its value is blocked for everybody\n"
            "\n"
            "0 records and 2 markers read: 2 findings (2 orphan).\n"
        ),
        "",
    )


def test_json_is_a_line_for_each_finding_and_a_summary(store: Store, run: Run) -> None:
    wanted = [damage(store) for damage in DAMAGES]

    code, output, errors = run("audit", "--format", "json")

    *findings, summary = lines(output)
    kinds = dict.fromkeys(("double", "duplicate", "invalid", "missing", "orphan", "reserved"), 1) | {"stolen": 2}
    assert (code, errors) == (1, "")
    assert sorted(findings, key=str) == sorted((finding.to_json() for finding in wanted), key=str)
    assert summary == {
        "summary": {
            "complete": True,
            "records": 8,
            "markers": 16,
            "others": 0,
            "findings": kinds,
        }
    }


def test_redacted_findings_hide_the_values_and_cannot_be_mended_by(store: Store, run: Run, tmp_path: Path) -> None:
    finding = orphan(store)
    kept = tmp_path / "findings.jsonl"

    _, output, _ = run("audit", "--format", "json", "--redact")
    kept.write_text(output)
    refused = run("repair", "--from", str(kept))

    (shown, _) = lines(output)
    assert shown.pop("marker").startswith("UNIQ#EMAIL#~")
    assert shown == {"kind": "orphan", "field": "email", "holder": {"S": finding.holder}, "redacted": True}
    assert "orphan@" not in output
    assert refused == (
        2,
        "",
        f"expr-builder: {kept}, line 1: redacted; audit again without --redact to repair.\n",
    )


def test_a_dry_run_prints_the_transaction_and_sends_nothing(store: Store, run: Run) -> None:
    finding = missing(store)
    before_it = store.items()

    code, output, _ = run("repair", "--dry-run")

    assert code == 1
    assert output == (
        f"planned  missing  username  UNIQ#HANDLE#missing  record {finding.record}\n"
        f"    ConditionCheck PK = '{finding.record}', SK = 'PROFILE'\n"
        "      if attribute_exists(PK) AND username = 'missing'\n"
        f"    Put PK = 'UNIQ#HANDLE#missing', SK = 'LOCK', owner = '{finding.record}'\n"
        "      if attribute_not_exists(PK)\n"
        "1 planned.\n"
    )
    assert store.items() == before_it


def test_a_repair_mends_audits_again_and_ends_clean(store: Store, run: Run) -> None:
    finding = missing(store)

    assert run("repair") == (
        0,
        (
            f"mended  missing  username  UNIQ#HANDLE#missing  record {finding.record}\n"
            "1 mended.\n"
            "Audited again:\n"
            "1 record and 2 markers read: no findings.\n"
        ),
        "",
    )
    assert run("repair") == (0, "nothing to mend.\n", "")
    store.check()


def test_what_a_person_must_decide_is_exit_code_1(store: Store, run: Run) -> None:
    clash = duplicate(store)

    code, output, _ = run("repair")

    assert code == 1
    assert output.startswith(
        f"left  duplicate  email  UNIQ#EMAIL#twin@example.com  record {clash.record}  holder {clash.holder}\n1 left.\n"
    )


def test_findings_of_an_earlier_audit_can_be_mended(store: Store, run: Run, tmp_path: Path) -> None:
    finding = orphan(store)
    kept = tmp_path / "findings.jsonl"
    kept.write_text(run("audit", "--format", "json")[1])

    first = run("repair", "--from", str(kept), "--format", "json")
    second = run("repair", "--from", str(kept), "--format", "json")

    mended, sums = lines(first[1])
    assert (first[0], mended["outcome"], mended["finding"], sums) == (
        0,
        "mended",
        finding.to_json(),
        {"summary": {"mended": 1}},
    )
    assert (second[0], lines(second[1])) == (
        0,
        [{"outcome": "gone", "finding": finding.to_json()}, {"summary": {"gone": 1}}],
    )
    store.check()


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"kind": "odd", "field": "email"}', '{"kind": "orphan"}', '{"kind": "orphan", "extra": 1}']
)
def test_a_file_of_something_else_is_refused_by_line(run: Run, tmp_path: Path, text: str) -> None:
    kept = tmp_path / "findings.jsonl"
    kept.write_text(f'{{"summary": {{}}}}\n\n{text}\n')

    assert run("repair", "--from", str(kept)) == (
        2,
        "",
        f"expr-builder: {kept}, line 3: no finding, as audit --format json writes them.\n",
    )


def test_show_is_a_table_for_each_holder(store: Store, run: Run) -> None:
    pk = account(store, "ada")

    code, output, _ = run("show", "ADA")

    assert code == 0
    width = len(pk)
    assert output == (
        "email: not a value that email can have.\n"
        "\n"
        f"username: held by {pk} (through UNIQ#HANDLE#ada).\n"
        f"    FIELD     RECORD           MARKER                      {'HOLDER'.ljust(width)}  VERDICT\n"
        f"    email     ada@example.com  UNIQ#EMAIL#ada@example.com  {pk}  fine\n"
        f"    username  ada              UNIQ#HANDLE#ada             {pk}  fine\n"
    )
    assert run("show", "nobody") == (
        0,
        "email: not a value that email can have.\n\nusername: nobody holds it (there is no UNIQ#HANDLE#nobody).\n",
        "",
    )


def test_show_of_a_marker_without_a_record_says_what_is_wrong(store: Store, run: Run) -> None:
    put(store, lock("UNIQ#HANDLE#bob", "ACCT#gone"))

    code, output, _ = run("show", "bob")

    assert code == 1
    assert output.endswith(
        "username: held by ACCT#gone (through UNIQ#HANDLE#bob) - "
        "orphan: a marker whose record does not exist: its value is blocked for everybody.\n"
    )
    assert [line["holder"] for line in lines(run("show", "bob", "--format", "json")[1])] == [None, {"S": "ACCT#gone"}]


def test_stored_control_characters_do_not_reach_the_terminal(store: Store, run: Run) -> None:
    put(store, lock("UNIQ#HANDLE#\x1b[2Jbob", "ACCT#1"))

    assert "\x1b" not in run("audit")[1]


# --- refusals


REFUSALS = {
    "audit --table nowhere": (
        "Scan: ResourceNotFoundException (there is no such table here: check --table, the Region and AWS_ENDPOINT_URL)"
    ),
    "audit --table a/b": (
        "a table's name has 1 to 255 letters, digits, _ . or - (or give the table's whole ARN) [table-name]"
    ),
    "repair --from missing.jsonl": "missing.jsonl: No such file or directory",
    "audit --checkpoint no/such/a.json": "no/such/a.json cannot be written (No such file or directory).",
}


@pytest.mark.parametrize("arguments", REFUSALS)
def test_what_cannot_be_done_is_one_line_and_exit_code_2(
    run: Run, arguments: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    assert run(*arguments.split()) == (2, "", f"expr-builder: {REFUSALS[arguments]}\n")


def test_without_a_table_it_says_how_to_name_one(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TABLE_NAME")

    assert run("audit") == (2, "", "expr-builder: Name the table: --table, or TABLE_NAME in the environment.\n")


def test_a_checkpoint_that_is_none_is_refused(run: Run, tmp_path: Path) -> None:
    kept = tmp_path / "kept.json"
    kept.write_text("[]")

    assert run("audit", "--checkpoint", str(kept)) == (
        2,
        "",
        f"expr-builder: {kept} is no checkpoint: name another file.\n",
    )
    assert kept.read_text() == "[]"


# --- a Unique instead of the layout


def test_a_unique_on_a_table_with_a_sort_key_needs_to_know_the_records(
    run: Run, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "users_schema.py").write_text(
        "from accounts.schema import declare_table, declare_unique\n\n\n"
        "def unique(name):\n    return declare_unique(declare_table(name))\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    account(store, "ada")

    assert run("audit", "--unique", "users_schema:unique") == (
        2,
        "",
        "expr-builder: The table has a sort key: say which one every record has, with --record-sort.\n",
    )
    assert run("audit", "--unique", "users_schema:unique", "--record-sort", "PROFILE")[:2] == (
        0,
        "1 record and 2 markers read: no findings.\n",
    )


# --- as a program of its own


@pytest.fixture
def cloud_store(cloud: LocalCloud) -> Iterator[Store]:
    with dynamodb(cloud) as client:
        table = f"accounts-{uuid4()}"
        create_table(client, table)
        yield Store(client, table)


@pytest.fixture
def environment(cloud: LocalCloud, cloud_store: Store) -> dict[str, str]:
    """What leads a program to the table on the local cloud."""
    return {
        **cloud.environment(),
        "TABLE_NAME": cloud_store.table,
        "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'layers/accounts'}",
    }


def test_the_module_runs_with_threads_against_an_endpoint_of_the_environment(
    cloud_store: Store, environment: dict[str, str]
) -> None:
    wanted = [damage(cloud_store) for damage in DAMAGES]

    def program(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "expr_builder", "markers", *arguments, *ACCOUNTS]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    audited, repaired = program("audit", "--format", "json"), program("repair")

    assert (audited.returncode, audited.stderr) == (1, "")
    assert sorted(lines(audited.stdout)[:-1], key=str) == sorted((one.to_json() for one in wanted), key=str)
    assert repaired.returncode == 1
    assert repaired.stdout.splitlines()[-1] == (
        "8 records and 15 markers read: 3 findings (1 duplicate, 1 invalid, 1 reserved)."
    )
    piped = subprocess.run(
        f"{sys.executable} -m expr_builder markers audit {' '.join(ACCOUNTS)} --format json | head -n 1",
        shell=True,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (json.loads(piped.stdout)["kind"], piped.stderr) == ("duplicate", "")


def test_ctrl_c_keeps_the_position_and_the_same_command_goes_on(
    cloud_store: Store, environment: dict[str, str], tmp_path: Path
) -> None:
    kept = tmp_path / "audit.json"
    table = declare_table(cloud_store.table)
    # A first page with enough to examine to be interrupted at it, and a second one.
    orphans = (lock(f"UNIQ#HANDLE#lost{number}", "ACCT#gone") for number in range(200))
    others = ({"PK": f"ZONE#{number}", "SK": "ITEM"} for number in range(400))
    BatchWrite.stream(cloud_store.client, (table.put(item) for item in (*orphans, *others)))
    scan = ["audit", *ACCOUNTS, "--segments", "1", "--checkpoint", str(kept)]
    command = [sys.executable, "-m", "expr_builder", "markers", *scan]
    running = subprocess.Popen(
        command,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        preexec_fn=processes.heed_interrupts,
    )
    deadline = time.monotonic() + 60
    while not kept.exists() and time.monotonic() < deadline:
        time.sleep(0.05)

    running.send_signal(signal.SIGINT)
    try:
        stopped = running.communicate(timeout=60)
    finally:
        processes.stop(running)
    read = sum(json.loads(kept.read_text())["tally"].values())
    again = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    assert (running.returncode, *stopped) == (
        2,
        "",
        f"expr-builder: Stopped. The same command again goes on from {kept}.\n",
    )
    assert read < 600
    assert again.returncode == 1
    assert again.stdout.endswith("0 records and 200 markers read: 200 findings (200 orphan).\n")
    assert not kept.exists()
