"""One scene for all: the service, its DynamoDB apart from it, and the fault proxy in between."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.soak.clients import warm_up
from tests.soak.scene import scene
from tests.support.events import reset

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.soak.scene import Scene


@pytest.fixture(scope="package")
def _place(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    with scene(tmp_path_factory.mktemp("soak"), built) as place:
        warm_up(place.url, place.signer, copies=1)
        yield place


@pytest.fixture
def place(_place: Scene) -> Scene:
    """With an empty table, and without faults."""
    _place.proxy.inject({})
    _place.settle()
    reset(_place.client, _place.table)
    return _place
