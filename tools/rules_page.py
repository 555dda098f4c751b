"""``make rules``: writes docs/rules.md from the library's registry of rules and from what lint says of its examples.

A test fails when the committed page is out of date.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from expr_builder import BuildError, lint
from expr_builder.rules import GROUPS, RULES
from tools.venvs import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from expr_builder.rules import Rule

PAGE = ROOT / "docs" / "rules.md"

_INTRODUCTION = """\
# Rules

Every request that DynamoDB would refuse breaks one of these rules. `lint(request, operation=…, tables=[…])` finds them
in any request. A request that is built with `expr_builder` cannot break them: a `BuildError` with the same rule id
(`error.rule`) is raised where the mistake is made. The ids are stable.

Each rule is shown with an example that breaks it and nothing else, what is said about it, and an example that keeps it.
Where the examples are requests, lint has found the problem, and its place is a JSON pointer. Where they are Python,
the rule is about Python, or about something that no request shows. Long texts are cut.

**The order of problems.** The first is the one that the service answers with. The others are those that it would come
to next:

1. what AWS clients refuse before they send: unknown members (`ParamValidationError`);
2. members of another JSON type (`SerializationException`);
3. members that are missing or out of bounds (from here on, all are `ValidationException`);
4. each action in the order of the request: whether its parameters go together, its values, its expressions, and last
   the structure of a key condition;
5. two actions on one item;
6. the size of all together;
7. the keys and indexes of the tables.

AWS documents no order; this is the one of implementations that are tested against the service.

**Advice** is no problem: the service takes these requests, and they may not do what was meant. Only
`lint(…, advice=True)` gives it, and only about a request that has no problem.

**The words** of lint are the service's own as of August 2026, as far as they are known. Those for `attribute-name`,
`substitution-size`, `text-utf8`, `transaction-region` and `transaction-size` are this project's.

This page is written by `make rules` from `expr_builder/rules.json`; tests run every example."""

_LONGEST_TEXT = 48
_LONGEST_LIST = 3
_WIDTH = 100
_DEEPEST_INDENT = 4


def page() -> str:
    """The whole page."""
    # Every rule's setup starts with the shortest one; what a group has beyond that is shown with the group.
    common = min((rule.setup for rule in RULES.values()), key=len)
    lines = [
        _INTRODUCTION,
        "",
        "The lines of Python use these names, and `accounts` is the table of the requests:",
        "",
        *_block("python", common),
    ]
    for group in GROUPS:
        rules = [rule for rule in RULES.values() if rule.group == group]
        lines += [f"- **{group}**: {', '.join(f'[{rule.id}](#{rule.id})' for rule in rules)}"]
    lines.append("")
    for group in GROUPS:
        rules = [rule for rule in RULES.values() if rule.group == group]
        further = rules[0].setup.removeprefix(common).strip()
        lines += [f"## {group}", ""]
        lines += ["The examples also use these names:", "", *_block("python", further)] if further else []
        lines += [line for rule in rules for line in _section(rule)]
    return "\n".join(lines).rstrip() + "\n"


def _section(rule: Rule) -> Iterator[str]:
    link = f" [AWS: {rule.page.rpartition('/')[2].removesuffix('.html').removeprefix('API_')}]({rule.page})"
    yield f"### {rule.id}\n"
    yield f"{rule.meaning}{link if rule.page else ''}\n"
    if rule.operation:
        yield f"{'Advised' if rule.advised else 'Refused'}, {_problem(rule)}\n"
        yield from _block("json", _layout(_shorten(rule.fails)))
        if rule.builder:
            yield f"The builder refuses it: {_code(_error(rule, rule.builder))}\n"
            yield from _block("python refused", rule.builder)
        elif rule.unwritable:
            yield f"The builder cannot write it: {rule.unwritable}.\n"
        yield "Accepted:\n"
        yield from _block("json", _layout(_shorten(rule.passes)))
    else:
        yield f"Refused: {_code(_error(rule, str(rule.fails)))}\n"
        yield from _block("python refused", str(rule.fails))
        yield "Accepted:\n"
        yield from _block("python", str(rule.passes))


def _problem(rule: Rule) -> str:
    # Exactly one: an example breaks its rule and nothing else.
    (problem,) = lint(rule.fails, rule.operation, [_names_of(rule)["accounts"]], advice=rule.advised)
    at = f" at {_code(_cut(problem.pointer))}" if problem.pointer else ""
    return f"`{rule.operation}`{at}: {_code(_cut(problem.message, 400))}"


def _error(rule: Rule, line: str) -> str:
    try:
        exec(line, _names_of(rule))  # noqa: S102  # the library's own line
    except BuildError as error:
        return str(error).removesuffix(f" [{rule.id}]")
    raise ValueError(f"the failing example of {rule.id} is not refused")


def _names_of(rule: Rule) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "examples"}
    exec(rule.setup, names)  # noqa: S102  # the library's own lines
    return names


# --- Text


def _shorten(value: object) -> object:
    """The request with long texts and lists cut."""
    if isinstance(value, str):
        return _cut(value)
    if isinstance(value, list):
        # One element shows what a long list is made of.
        more = [f"… {len(value)} in all"] if len(value) > _LONGEST_LIST else []
        return [_shorten(element) for element in value[: _LONGEST_LIST if not more else 1]] + more
    if isinstance(value, dict):
        return {_cut(name): _shorten(element) for name, element in value.items()}
    return value


def _cut(text: str, length: int = _LONGEST_TEXT) -> str:
    # A text that is only a little too long is easier to read whole than cut.
    return text if len(text) <= 2 * length else f"{text[:length]}… ({len(text):,} characters)"


def _layout(value: object, indent: str = "") -> str:
    """JSON with a line for each member of what does not fit on one line; deeply nested values stay on one line."""
    flat = json.dumps(value).replace("\\u2026", "…")  # only the mark of what was cut is shown as it is
    fits = len(indent) + len(flat) <= _WIDTH or len(indent) > _DEEPEST_INDENT
    if fits or not isinstance(value, (dict, list)):
        return flat
    deeper = f"{indent}  "
    if isinstance(value, dict):
        parts = [f"{json.dumps(name)}: {_layout(element, deeper)}" for name, element in value.items()]
        return f"{{\n{deeper}" + f",\n{deeper}".join(parts) + f"\n{indent}}}"
    return f"[\n{deeper}" + f",\n{deeper}".join(_layout(element, deeper) for element in value) + f"\n{indent}]"


def _block(language: str, text: str) -> list[str]:
    return [f"```{language}", text, "```", ""]


def _code(text: str) -> str:
    fence = "``" if "`" in text else "`"
    return f"{fence}{text}{fence}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE.relative_to(ROOT)}")
