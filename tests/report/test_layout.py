"""Tables as text: what is there to be copied is never broken, whatever the width, and the answer fits on a screen."""

import io
import shlex
from dataclasses import replace

import pytest
from rich.console import Console

from rosettabench.report.formats.layout import PIPE_WIDTH, column_widths, print_table
from rosettabench.report.formats.terminal import print_ranking, print_run
from rosettabench.report.tables.table import Column, Table, TableCell, listing, plain_columns
from rosettabench.report.words.contest import warning

PATH = "/a/folder/that/lies/deep/below/others/python3.11"
ROWS = [
    ("keras[tensorflow]:compiled", "a sentence that may be broken wherever there is a blank", PATH),
    ("jax", "a short one", "/b"),
]
TABLE = listing("the caption", plain_columns("contender", "what it is", "interpreter"), ROWS)


def shown(table, width):
    """What is printed in so many columns."""
    console = Console(file=io.StringIO(), width=width, markup=False, highlight=False)
    print_table(table, console)
    return console.file.getvalue()


@pytest.mark.parametrize("width", [60, 80, 100, 140])
def test_no_name_and_no_path_is_broken(width):
    text = shown(TABLE, width)
    assert PATH in text
    assert max(len(line) for line in text.splitlines() if PATH not in line) <= width
    assert "keras[tensorflow]:compiled" in text


def test_too_narrow_for_columns_it_is_one_record_below_the_other():
    lines = [line.rstrip() for line in shown(TABLE, 60).splitlines() if line.strip()]
    assert lines[0] == "keras[tensorflow]:compiled"
    assert lines[1].split()[:3] == ["what", "it", "is"]
    assert lines.index("jax") > lines.index(f"  interpreter  {PATH}")


def test_in_a_pipe_a_row_is_a_line_without_blanks_at_its_end():
    lines = shown(TABLE, PIPE_WIDTH).splitlines()
    assert len(lines) == 1 + len(ROWS) + 1
    assert all(line == line.rstrip() for line in lines)
    assert lines[1].split("  ")[0] == "keras[tensorflow]:compiled"


def test_columns_share_the_room_that_is_left_by_what_they_need():
    table = listing("", plain_columns("a", "b"), [("word " * 6, "word " * 40)])
    first, second = column_widths(table, (0, 1), 100)
    assert (first, second) == (len("word " * 6), 100 - len("word " * 6) - 6)


def test_what_is_left_out_is_named():
    table = Table("", (Column("name"), Column("needless", spare=1)), ((TableCell("a" * 30), TableCell("b" * 30)),))
    assert "Not enough room for: needless" in shown(table, 50)
    assert "needless" not in shown(replace(table, columns=(Column("name"), Column("b" * 2))), 200)


def test_a_contest_of_four_says_its_answer_in_25_lines(summary):
    """Verdict, ranking, doubts, and how to repeat it: what lies beyond is in the report, and with --verbose."""
    one = replace(summary, contests=summary.contests[:1], faults=())
    console = Console(file=io.StringIO(), width=100, markup=False, highlight=False)
    print_run(one, console)
    text = console.file.getvalue()
    assert len(one.contests[0].ranked) == 4
    assert len(text.splitlines()) + 1 <= 25, "with the line that names the report"
    assert "jax is fastest" in text
    assert shlex.join(one.command) in " ".join(text.split())
    assert "minor" not in text, "resources are for --verbose"


@pytest.mark.parametrize("print_it", [lambda run, console: print_ranking(run.contests[2], console), print_run])
def test_of_a_stand_in_every_ranking_says_so_once(summary, print_it):
    """Also the ranking that is shown while the run lasts: accuracies of a stand-in mean nothing."""
    assert [bool(warning(contest)) for contest in summary.contests] == [False, False, True]
    console = Console(file=io.StringIO(), width=200, markup=False, highlight=False)
    print_it(summary, console)
    assert console.file.getvalue().count(warning(summary.contests[2])) == 1
