"""The table that ``make bench`` prints, and the page that it keeps."""

from __future__ import annotations

import json

import pytest

from bench.__main__ import RESULTS
from bench.page import PAGE, blocks, filled
from bench.rows import Row, as_markdown, as_text

FASTER = Row("build", "sign-up", 6.0, 2.0, "by hand", "µs", most=3.0)
SLOWER = Row("build", "parse", 8.0, 2.0, "by hand", "µs", most=3.0)
MORE = Row("typed", "scan", 80.0, 100.0, "boto3", "/s", least=0.9)
ALONE = Row("import", "layer", 12.2, None, "", "MB", most=13)


def test_a_target_is_reached_by_the_ratio_or_without_a_rival_by_the_figure_itself() -> None:
    assert [row.reached for row in (FASTER, SLOWER, MORE, ALONE)] == [True, False, False, True]
    assert Row("build", "lint", 1.0, 2.0, "by hand", "µs").reached is None


def test_a_ratio_counts_as_it_is_shown() -> None:
    assert Row("build", "sign-up", 3.004, 1.0, "by hand", "µs", most=3.0).reached is True
    assert Row("build", "sign-up", 3.006, 1.0, "by hand", "µs", most=3.0).reached is False


def test_the_table_shows_each_row_with_its_verdict() -> None:
    assert as_text([FASTER, MORE, ALONE]).splitlines() == [
        "what     ours     rival            ratio  target  reached",
        "sign-up  6 µs     2 µs    by hand  3.00   ≤ 3     yes",
        "scan     80 /s    100 /s  boto3    0.80   ≥ 0.9   NO",
        "layer    12.2 MB                          ≤ 13    yes",
    ]


def test_the_page_gets_a_markdown_table() -> None:
    assert as_markdown([SLOWER]).splitlines() == [
        "| what | ours | compared with | ratio | target | reached |",
        "| --- | --- | --- | --- | --- | --- |",
        "| parse | 8 µs | by hand 2 µs | 4.00 | ≤ 3 | NO |",
    ]


def test_a_kept_row_reads_back_as_it_was() -> None:
    assert Row.from_json(FASTER.to_json()) == FASTER


def test_a_page_keeps_what_people_wrote_around_the_generated_parts() -> None:
    page = "before\n<!-- cost: written by `make bench` -->\nold\n<!-- end of cost -->\nafter\n"

    once = filled(page, {"cost": "new"})

    assert once == "before\n<!-- cost: written by `make bench` -->\n\nnew\n\n<!-- end of cost -->\nafter\n"
    assert filled(once, {"cost": "new"}) == once


def test_a_page_without_a_place_for_a_part_is_an_error_that_names_it() -> None:
    with pytest.raises(ValueError, match="<!-- cost: written by `make bench` -->"):
        filled("nothing here", {"cost": "new"})


def test_the_page_shows_the_results_that_are_kept() -> None:
    kept = json.loads(RESULTS.read_text())

    rows = [Row.from_json(row) for row in kept["rows"]]

    assert [row.to_json() for row in rows] == kept["rows"]
    assert filled(PAGE.read_text(), blocks(rows)) == PAGE.read_text()
