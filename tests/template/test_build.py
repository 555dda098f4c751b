"""What ``sam build`` makes of the sources: the layer's content, its byte code, its processor, its freshness."""

from __future__ import annotations

import importlib.util
import shutil
from typing import TYPE_CHECKING

import pytest

from tools import stack
from tools.venvs import ROOT

if TYPE_CHECKING:
    from pathlib import Path

MEGABYTE = 1_000_000
ELF_MACHINES = {"x86_64": 62, "arm64": 183}
OURS = {"accounts", "expr_builder"}
LOGGER_AND_HTTP = {"aws_lambda_powertools", "jmespath"}
VALIDATION = {"annotated_types", "email_validator", "idna", "pydantic", "pydantic_core", "typing_inspection"}


@pytest.fixture
def layer(built: Path) -> Path:
    return built / "AccountsLayer/python"


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what ``sam build`` reads, links kept as links, to edit at will."""
    copy = tmp_path_factory.mktemp("tree")
    for name in ("expr_builder", "functions", "layers"):
        shutil.copytree(ROOT / name, copy / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("template.yaml", "samconfig.toml"):
        shutil.copy(ROOT / name, copy)
    return copy


def build_in(tree: Path, architecture: str = "x86_64") -> Path:
    stack.sam("build", "--cached", "--parameter-overrides", f"Architecture={architecture}", cwd=tree, quiet=True)
    return tree / ".aws-sam/build/AccountsLayer/python"


def test_the_layer_holds_both_packages_and_what_they_need(layer: Path) -> None:
    packages = {path.name for path in layer.iterdir() if path.is_dir() and not path.name.endswith(".dist-info")}

    assert packages - {"__pycache__"} == OURS | LOGGER_AND_HTTP | VALIDATION


def test_the_sources_in_the_layer_are_those_of_the_checkout(layer: Path) -> None:
    for package, source in (("expr_builder", ROOT), ("accounts", ROOT / "layers/accounts")):
        expected = {path.relative_to(source): path.read_bytes() for path in (source / package).rglob("*.py")}
        assert {path.relative_to(layer): path.read_bytes() for path in (layer / package).rglob("*.py")} == expected


def test_boto3_is_left_to_the_lambda_runtime(layer: Path) -> None:
    assert not [path for path in layer.iterdir() if path.name.startswith(("boto", "s3transfer"))]


def test_the_layer_keeps_within_13_megabytes_without_byte_code(layer: Path) -> None:
    files = [path for path in layer.rglob("*") if path.is_file() and path.suffix != ".pyc"]

    assert sum(path.stat().st_size for path in files) <= 13 * MEGABYTE


@pytest.mark.parametrize("part", ["AccountsLayer/python", "AuthorizeFunction"])
def test_every_module_has_byte_code_of_3_13_that_is_used_without_a_look_at_file_times(part: str, built: Path) -> None:
    unchecked_hash = (0b01).to_bytes(4, "little")
    sources = list((built / part).rglob("*.py"))
    assert sources
    for source in sources:
        compiled = source.parent / "__pycache__" / f"{source.stem}.cpython-313.pyc"
        assert compiled.is_file(), source
        with compiled.open("rb") as file:
            assert (file.read(4), file.read(4)) == (importlib.util.MAGIC_NUMBER, unchecked_hash), source


def test_the_authorizer_holds_its_sources_and_what_they_need(built: Path) -> None:
    names = {path.name for path in (built / "AuthorizeFunction").iterdir() if not path.name.endswith(".dist-info")}

    assert {name for name in names if not name.endswith(".so")} - {"__pycache__"} == {
        "app.py",
        "cffi",
        "cryptography",
        "jwt",
        "verify.py",
    }


@pytest.mark.parametrize("architecture", ["arm64", "x86_64"])
def test_the_wheels_are_for_the_architecture_that_was_asked_for(tree: Path, architecture: str) -> None:
    layer = build_in(tree, architecture)

    for part in (layer, layer.parents[1] / "AuthorizeFunction"):
        machines = {int.from_bytes(path.read_bytes()[18:20], "little") for path in part.rglob("*.so")}
        assert machines == {ELF_MACHINES[architecture]}


def test_a_cached_build_picks_up_an_edit_in_the_library(tree: Path) -> None:
    build_in(tree)
    edited = tree / "expr_builder/__init__.py"
    text = edited.read_text() + "\n# an edit\n"

    edited.write_text(text)

    assert (build_in(tree) / "expr_builder/__init__.py").read_text() == text
