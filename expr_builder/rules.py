"""Every rule that a request can break: what it demands, where AWS documents it, and examples that break and keep it.

They are in ``rules.json`` beside this module. Tests run the examples, and ``make rules`` writes ``docs/rules.md``.
Nothing that builds or sends a request imports this module.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import NotRequired, TypedDict

    class _Entry(TypedDict):
        """A rule as it stands in the file."""

        id: str
        meaning: str
        page: str
        operation: NotRequired[str]
        builder: NotRequired[str]
        unwritable: NotRequired[str]
        fails: object
        passes: object

    class _Group(TypedDict):
        """Rules that have a section, and perhaps some setup, in common."""

        name: str
        setup: NotRequired[list[str]]
        rules: list[_Entry]

    class _File(TypedDict):
        """The whole file."""

        setup: list[str]
        groups: list[_Group]


_AWS = "https://docs.aws.amazon.com/amazondynamodb/latest/"


class Rule:
    """A rule, with its examples.

    Attributes:
        id: Its stable id, which a ``BuildError`` and a ``Problem`` have as their ``rule``.
        group: The section of ``docs/rules.md`` that it stands in.
        meaning: What it demands, as Markdown.
        page: Where AWS documents it; ``""`` for a rule about Python alone.
        operation: Of a rule that lint checks, the operation of both examples; else ``""``.
        builder: Of a rule that lint checks, a line of Python with which the builder refuses the same; or ``""``.
        unwritable: In its place, why nothing that the builder writes can break the rule.
        setup: Python that defines what the examples use: ``accounts`` is also the table of those that are requests.
    """

    __slots__ = ("_fails", "_passes", "builder", "group", "id", "meaning", "operation", "page", "setup", "unwritable")

    def __init__(self, group: str, setup: str, entry: _Entry) -> None:
        page = entry["page"]
        self.id = entry["id"]
        self.group = group
        self.meaning = entry["meaning"]
        self.page = _AWS + page if page.endswith(".html") and "://" not in page else page  # most are AWS's
        self.operation = entry.get("operation", "")
        self.builder = entry.get("builder", "")
        self.unwritable = entry.get("unwritable", "")
        self.setup = setup
        self._fails = entry["fails"]
        self._passes = entry["passes"]

    @property
    def advised(self) -> bool:
        """Whether it is only advice: the service takes what breaks it, and lint names it on request."""
        return self.group == "Advice"

    @property
    def fails(self) -> object:
        """A request that breaks this rule alone; where lint cannot see the rule, a line of Python."""
        return _write_out(self._fails)

    @property
    def passes(self) -> object:
        """Much the same, keeping the rule."""
        return _write_out(self._passes)

    def __repr__(self) -> str:
        return f"Rule({self.id!r})"


def _write_out(example: object) -> object:
    """Replace ``{"before": …, "repeat": text, "times": n, "after": …}``, which stands for text too long for a file."""
    if isinstance(example, list):
        return [_write_out(element) for element in example]
    if not isinstance(example, dict):
        return example
    if "repeat" in example:
        return f"{example.get('before', '')}{example['repeat'] * example['times']}{example.get('after', '')}"
    return {name: _write_out(element) for name, element in example.items()}


def _read_file() -> Iterator[Rule]:
    import json
    from pathlib import Path

    content: _File = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
    for group in content["groups"]:
        setup = "\n".join([*content["setup"], *group.get("setup", [])])
        for entry in group["rules"]:
            yield Rule(group["name"], setup, entry)


_ALL = tuple(_read_file())

RULES: dict[str, Rule] = {rule.id: rule for rule in sorted(_ALL, key=lambda rule: rule.id)}
"""Every rule by its id, sorted."""

GROUPS: tuple[str, ...] = tuple(dict.fromkeys(rule.group for rule in _ALL))
"""The groups, in the order in which they are best read."""
