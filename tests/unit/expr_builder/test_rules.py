"""The registry of rules: whatever is raised is in it, and its examples are refused and accepted as it says.

The examples that need more than the library run in ``tests/unit/typed/test_rules.py``.
"""

from __future__ import annotations

import ast
import pickle
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import expr_builder
from expr_builder import BuildError, lint
from expr_builder.rules import GROUPS, RULES, Rule
from tests.support.rule_examples import LIBRARY_RULES, REQUEST_RULES, assert_examples_hold, names_of

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = Path(expr_builder.__file__).parent
RULE_ID = re.compile(r"(?!utf-)[a-z0-9]+(-[a-z0-9]+)+")
AWS_PAGE = re.compile(r"https://docs\.aws\.amazon\.com/[\w./-]+\.html")


@pytest.mark.parametrize("rule", REQUEST_RULES, ids=repr)
def test_lint_finds_this_rule_alone_in_the_failing_request_and_nothing_in_the_other(rule: Rule) -> None:
    tables = [names_of(rule)["accounts"]]
    assert [problem.rule for problem in lint(rule.fails, rule.operation, tables)] == [rule.id]
    assert lint(rule.passes, rule.operation, tables) == []


@pytest.mark.parametrize("rule", REQUEST_RULES, ids=repr)
def test_the_builder_refuses_by_the_same_rule_what_lint_refuses_or_cannot_write_it(rule: Rule) -> None:
    assert bool(rule.builder) is not bool(rule.unwritable)
    if rule.builder:
        with pytest.raises(BuildError) as caught:
            exec(rule.builder, names_of(rule))
        assert caught.value.rule == rule.id


@pytest.mark.parametrize("rule", LIBRARY_RULES, ids=repr)
def test_the_builder_refuses_the_failing_line_with_this_rule_and_takes_the_other(rule: Rule) -> None:
    assert_examples_hold(rule)


def test_rules_are_sorted_and_say_what_they_demand_and_where_it_is_documented() -> None:
    assert list(RULES) == sorted(RULES)
    for name, rule in RULES.items():
        assert rule.id == name
        assert rule.group in GROUPS
        assert rule.meaning.endswith(".")
        assert AWS_PAGE.fullmatch(rule.page) or (rule.page == "" and not rule.operation)
    assert len({rule.meaning for rule in RULES.values()}) == len(RULES)


def test_every_rule_that_is_raised_is_registered_and_every_registered_one_is_raised() -> None:
    raised = {rule for path in PACKAGE.rglob("*.py") for rule in rules_in(path)}
    assert raised - set(RULES) == set(), "describe it in expr_builder/rules.json, then run `make rules`"
    # One word handed on by position looks like any other word; that lint finds these, their examples show.
    assert set(RULES) - raised <= {rule.id for rule in REQUEST_RULES if "-" not in rule.id}


def rules_in(path: Path) -> Iterator[str]:
    """The rules that a module names."""
    # Lint and the parser hand rules on by position: there, any text that looks like a rule's id has to be one.
    by_position = path.relative_to(PACKAGE).parts[0] in ("linting", "expressions")
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.keyword) and node.arg in ("rule", "missing") and isinstance(node.value, ast.Constant):
            yield str(node.value.value)
        elif by_position and isinstance(node, ast.Constant) and RULE_ID.fullmatch(str(node.value)):
            yield str(node.value)


def test_a_rule_is_a_plain_value() -> None:
    rule = RULES["key-empty"]
    assert repr(rule) == "Rule('key-empty')"
    assert (rule.group, rule.operation) == ("Keys and indexes", "GetItem")
    assert rule.page == "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html"
    copy = pickle.loads(pickle.dumps(rule))
    assert (copy.id, copy.meaning, copy.fails) == (rule.id, rule.meaning, rule.fails)


def test_texts_too_long_for_the_file_are_written_out() -> None:
    example: Any = RULES["in-choices"].fails
    assert example["ConditionExpression"] == f"a IN ({'b, ' * 100}b)"
