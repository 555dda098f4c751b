"""docs/rules.md is what the table of cases says."""

from __future__ import annotations

from expr_builder.linting import OPERATIONS
from tests.unit.expr_builder.rule_cases import BUILDER_RULES, CASES, LINT_RULES
from tools.rules_page import PAGE, page


def test_the_committed_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run: .venv/bin/python -m tools.rules_page"


def test_each_operation_has_a_row_for_each_of_its_rules() -> None:
    sections = page().split("\n## ")
    for operation in OPERATIONS:
        (section,) = (section for section in sections if section.startswith(f"{operation}\n"))
        rows = [line.split(" | ")[0] for line in section.splitlines() if line.startswith("| `")]
        assert rows == [f"| `{rule}`" for rule in sorted({case.rule for case in CASES if case.operation == operation})]


def test_every_rule_is_on_the_page() -> None:
    text = page()
    assert all(f"| `{rule}` |" in text for rule in (*LINT_RULES, *BUILDER_RULES))
