"""Terminal, Markdown, CSV and JSON."""

import csv
import io
import json
import re
from dataclasses import replace

import pytest
from rich.console import Console
from sample_run import HOSTILE

from rosettabench.report.formats.markdown import fence_text, render_markdown
from rosettabench.report.formats.record import render_json
from rosettabench.report.formats.samples import COLUMNS, as_csv, harmless, render_csv
from rosettabench.report.formats.terminal import print_details


def printed(summary, width=120):
    console = Console(file=io.StringIO(), width=width, force_terminal=False)
    print_details(summary, console)
    return console.file.getvalue()


def test_the_terminal_shows_verdicts_failures_and_the_command(summary):
    shown = printed(summary)
    assert "jax is fastest" in shown
    assert "Stand-in data: not the real imdb" in shown
    assert "chainer needs Python 3.6" in shown
    assert "rosetta run quick --data-dir '/data/with a space'" in shown
    assert shown.count("A/A control") == 3


@pytest.mark.parametrize("width", [80, 100, 140])
def test_numbers_and_names_never_break_in_the_terminal(summary, width):
    shown = printed(replace(summary, contests=summary.contests[:1]), width)
    assert max(map(len, shown.splitlines())) <= width
    for whole in ("keras[tensorflow]", "reference", "440 MB", "proven"):
        assert whole in shown
    ranked = summary.contests[0].ranked[1]
    assert f"{ranked.relative.low:.2f} to {ranked.relative.high:.2f}" in shown
    assert ("Not enough room for: samples per second" in " ".join(shown.split())) == (width == 80)


def test_no_control_character_reaches_the_terminal(summary):
    assert "\x1b" not in printed(summary)
    assert "[31mred" in printed(summary, 200)


def test_the_names_of_frameworks_are_not_taken_for_markup(summary):
    assert "keras[tensorflow]" in printed(summary, 200)


def test_markdown_has_no_live_html_and_no_broken_table(summary):
    text = render_markdown(summary)
    assert not re.search(r"(?<!\\)<", text)
    tables = re.findall(r"(?:^\|.*\|$\n?)+", text, re.MULTILINE)
    assert len(tables) >= 8
    for table in tables:
        widths = {len(re.findall(r"(?<!\\)\|", line)) for line in table.strip().splitlines()}
        assert len(widths) == 1


def test_every_markdown_table_of_a_stand_in_says_so(summary):
    section = render_markdown(summary).split("## imdb-gru")[1].split("\n## ")[0]
    captions = re.findall(r"^\*(?!\*).*\*$", section, re.MULTILINE)
    assert len(captions) == 5
    assert all("Stand-in data" in caption for caption in captions)


def test_a_fence_is_longer_than_what_it_holds():
    assert fence_text("a ``` b").startswith("````sh\n")


def test_csv_has_every_block_exactly(summary):
    rows = list(csv.DictReader(io.StringIO(render_csv(summary), newline="")))
    samples = [sample for contest in summary.contests for entry in contest.entries for sample in entry.samples]
    assert len(rows) == len(samples) > 150
    assert [float(row["elapsed_s"]) for row in rows] == [sample.elapsed_s for sample in samples]
    assert tuple(rows[0]) == COLUMNS
    assert HOSTILE in {row["contender"] for row in rows}
    assert {row["data"] for row in rows if row["workload"] == "imdb-gru"} == {"stand-in"}


def test_csv_holds_no_formulas():
    assert harmless("=1+1") == "'=1+1"
    assert as_csv(("a", "b"), [{"a": "@x", "b": -1.5}]).splitlines() == ["a,b", "'@x,-1.5"], "a number is none"


def test_json_is_strict_and_whole(summary):
    def refuse(constant):
        raise AssertionError(f"{constant} is not JSON")

    record = json.loads(render_json(summary), parse_constant=refuse)
    assert record["format"] == 2
    assert record["contests"][0]["headline"]["answer"] == "jax is fastest"
    keras = next(entry for entry in record["contests"][1]["entries"] if entry["label"] == "keras[tensorflow]")
    assert keras["proof"]["divergence"]["deviation"] == "nan"
    assert len(keras["samples"]) == 25


def test_an_empty_run_can_be_shown_in_every_form(summary):
    empty = replace(summary, contests=(), labels=(), faults=())
    assert summary.id in printed(empty)
    assert summary.id in render_markdown(empty)
    assert render_csv(empty).splitlines() == [",".join(COLUMNS)]
