"""Resources and differences in the report: figures of processes put together, and what is missing with its reason."""

import io

import pytest
from rich.console import Console
from rows import figure_of
from sample_run import add_figure, event, write_sample_run

from rosettabench.report.formats.markdown import render_markdown
from rosettabench.report.formats.terminal import print_details
from rosettabench.report.tables.resources import KINDS, resources_table
from rosettabench.report.words.contest import difference_sentences
from rosettabench.resources.counters import COUNTERS
from rosettabench.resources.gpu import GPU_FIGURES
from rosettabench.resources.memory import MEMORY
from rosettabench.store.record import FigureName, ReadBack, Unreadable
from rosettabench.store.store import Store
from rosettabench.summary.run import summarise


@pytest.fixture
def fresh(tmp_path):
    """A sample run of one's own, with its first contest and that one's first entry."""
    store = Store(f"sqlite:///{tmp_path}/results.sqlite")
    run_id = write_sample_run(store)
    contest = store.run(run_id).contests[0]
    return store, contest, contest.entries[0]


def entry_of(store, label):
    """An entry of the first contest, summarised."""
    return next(one for one in summarise(store.run()).contests[0].entries if one.label == label)


def test_every_figure_that_is_measured_can_be_shown():
    assert set(KINDS) >= {*COUNTERS, *MEMORY, *GPU_FIGURES, "cpu_energy_j"}


def test_counts_add_up_over_processes_and_memory_does_not(fresh):
    store, _, entry = fresh
    before = entry_of(store, entry.label).resources
    add_second(store, entry, FigureName.CPU_USER, 10.0, {"windows": 4, "seconds": 7.0})
    add_second(store, entry, FigureName.RESIDENT, before.amounts["resident_bytes"] + 2e8)
    after = entry_of(store, entry.label).resources
    assert after.amounts["cpu_user_s"] == pytest.approx(before.amounts["cpu_user_s"] + 10)
    assert after.seconds == pytest.approx(before.seconds + 7)
    assert after.amounts["resident_bytes"] == pytest.approx(before.amounts["resident_bytes"] + 1e8), "the median"


def add_second(store, entry, name, value, detail=None):
    """Write a figure of an entry's second process."""
    store.add(figure_of(entry, name, value, detail, session=2))


def test_a_sum_with_a_gap_is_no_sum(fresh):
    store, contest, entry = fresh
    event(store, contest.run_id, Unreadable.of({"cpu_user_s": "process 7 has ended"}), contest, entry)
    resources = entry_of(store, entry.label).resources
    assert "cpu_user_s" not in resources.amounts
    assert resources.unreadable["cpu_user_s"] == "process 7 has ended"
    table = resources_table(summarise(store.run()).contests[0])
    assert f"CPU user: not available for {entry.label} (process 7 has ended)." in table.caption
    assert "CPU energy: not available (this machine shows no energy counter)." in table.caption
    cells = {row[0].text: row[1] for row in table.rows}
    assert (cells[entry.label].text, cells[entry.label].note) == ("–", "not readable")


def test_columns_of_which_nobody_has_anything_are_left_out(fresh):
    store, _, entry = fresh
    titles = [column.title for column in resources_table(summarise(store.run()).contests[0]).columns]
    assert "GPU memory" not in titles and "CPU energy" not in titles and "CPU user" in titles
    add_figure(store, entry, FigureName.GPU_ENERGY, 41.5, {"idle_w": 70.0, "resolution_s": 0.1})
    table = resources_table(summarise(store.run()).contests[0])
    (place,) = [number for number, column in enumerate(table.columns) if column.title == "GPU energy"]
    cell = {row[0].text: row[place] for row in table.rows}[entry.label]
    assert (cell.text, cell.note) == ("41.5 J", "idle 70.0 W, every 100 ms")


def test_a_difference_stands_above_the_tables_in_every_form(fresh):
    store, contest, entry = fresh
    event(store, contest.run_id, ReadBack.of({"threads": 7, "device": "cpu"}), contest, entry)
    summary = summarise(store.run())
    (sentence,) = difference_sentences(summary.contests[0])
    assert sentence.startswith("The setting threads differs: ") and f"7 in {entry.label}" in sentence
    console = Console(file=io.StringIO(), width=200)
    print_details(summary, console)
    shown = console.file.getvalue()
    assert shown.index(sentence) < shown.index("Ranking.")
    assert "The setting threads differs" in render_markdown(summary)


def test_a_step_that_is_compiled_only_in_part_is_told_in_every_form(fresh):
    store, contest, entry = fresh
    found = {"mode": "compiled in part", "compiler": "torch.compile", "graph_breaks": 1, "fallbacks": 1}
    event(store, contest.run_id, ReadBack.of(found), contest, entry)
    summary = summarise(store.run())
    assert f"{entry.label} is compiled only in part" in " ".join(difference_sentences(summary.contests[0]))
    console = Console(file=io.StringIO(), width=200)
    print_details(summary, console)
    assert "is compiled only in part" in console.file.getvalue()
    assert "is compiled only in part" in render_markdown(summary)
