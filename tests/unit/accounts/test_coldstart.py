"""What a starting container does once, seen in processes of their own that take themselves for Lambda's."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]
LAMBDA = {
    "AWS_LAMBDA_FUNCTION_NAME": "signup",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_ACCESS_KEY_ID": "testing",
    "AWS_SECRET_ACCESS_KEY": "testing",
    "TABLE_NAME": "accounts",
}
LOOK = """
import gc, json, os
while_loading = []
import accounts.coldstart
while_loading.append(gc.isenabled())
import app
from accounts.wiring import make_service
print(json.dumps({
    "collector while loading": while_loading[0],
    "collector": gc.isenabled(),
    "spared": gc.get_freeze_count() > 10_000,
    "services made": make_service.cache_info().currsize,
    "plug-ins": os.environ.get("PYDANTIC_DISABLE_PLUGINS"),
}))
"""


def started(code: str = LOOK, **environment: str) -> dict[str, Any]:
    path = os.pathsep.join(str(ROOT / folder) for folder in ("functions/signup", "layers/accounts", ""))
    kept = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**kept, "PYTHONPATH": path, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return dict(json.loads(done.stdout))


def test_a_starting_container_makes_its_client_and_spares_the_collector_what_it_loaded() -> None:
    assert started(**LAMBDA) == {
        "collector while loading": False,
        "collector": True,
        "spared": True,
        "services made": 1,
        "plug-ins": "1",
    }


def test_a_container_without_a_table_name_starts_all_the_same_and_leaves_the_report_to_the_first_request() -> None:
    found = started(**{**LAMBDA, "TABLE_NAME": ""})

    assert (found["collector"], found["services made"]) == (True, 0)


def test_elsewhere_nothing_is_done_ahead() -> None:
    assert started() == {
        "collector while loading": True,
        "collector": True,
        "spared": False,
        "services made": 0,
        "plug-ins": None,
    }


def test_a_container_does_not_load_what_boto3_has_for_other_services() -> None:
    loaded = started("import json, sys, app; print(json.dumps({'boto3': 'boto3' in sys.modules}))", **LAMBDA)

    assert loaded == {"boto3": False}
