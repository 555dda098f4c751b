"""The order of rooms and modules: what breaks it is found, and docs/architecture.md shows what there is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tools import architecture

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A small package that keeps all rules, to be spoilt."""
    write(
        tmp_path / "house",
        {
            "__init__": "TYPE_CHECKING = False\nif TYPE_CHECKING:\n    from .requests.table import Table\n",
            "errors": '"""What can go\nwrong. And more."""',
            "attribute_values.__init__": '"""Values | sizes."""',
            "attribute_values.values": "from house.errors import BuildError",
            "requests.__init__": '"""Requests."""',
            "requests.action": "from house.attribute_values.values import to_item",
            "requests.table": "from .action import Action\ndef send():\n    from house.errors import RequestError",
            "cli.__init__": "from house import Table, __version__\nfrom house.requests import table",
        },
    )
    return tmp_path / "house"


def write(package: Path, modules: dict[str, str]) -> None:
    for name, text in modules.items():
        path = package.joinpath(*name.split(".")).with_suffix(".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_imports_that_point_down_are_in_order(package: Path) -> None:
    tree = architecture.read(package)

    assert architecture.find_upward(tree) == []
    assert architecture.find_circles(tree) == []
    assert tree.rooms() == ["errors", "attribute_values", "requests", "cli"]
    assert tree.list_modules("requests") == ["requests", "requests.action", "requests.table"]


@pytest.mark.parametrize(
    "statement",
    [
        "from .table import Table",
        "from . import table",
        "from house.requests.table import Table",
        "from house.requests import table",
        "import house.requests.table",
        "from house import Table",
        "import importlib\nimportlib.import_module('.table', __package__)",
        "def late():\n    from .table import Table",
        "async def late():\n    from .table import Table",
        "class Late:\n    def method(self):\n        if self:\n            from .table import Table",
        "try:\n    from .table import Table\nexcept ImportError:\n    pass",
        "if TYPE_CHECKING:\n    pass\nelse:\n    from .table import Table",
    ],
)
def test_a_circle_in_a_room_is_found_late_or_not(package: Path, statement: str) -> None:
    write(package, {"requests.action": statement})

    assert architecture.find_circles(architecture.read(package)) == [["requests.action", "requests.table"]]


def test_a_circle_of_several_rooms_is_found_with_all_its_modules(package: Path) -> None:
    write(package, {"errors": "def late():\n    from house.requests import table"})

    assert architecture.find_circles(architecture.read(package)) == [
        ["attribute_values.values", "errors", "requests.action", "requests.table"]
    ]


@pytest.mark.parametrize("guard", ["TYPE_CHECKING", "typing.TYPE_CHECKING"])
def test_what_the_type_checker_alone_imports_is_exempt(package: Path, guard: str) -> None:
    write(package, {"errors": f"if {guard}:\n    from house.requests.table import Table"})

    tree = architecture.read(package)

    assert (architecture.find_circles(tree), architecture.find_upward(tree)) == ([], [])


@pytest.mark.parametrize(
    ("module", "text", "said"),
    [
        ("limits", "from house.cli import main", "limits imports cli (line 1)"),
        ("limits", "def late():\n    from house import Table", "limits imports requests.table (line 2, late)"),
        ("attic", "from house import errors", "attic imports errors (line 1)"),
        ("web", "import house.__main__", "web imports __main__ (line 1)"),
    ],
    ids=["upwards", "upwards and late", "from a room without a place", "above all"],
)
def test_an_import_that_does_not_point_down_is_found(package: Path, module: str, text: str, said: str) -> None:
    write(package, {module: text, "__main__": ""})

    assert [str(one) for one in architecture.find_upward(architecture.read(package))] == [said]


def test_rooms_of_one_floor_may_import_each_other_but_not_in_a_circle(package: Path) -> None:
    write(package, {"rules": "import house.errors"})
    assert architecture.find_upward(architecture.read(package)) == []

    write(package, {"errors": "def late():\n    import house.rules"})
    assert architecture.find_circles(architecture.read(package)) == [["errors", "rules"]]


def test_the_page_shows_rooms_from_the_top_and_no_arrow_that_another_way_implies(package: Path) -> None:
    page = architecture.page(architecture.read(package))

    assert [line.strip() for line in page.splitlines() if "-->" in line] == [
        "cli --> requests",
        "requests --> attribute_values",
        "attribute_values --> errors",
    ]
    assert "| `requests/` | Requests. | `attribute_values`, `errors` |" in page
    assert "| `attribute_values/` | Values \\| sizes. | `errors` |" in page
    assert "| `errors` | What can go wrong. |  |" in page
    assert page.index("| `table` |") < page.index("| `action` |")


def test_the_committed_page_is_up_to_date() -> None:
    page = architecture.page(architecture.read(architecture.PACKAGE))

    assert architecture.PAGE.read_text(encoding="utf-8") == page, "run `make architecture`"
