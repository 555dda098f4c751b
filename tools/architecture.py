"""Draws docs/architecture.md from the code: the rooms of ``expr_builder``, what each holds, and which imports which.

``make architecture`` writes the page. One test fails when the committed page is out of date, another when a module
imports upwards or in a circle. Only the order of the rooms is written down here, as it is the rule; everything else is
read from the modules themselves.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from collections.abc import Set as AbstractSet

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "expr_builder"
PAGE = ROOT / "docs/architecture.md"

FLOORS = (
    ("errors", "limits", "reserved", "rules"),
    ("attribute_values",),
    ("expressions",),
    ("sending",),
    ("requests",),
    ("linting",),
    ("marker", "unique"),
    ("typed",),
    ("markers",),
    ("web",),
    ("cli",),
)
"""The rooms, ground floor first. Those of one floor are single modules, ordered among themselves by their imports."""

FACE = ""
"""The package's own ``__init__``. It loads nothing and hands on names: to import one of these is to import the module
that defines it."""

ABOVE_ALL = {FACE, "__main__"}


@dataclass(frozen=True, slots=True)
class Import:
    """One module imports another.

    Attributes:
        line: The line of the statement.
        late: Whether the statement is in a function, and so runs when that is called.
    """

    importer: str
    imported: str
    line: int
    late: bool

    def __str__(self) -> str:
        return f"{self.importer} imports {self.imported} (line {self.line}{', late' if self.late else ''})"


@dataclass(frozen=True, slots=True)
class Tree:
    """The modules of a package, named without it (``requests.table``; a package's own ``__init__`` is ``requests``).

    Attributes:
        modules: The first sentence of each module's docstring.
        imports: All imports of one by another, without those for the type checker alone.
    """

    modules: dict[str, str] = field(default_factory=dict)
    imports: list[Import] = field(default_factory=list)

    def rooms(self) -> list[str]:
        """The rooms that are there, ground floor first; an unknown one comes last."""
        found = {find_room(module) for module in self.modules} - ABOVE_ALL
        known = [room for floor in FLOORS for room in floor if room in found]
        return known + sorted(found - set(known))

    def list_modules(self, room: str) -> list[str]:
        """The modules of a room, each after those that it imports; where this leaves the order open, by name."""
        targets = {module: set[str]() for module in self.modules if find_room(module) == room}
        for one in self.imports:
            if find_room(one.importer) == room == find_room(one.imported):
                targets[one.importer].add(one.imported)
        # A module reaches whatever its imports reach, and these imports too: so it reaches more than each of them.
        return sorted(targets, key=lambda module: (len(_reach(module, targets)), module))


def read(package: Path) -> Tree:
    """Reads all modules of a package, without importing them."""
    paths = {_name(path, package): path for path in sorted(package.rglob("*.py"))}
    parsed = {name: ast.parse(path.read_text(encoding="utf-8"), filename=str(path)) for name, path in paths.items()}
    homes = _read_homes(parsed[FACE], package.name, paths.keys())
    tree = Tree({name: _read_first_sentence(module) for name, module in parsed.items()})
    for name, module in parsed.items():
        reader = _Reader(package.name, name, paths[name].name == "__init__.py", paths.keys(), homes)
        reader.visit(module)
        tree.imports.extend(reader.found)
    return tree


def find_room(module: str) -> str:
    """The room of a module: a package, or the module itself where it stands alone."""
    return module.partition(".")[0]


def find_upward(tree: Tree) -> list[Import]:
    """The imports that point to a higher room, to an unknown one, or across one floor."""
    floor_of = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}
    floor_of |= dict.fromkeys(ABOVE_ALL, len(FLOORS))
    wrong = []
    for one in tree.imports:
        importer, imported = find_room(one.importer), find_room(one.imported)
        if importer == imported:  # within a room only circles are wrong: see find_circles
            continue
        if importer not in floor_of or imported not in floor_of or floor_of[importer] < floor_of[imported]:
            wrong.append(one)
    return wrong


def find_circles(tree: Tree) -> list[list[str]]:
    """The modules that import each other in a circle, late imports counted: one list for each group of them."""
    targets: dict[str, set[str]] = {module: set() for module in tree.modules}
    for one in tree.imports:
        targets[one.importer].add(one.imported)
    reachable = {module: _reach(module, targets) for module in targets}
    knots = {
        tuple(sorted(other for other in reachable[module] if module in reachable[other]))
        for module in targets
        if module in reachable[module]  # it comes back to itself
    }
    return sorted(list(knot) for knot in knots)


def page(tree: Tree) -> str:
    """The whole page."""
    rooms = tree.rooms()
    return "\n".join([_INTRODUCTION, *_draw_diagram(tree, rooms), *_table(tree, rooms), *_list_contents(tree, rooms)])


class _Reader(ast.NodeVisitor):
    """Collects the imports of one module."""

    def __init__(
        self, package: str, module: str, is_package: bool, modules: AbstractSet[str], homes: Mapping[str, str]
    ) -> None:
        self.package = package
        self.module = module
        self.base = module.split(".") if module else []
        if not is_package:
            self.base = self.base[:-1]
        self.modules = modules
        self.homes = homes
        self.found: list[Import] = []
        self.depth = 0

    def visit_If(self, node: ast.If) -> None:
        test = node.test
        name = test.id if isinstance(test, ast.Name) else test.attr if isinstance(test, ast.Attribute) else ""
        if name != "TYPE_CHECKING":
            self.generic_visit(node)
            return
        # The branch for the type checker never runs; the other one does.
        for other in node.orelse:
            self.visit(other)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._visit_later(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._visit_later(node)

    def _visit_later(self, node: ast.AST) -> None:
        self.depth += 1
        self.generic_visit(node)
        self.depth -= 1

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            self._note_absolute(alias.name.split("."), (), node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        parts = node.module.split(".") if node.module else []
        names = [alias.name for alias in node.names]
        if node.level:
            # One dot is the module's own package, each further one a package up.
            self._note([*self.base[: len(self.base) - node.level + 1], *parts], names, node)
        else:
            self._note_absolute(parts, names, node)

    def visit_Call(self, node: ast.Call) -> None:
        """``import_module("expr_builder.x")`` with a literal name is an import like any other."""
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        argument = node.args[0] if node.args else None
        if called in {"import_module", "__import__"} and isinstance(argument, ast.Constant):
            text = str(argument.value)
            dots = len(text) - len(text.lstrip("."))
            if dots:
                self._note([*self.base[: len(self.base) - dots + 1], *text[dots:].split(".")], (), node)
            else:
                self._note_absolute(text.split("."), (), node)
        self.generic_visit(node)

    def _note_absolute(self, parts: list[str], names: Iterable[str], node: ast.stmt | ast.expr) -> None:
        if parts[:1] == [self.package]:
            self._note(parts[1:], names, node)

    def _note(self, parts: list[str], names: Iterable[str], node: ast.stmt | ast.expr) -> None:
        """Of ``from .room import name``: the module ``room.name`` if there is one, else ``room`` itself."""
        module = ".".join(parts)
        targets = {self._find(module, name) for name in names} or {module}
        # The face loads nothing, so that importing it never closes a circle.
        for target in sorted((targets & self.modules) - {self.module, FACE}):
            self.found.append(Import(self.module, target, node.lineno, late=self.depth > 0))

    def _find(self, module: str, name: str) -> str:
        within = f"{module}.{name}".lstrip(".")
        if within in self.modules:
            return within
        return self.homes.get(name, FACE) if module == FACE else module


def _read_homes(face: ast.Module, package: str, modules: AbstractSet[str]) -> dict[str, str]:
    """The module of each name that the package's face hands on, from its imports for the type checker."""
    reader = _Reader(package, FACE, is_package=True, modules=modules, homes={})
    homes: dict[str, str] = {}
    for node in ast.walk(face):
        if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module:
            homes |= {alias.asname or alias.name: reader._find(node.module, alias.name) for alias in node.names}
    return homes


def _read_first_sentence(module: ast.Module) -> str:
    paragraph = " ".join((ast.get_docstring(module) or "").partition("\n\n")[0].split())
    sentence, stop, _ = paragraph.partition(". ")  # with the space, as names of files and modules have dots
    return sentence + stop.rstrip()


def _name(path: Path, package: Path) -> str:
    parts = path.relative_to(package).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _reach(start: str, targets: Mapping[str, AbstractSet[str]]) -> set[str]:
    """What ``start`` imports, directly or not; ``start`` itself only if it is in a circle."""
    reached: set[str] = set()
    waiting = [start]
    while waiting:
        for target in targets[waiting.pop()] - reached:
            reached.add(target)
            waiting.append(target)
    return reached


_INTRODUCTION = """\
# Architecture

`expr_builder` is divided into rooms. A room imports only from rooms below it, and a module only from lower rooms and
from modules below it in its own room. There are no circles. An import inside a function counts like any other; only
what stands under `if TYPE_CHECKING` does not. A test holds all of this.

This page is drawn from the code by `make architecture`: the arrows are the imports that exist, each module stands above
those that it imports, and the descriptions are the first lines of the docstrings.

## Rooms and their imports
"""


def _list_used(tree: Tree, rooms: Iterable[str]) -> dict[str, list[str]]:
    """The rooms that each room imports from, highest first."""
    order = list(rooms)
    pairs = {(find_room(one.importer), find_room(one.imported)) for one in tree.imports}
    return {room: [other for other in reversed(order) if other != room and (room, other) in pairs] for room in order}


def _draw_diagram(tree: Tree, rooms: list[str]) -> Iterator[str]:
    """The diagram, without the arrows that a longer path implies: with all of them it would be unreadable."""
    used = _list_used(tree, rooms)
    yield "```mermaid"
    yield "flowchart TD"
    for room in reversed(rooms):
        yield f'    {room}["{_make_title(tree, room)}"]'
    for room in reversed(rooms):
        for other in used[room]:
            if not any(other in _reach(between, {name: set(used[name]) for name in used}) for between in used[room]):
                yield f"    {room} --> {other}"
    yield "```"
    yield ""
    yield "An arrow that another way through the diagram implies is left out; the table has all of them."
    yield ""


def _table(tree: Tree, rooms: list[str]) -> Iterator[str]:
    used = _list_used(tree, rooms)
    yield "| room | holds | imports from |"
    yield "|---|---|---|"
    for room in reversed(rooms):
        imported = ", ".join(f"`{other}`" for other in used[room])
        yield f"| `{_make_title(tree, room)}` | {_write_cell(tree.modules[room])} | {imported} |"
    yield ""


def _list_contents(tree: Tree, rooms: list[str]) -> Iterator[str]:
    """The modules of each room of several, highest first."""
    yield "## What a room holds"
    yield ""
    for room in reversed(rooms):
        modules = [module for module in reversed(tree.list_modules(room)) if module != room]
        if modules:
            yield f"### `{room}/`"
            yield ""
            yield "| module | holds |"
            yield "|---|---|"
            for module in modules:
                yield f"| `{module.removeprefix(f'{room}.')}` | {_write_cell(tree.modules[module])} |"
            yield ""


def _make_title(tree: Tree, room: str) -> str:
    return f"{room}/" if any(module.startswith(f"{room}.") for module in tree.modules) else room


def _write_cell(text: str) -> str:
    return text.replace("``", "`").replace("|", "\\|")


def main() -> int:
    """Writes the page."""
    PAGE.write_text(page(read(PACKAGE)), encoding="utf-8")
    print(f"Wrote {PAGE.relative_to(ROOT)}.")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
