"""Runs the examples of rules that are lines of Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from expr_builder import BuildError
from expr_builder.rules import RULES

if TYPE_CHECKING:
    from expr_builder.rules import Rule

REQUEST_RULES = [rule for rule in RULES.values() if rule.operation and not rule.advised]
"""The rules that lint checks: their examples are requests."""

ADVICE_RULES = [rule for rule in RULES.values() if rule.advised]
"""The rules that lint names on request: their examples are requests, too, which the service takes."""

NEEDS_PACKAGES = [rule for rule in RULES.values() if "import boto3" in rule.setup]
"""The rules whose examples need what the library itself does not."""

LIBRARY_RULES = [rule for rule in RULES.values() if not rule.operation and rule not in NEEDS_PACKAGES]
"""The other rules that only the builder has."""


def names_of(rule: Rule) -> dict[str, Any]:
    """What the setup of a rule's examples defines."""
    names: dict[str, Any] = {"__name__": "examples"}
    exec(rule.setup, names)
    return names


def assert_examples_hold(rule: Rule) -> None:
    """The failing line is refused with exactly this rule, the passing one is taken."""
    names = names_of(rule)
    with pytest.raises(BuildError) as caught:
        exec(str(rule.fails), names)
    assert caught.value.rule == rule.id
    exec(str(rule.passes), names)
