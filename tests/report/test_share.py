"""Each row's share of the machine's ceiling follows from the operations, the time and the ceiling, and nothing else."""

import csv
import io
import json
import re
from collections import namedtuple
from dataclasses import replace

import pytest
from rich.console import Console
from sample_run import write_sample_run

from rosettabench.catalogue.operations import operations
from rosettabench.catalogue.workload import find_workload
from rosettabench.ceilings.ceiling import measured_here
from rosettabench.ceilings.series import CeilingSeries
from rosettabench.lab.journal import Journal
from rosettabench.plan.request import PeakRequest
from rosettabench.report.formats.html import render_html
from rosettabench.report.formats.markdown import render_markdown
from rosettabench.report.formats.record import render_json
from rosettabench.report.formats.samples import render_csv
from rosettabench.report.formats.terminal import print_details
from rosettabench.report.tables.shares import shares_table
from rosettabench.report.words.contest import peak_sentence
from rosettabench.report.words.figures import percent
from rosettabench.store.schema import Run
from rosettabench.store.store import Store, now
from rosettabench.summary.estimate import Estimate
from rosettabench.summary.reached_share import counted_share, newest_shares
from rosettabench.summary.records import ProofState, ProofSummary
from rosettabench.summary.run import summarise

CEILING = 1e10


def series(threads=2, rate=CEILING, library="mxnet-gluon", what="float32"):
    error = {"float32": 2e-7, "float64": 2e-16}[what]
    return CeilingSeries(
        library=library,
        environment="mxnet@1.9.1",
        threads=threads,
        device="cpu",
        kind="product",
        what=what,
        size=1024,
        amount=rate,
        times=1,
        seconds=(1.0, 1.0, 1.0),
        cpu_seconds=(1.0, 1.0, 1.0),
        error=error,
    )


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """The sample run, and what was measured of its machine before it, twice, and of another one."""
    kept = Store(f"sqlite:///{tmp_path_factory.mktemp('store')}/results.sqlite")
    write_sample_run(kept)
    machine = kept.run().machine
    measured = {
        "first": (machine, [series(), series(threads=1, rate=5e9), series(what="float64", rate=4e9)]),
        "second": (machine, [series(rate=0.7 * CEILING, library="jax")]),
        "other": (machine | {"processor": "Other"}, [series(rate=100 * CEILING)]),
    }
    for name, (where, found) in measured.items():
        request = PeakRequest(threads=2).model_dump(mode="json")
        kept.add(Run(id=name, at=now(), version="0", command=["rosetta", "peak"], request=request, machine=where))
        for one in found:
            Journal(kept, name).event(one)
    return kept


@pytest.fixture(scope="module")
def held(store):
    """The summary with the ceilings."""
    run = store.run()
    return summarise(run, measured_here(store, run.machine))


def test_the_newest_run_is_the_newest_with_contests(store):
    assert store.run().contests
    assert store.run("second").contests == []


def test_the_share_is_operations_over_time_over_ceiling(held):
    contest = held.contests[0]
    per_step = 32 * operations(find_workload("fashion-mlp")).training
    assert contest.peak.ceiling == CEILING
    for entry in contest.ranked:
        assert entry.share.value == pytest.approx(per_step / entry.step.value / CEILING)
        assert entry.share.low == pytest.approx(per_step / entry.step.high / CEILING)
        assert entry.share.low < entry.share.value < entry.share.high
        assert entry.rate.value == pytest.approx(entry.share.value * CEILING)
        assert entry.share.rounds == entry.step.rounds
    assert contest.ranked[0].share.value > contest.ranked[-1].share.value  # the fastest comes nearest


def test_the_sentence_says_what_was_counted_and_who_reached_the_ceiling(held):
    sentence = peak_sentence(held.contests[0].peak)
    assert sentence == (
        "The products of a step are 13.1 MFLOP, counted from the workload; the ceiling in float32 with 2 threads on "
        "cpu is 10.0 GFLOP/s, which mxnet-gluon reached in matrix products."
    )


def test_without_a_measurement_the_report_says_what_to_type(store):
    run = store.run()
    contest = summarise(run).contests[0]
    assert contest.ranked[0].share is None and contest.ranked[0].rate is not None
    assert peak_sentence(contest.peak).endswith("is not measured yet: rosetta peak --threads 2 does it.")
    only_one = [one for one in measured_here(store, run.machine) if one.threads == 1]
    assert summarise(run, only_one).contests[0].peak.ceiling is None
    assert "of peak" not in render_markdown(summarise(run, only_one))


@pytest.mark.parametrize("width", [80, 140])
def test_the_terminal_has_the_column_where_there_is_room(held, width):
    console = Console(file=io.StringIO(), width=width, force_terminal=False)
    print_details(held, console)
    shown = console.file.getvalue()
    assert "which mxnet-gluon reached in matrix products" in " ".join(shown.split())
    left_out = "Not enough room for: samples per second, of peak" in " ".join(shown.split())
    assert left_out == (width == 80)
    entry = held.contests[0].ranked[0]
    assert (f"{100 * entry.share.value:.1f}%" in shown) == (width == 140)


def test_markdown_and_the_page_have_it(held):
    shown = f"{100 * held.contests[0].ranked[0].share.value:.1f}%"
    for text in (render_markdown(held), render_html(held)):
        assert "of peak" in text
        assert shown in text
        assert "which mxnet" in text
    for table in re.findall(r"(?:^\|.*\|$\n?)+", render_markdown(held), re.MULTILINE):
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table.strip().splitlines()}) == 1


def test_csv_and_json_have_it(held):
    rows = list(csv.DictReader(io.StringIO(render_csv(held), newline="")))
    per_sample = operations(find_workload("fashion-mlp")).training
    mlp = [row for row in rows if row["workload"] == "fashion-mlp"]
    for row in mlp:
        rate = per_sample * int(row["samples"]) / float(row["elapsed_s"])
        assert float(row["flop_per_s"]) == pytest.approx(rate)
        assert float(row["share_of_peak"]) == pytest.approx(rate / CEILING)
    record = json.loads(render_json(held))
    assert record["contests"][0]["peak"]["ceiling"] == CEILING
    assert record["contests"][0]["entries"][0]["share"]["value"] == held.contests[0].ranked[0].share.value


def test_csv_without_a_measurement_leaves_it_empty(store):
    rows = list(csv.DictReader(io.StringIO(render_csv(summarise(store.run())), newline="")))
    assert {row["share_of_peak"] for row in rows} == {""}
    assert all(float(row["flop_per_s"]) > 0 for row in rows)


CANONICAL = {"fashion-mlp": {"batch_size": 32, "precision": "float32"}}


def test_the_table_of_all_cells_has_the_newest_of_each(held):
    older = replace(held, contests=tuple(replace(one, entries=one.entries[:1]) for one in held.contests))
    found = newest_shares([held, older], CANONICAL)
    contest = held.contests[0]
    proven = [one for one in contest.entries if one.proof.holds and one.control_of is None and one.share]
    assert [(one.framework, one.mode, one.share) for one in found] == [
        (one.framework, one.mode, one.share) for one in proven
    ]
    assert {one.workload for one in found} == {"fashion-mlp"}, "others have no canonical setting here"
    table = shares_table(found, 2, ["jax", "theano", "pytorch"])
    assert [column.title for column in table.columns] == ["workload", "jax", "pytorch"]
    ((workload, jax, _),) = table.rows
    best = next(one for one in proven if one.framework == "jax")
    assert workload.text == "fashion-mlp"
    assert f"{best.mode} {percent(best.share.value)} (" in jax.text
    assert not shares_table(found, 1, ["jax"]).rows, "other threads, another ceiling"


def at_batch(summary, size):
    """The same run, had it trained batches of another size."""
    contests = (replace(one, setting=one.setting | {"batch_size": size}) for one in summary.contests)
    return replace(summary, contests=tuple(contests))


def test_a_share_at_another_batch_size_says_so_and_yields_to_one_at_the_workloads_own(held):
    newer = at_batch(held, 8)
    (_, jax) = shares_table(newest_shares([newer], CANONICAL), 2, ["jax"]).rows[0]
    assert jax.text.endswith("), batch 8")
    both = newest_shares([newer, held], CANONICAL)
    assert both == newest_shares([held, newer], CANONICAL) == newest_shares([held], CANONICAL)
    assert {one.batch_size for one in both} == {None}


def test_another_setting_is_no_share_of_the_cell(held):
    assert not newest_shares([held], {"fashion-mlp": {"batch_size": 32, "precision": "bfloat16"}})
    assert newest_shares([held], {"fashion-mlp": {"batch_size": 32, "threads": 64}}), "threads have tables of their own"


def test_who_is_not_proven_or_a_control_has_no_share():
    one = Estimate(0.2, 0.1, 0.3, 9)
    entry = namedtuple("Entry", "share proof control_of")
    assert counted_share(entry(one, ProofSummary(ProofState.PROVEN), None)) == one
    assert counted_share(entry(one, ProofSummary(ProofState.FAILED), None)) is None
    assert counted_share(entry(one, ProofSummary(ProofState.PROVEN), "pytorch")) is None
