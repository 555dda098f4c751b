"""The deployed API against openapi.json, by Schemathesis: good and bad requests that follow from the document, alone
and in sequences."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from tools import openapi
from tools.venvs import ENVIRONMENTS, ensure

if TYPE_CHECKING:
    from pathlib import Path

    from tests.deployed.conftest import Service

# Left out: that a request which fits the schema is never refused. No schema knows all rules of an e-mail address,
# whether a version is stale, or which key was used before.
LEFT_OUT = "positive_data_acceptance"


@pytest.fixture
def service(open_service: Service) -> Service:
    return open_service.emptied()


def with_the_local_clouds_own_words(document: dict[str, Any]) -> dict[str, Any]:
    """A call without a token is answered by API Gateway itself: on AWS in the template's words, here in other ones."""
    for path in document["paths"].values():
        for operation in path.values():
            operation["responses"]["401"]["content"]["application/json"] = {"schema": {"required": ["message"]}}
    return document


def test_every_answer_is_one_that_the_document_describes(service: Service, tmp_path: Path) -> None:
    ensure("schemathesis")
    document, report = tmp_path / "openapi.json", tmp_path / "report.json"
    document.write_text(json.dumps(with_the_local_clouds_own_words(openapi.document())))

    done = subprocess.run(
        [
            ENVIRONMENTS["schemathesis"].path / "bin/schemathesis",
            *("run", document, "--url", service.deployment.url),
            *("--header", f"Authorization: Bearer {service.signer.token('schemathesis')}"),
            *("--exclude-checks", LEFT_OUT, "--continue-on-failure", "--warnings", "off"),
            *("--max-examples", "40", "--seed", "1", "--generation-database", "none"),
            *("--report", "json", "--report-json-path", report),
        ],
        cwd=tmp_path,
        env={**os.environ, "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(report.read_text())
    assert (found["complete"], found["failures"], found["errors"]) == (True, [], [])
    assert {name: phase["status"] for name, phase in found["phases"].items()} == {
        "examples": "skip",  # the document has none
        "coverage": "success",
        "fuzzing": "success",
        "stateful": "success",
    }
    accepted = {
        name: sum(phase["accepted"] for phase in phases.values()) for name, phases in found["valid_rates"].items()
    }
    assert len(accepted) == len(openapi.OPERATIONS)
    assert min(accepted.values()) > 0, accepted  # requests came through, and not to refusals only
