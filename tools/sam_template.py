"""Reads ``template.yaml``: the application's functions, and the routes at which they are called."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import yaml

from tools.venvs import ROOT

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Route", "Template", "functions", "read", "routes", "template"]

Template = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Route:
    """A method and a path of the API, and the logical id of the function that answers there."""

    method: str
    path: str
    function: str

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


class _Loader(yaml.SafeLoader):
    """Understands CloudFormation's short forms: ``!Ref X`` reads as ``{"!Ref": "X"}``."""

    # A class of its own, as constructors are registered for the whole class.


def _read_short_form(loader: _Loader, suffix: str, node: yaml.Node) -> dict[str, Any]:
    if isinstance(node, yaml.SequenceNode):
        value: Any = loader.construct_sequence(node, deep=True)
    elif isinstance(node, yaml.MappingNode):
        value = loader.construct_mapping(node, deep=True)
    else:
        value = node.value
    return {f"!{suffix}": value}


_Loader.add_multi_constructor("!", _read_short_form)


def read(path: Path) -> Template:
    """A template's file as data."""
    loaded: Template = yaml.load(path.read_text(encoding="utf-8"), Loader=_Loader)  # a SafeLoader
    return loaded


@cache
def template() -> Template:
    """The repository's own template."""
    return read(ROOT / "template.yaml")


def functions(of: Template | None = None) -> dict[str, dict[str, Any]]:
    """The properties of each function of a template, by logical id; of the repository's own when none is given."""
    resources = (template() if of is None else of)["Resources"].items()
    return {name: one["Properties"] for name, one in resources if one["Type"] == "AWS::Serverless::Function"}


def routes(of: Template | None = None) -> list[Route]:
    """Every route of a template's API. A function on a schedule has none."""
    return [
        Route(event["Properties"]["Method"].upper(), event["Properties"]["Path"], name)
        for name, properties in functions(of).items()
        for event in properties.get("Events", {}).values()
        if event["Type"] == "Api"
    ]
