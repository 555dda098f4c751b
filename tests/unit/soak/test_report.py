"""What a soak prints, and with what it ends."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.soak.history import NO_ANSWER, Call, History, Kind
from tests.soak.report import report
from tests.soak.run import Soak
from tests.support.template import ROOT


def test_a_report_shows_operations_faults_retries_and_violations() -> None:
    history = History()
    for call in (
        Call(Kind.READ, "alice", 0, 1, 200, "a"),
        Call(Kind.SIGN_UP, "alice", 0, 1, 201, "a", key="k", tries=3, unsettled=True),
        Call(Kind.READ, "alice", 1, 2, NO_ANSWER, "a"),
        Call(Kind.READ, "alice", 3, 4, 200, "a", again=True),
    ):
        history.record(call)
    soak = Soak(history, 59.7, {"write: slow": 7, "write: outage": 0}, 12, 1, ["account a: a reason"])

    assert soak.missed == ["write: outage"]
    assert report(soak).splitlines() == [
        "operations                                  4  in 60 s",
        "  read                                      3  1 x no answer, 2 x 200",
        "  sign up                                   1  1 x 201",
        "retries by clients                          3",
        "requests to DynamoDB                       12",
        "faults injected                             7",
        "  write: slow                               7",
        "  write: outage                             0  NEVER HAPPENED",
        "accounts at the end                         1",
        "violations                                  1",
        "account a: a reason",
    ]


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("SECONDS=0", "SECONDS must be a whole number from 1 to 3600, such as 60."),
        ("CLIENTS=many", "CLIENTS must be a whole number from 1 to 64, such as 16."),
    ],
)
def test_a_setting_that_makes_no_sense_is_named_with_the_fix(setting: str, said: str) -> None:
    name, _, value = setting.partition("=")
    environment = {**os.environ, "PYTHONPATH": "layers/accounts", name: value}

    done = subprocess.run(
        [sys.executable, "-m", "tests.soak"], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stdout, done.stderr.strip()) == (2, "", said)
