"""docs/rules.md is what the library's registry of rules says."""

from __future__ import annotations

import re

from expr_builder.rules import GROUPS, RULES
from tools.rules_page import PAGE, page


def test_the_committed_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run: make rules"


def test_every_rule_has_a_section_with_its_meaning_its_page_and_two_examples() -> None:
    sections = dict(re.findall(r"^### (\S+)\n(.*?)(?=^##|\Z)", page(), re.DOTALL | re.MULTILINE))
    assert sections.keys() == RULES.keys()
    for name, text in sections.items():
        assert RULES[name].meaning in text
        assert f"({RULES[name].page})" in text or not RULES[name].page
        refused, accepted = text.split("Accepted:")
        assert accepted.count("```") == 2
        assert refused.count("```") == (4 if RULES[name].builder else 2)
        assert ("Advised" if RULES[name].advised else "Refused") in refused


def test_the_table_of_contents_leads_to_every_rule() -> None:
    contents = page().partition("\n## ")[0]
    assert re.findall(r"\]\(#([a-z0-9-]+)\)", contents) == [
        rule.id for group in GROUPS for rule in RULES.values() if rule.group == group
    ]


def test_the_page_is_one_that_people_read() -> None:
    assert len(page().encode()) < 120_000
