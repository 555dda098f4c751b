"""A short soak: many clients, few values, faults of every kind between the service and DynamoDB."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.soak.report import report
from tests.soak.run import soak

if TYPE_CHECKING:
    from tests.soak.scene import Scene

SECONDS, CLIENTS, SEED = 15, 8, 20260102


def test_every_acknowledged_answer_is_true_in_spite_of_faults_of_every_kind(place: Scene) -> None:
    result = soak(place, seconds=SECONDS, clients=CLIENTS, seed=SEED)

    assert result.violations == [], report(result)
    assert result.missed == [], report(result)
