"""The README's curl lines, pasted into a shell."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.support.snippets import blocks, commands, matches, pages

if TYPE_CHECKING:
    from tests.deployed.conftest import Service


@pytest.fixture
def service(open_service: Service) -> Service:
    return open_service.emptied()


def test_every_curl_line_of_the_pages_does_what_the_page_says(service: Service) -> None:
    environment = {**os.environ, "URL": service.deployment.url, "TOKEN": service.signer.token("dev")}
    shown = [
        (block.name, *line)
        for page in pages()
        for block in blocks(page)
        if block.info == "console cloud"
        for line in commands(block)
    ]

    assert shown
    for name, command, output in shown:
        done = subprocess.run(["sh", "-c", command], env=environment, capture_output=True, text=True, check=False)
        answer = done.stdout.replace("\r\n", "\n")
        assert matches(output, answer), (
            f"{name}: $ {command}\nshows\n{output}\nbut what comes is\n{answer}{done.stderr}"
        )
