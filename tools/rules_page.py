"""Write docs/rules.md from the table of cases that the tests of lint run.

``python -m tools.rules_page`` writes the page; a test fails when the committed one is not what would be written.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from expr_builder.linting import OPERATIONS
from tests.unit.expr_builder.rule_cases import BUILDER_RULES, CASES, LINT_RULES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.unit.expr_builder.rule_cases import Case

PAGE = Path(__file__).parents[1] / "docs" / "rules.md"

_INTRODUCTION = """\
# Rules

Every request that DynamoDB would refuse breaks one of these rules. `lint(request, operation=…, tables=[…])` finds them
in any request; a request that is built with `expr_builder` cannot break them: a `BuildError` with the same rule id
(`error.rule`) says so where the mistake is made. The ids are stable.

This page is written by `python -m tools.rules_page` from the table of cases that the tests run; each request on it is
one that a test has linted, with this outcome. Where several cases test a rule for an operation, the first is shown, and
long texts and lists are cut. The keys are those of `Table("accounts", "PK", "SK")`; its indexes are
`ByEmail` (global, `email` and `created`) and `ByDate` (local, `created`).

**The order of problems.** The first is the one that the service answers with, the others are those that it would come
to next: what AWS clients refuse before they send (unknown members: `ParamValidationError`); members of another JSON
type (`SerializationException`); members that are missing or out of bounds; then (all these `ValidationException`) each
action in the order of the request, its values before its expressions; two actions on one item; the size of all
together; the keys and indexes of the tables. AWS documents no order; this is the one of implementations that are tested
against the service.

**The words** are the service's own, as far as they are known. These are not, and so are in words of this project:
`attribute-name`, `binary-base64`, `substitution-size`, `text-utf8`, `transaction-size`.
"""

_LONGEST_TEXT = 48
_LONGEST_LIST = 3


def page() -> str:
    """The whole page."""
    return "\n".join(
        [_INTRODUCTION, *_meanings(), *(line for name in OPERATIONS for line in _operation(name)), *_others()]
    )


def _meanings() -> Iterator[str]:
    yield "## All rules\n"
    yield "| rule | what it demands | source | operations |"
    yield "|---|---|---|---|"
    for rule, (meaning, source) in sorted(LINT_RULES.items()):
        operations = sorted({case.operation for case in CASES if case.rule == rule})
        shown = "all" if len(operations) == len(OPERATIONS) else ", ".join(operations)
        yield f"| `{rule}` | {_cell(meaning)} | {_link(source)} | {shown} |"
    yield ""


def _operation(operation: str) -> Iterator[str]:
    yield f"## {operation}\n"
    yield "| rule | what it demands | source | keeps it | breaks it | problem |"
    yield "|---|---|---|---|---|---|"
    first: dict[str, Case] = {}
    for case in CASES:
        if case.operation == operation:
            first.setdefault(case.rule, case)
    for rule, case in sorted(first.items()):
        meaning, source = LINT_RULES[rule]
        problem = f"{_code(case.pointer or '(the request)')} {_cell(_cut(case.message, 160))}"
        cells = (f"`{rule}`", _cell(meaning), _link(source), _json(case.good), _json(case.bad), problem)
        yield f"| {' | '.join(cells)} |"
    yield ""


def _others() -> Iterator[str]:
    yield "## Rules that only the builder has\n"
    yield "They are about Python, or about what no request shows.\n"
    yield "| rule | what it demands |"
    yield "|---|---|"
    for rule, meaning in sorted(BUILDER_RULES.items()):
        yield f"| `{rule}` | {_cell(meaning)} |"
    yield ""


def _link(source: str) -> str:
    return f"[{source.rpartition('/')[2].removesuffix('.html').removeprefix('API_')}]({source})"


def _json(request: Any) -> str:
    return _code(json.dumps(_shortened(request), ensure_ascii=True))


def _shortened(value: Any) -> Any:
    """The request with long texts and lists cut."""
    if isinstance(value, str):
        return _cut(value, _LONGEST_TEXT)
    if isinstance(value, list):
        more = [f"… {len(value)} in all"] if len(value) > _LONGEST_LIST else []
        return [_shortened(element) for element in value[: _LONGEST_LIST if not more else 1]] + more
    if isinstance(value, dict):
        return {_cut(name, _LONGEST_TEXT): _shortened(element) for name, element in value.items()}
    return value


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 24]}… ({len(text)} characters)"


def _code(text: str) -> str:
    text = text.replace("\\u2026", "…")
    fence = "``" if "`" in text else "`"
    return f"{fence}{text}{fence}".replace("|", "\\|")


def _cell(text: str) -> str:
    for mark in "\\|<>*_[]`":
        text = text.replace(mark, f"\\{mark}")
    return text


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE.relative_to(PAGE.parents[1])}")
