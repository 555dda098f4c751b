"""The hooks call programs of this checkout and no others."""

from __future__ import annotations

import yaml

from tools.venvs import ROOT

CONFIG = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())


def test_nothing_is_fetched_from_elsewhere() -> None:
    assert [one["repo"] for one in CONFIG["repos"]] == ["local"]
    assert {hook["language"] for one in CONFIG["repos"] for hook in one["hooks"]} == {"system"}


def test_each_hook_is_a_check_of_make_lint() -> None:
    text = (ROOT / "tools/lint").read_text()

    for hook in CONFIG["repos"][0]["hooks"]:
        program, check = hook["entry"].split()
        assert (program, check) == ("tools/lint", hook["id"])
        assert f"if wants {check};" in text
