"""How much faster libraries have become: found again from times that are known, in every form of the report."""

import io

import pytest
from measured_runs import Player, measured_run
from rich.console import Console

from rosettabench.catalogue.framework import competing_frameworks, find_framework
from rosettabench.catalogue.suite import find_suite
from rosettabench.environments.lock import load_lock
from rosettabench.report.charts.releases import releases
from rosettabench.report.formats.html import render_html
from rosettabench.report.formats.markdown import render_markdown
from rosettabench.report.formats.terminal import print_details
from rosettabench.report.tables.releases import progress_sentences, releases_table
from rosettabench.summary.releases import dated_contenders, progress

TIMES = {
    "pytorch@1.0.0": 9e-3,
    "pytorch@2.13.0": 6e-3,
    "mxnet-gluon@1.0.0": 4e-3,
    "mxnet-module@1.9.1": 5e-3,
    "tensorflow-graph@1.13.1": 8e-3,
    "tensorflow@3.15.1": 2e-3,
    "chainer@7.8.1": 3e-3,
}


@pytest.mark.parametrize(
    ("then", "now", "library", "factor"),
    [
        ("pytorch@1.0.0", "pytorch@2.13.0", "torch", 1.5),
        ("mxnet-gluon@1.0.0", "mxnet-module@1.9.1", "mxnet", 0.8),
        ("tensorflow-graph@1.13.1", "tensorflow@3.15.1", "tensorflow", 4.0),
    ],
)
def test_the_factor_is_that_of_the_times(tmp_path, then, now, library, factor):
    times = {label: TIMES[label] for label in (now, "chainer@7.8.1", then)}
    (contest,) = measured_run(tmp_path, ("fashion-mlp", {}, times)).contests
    (found,) = progress(contest)  # of chainer there is one release, which shows no progress
    assert (found.library, found.then.entry.label, found.now.entry.label) == (library, then, now)
    assert found.factor.value == pytest.approx(factor, rel=0.05)
    assert found.factor.low < factor < found.factor.high


def test_of_a_release_its_fastest_counts(tmp_path):
    times = {"mxnet-gluon@1.0.0": 5e-3, "mxnet-module@1.0.0": 4e-3, "mxnet-gluon@1.9.1": 2e-3}
    (found,) = progress(measured_run(tmp_path, ("fashion-mlp", {}, times)).contests[0])
    assert found.then.entry.label == "mxnet-module@1.0.0"
    assert found.factor.value == pytest.approx(2.0, rel=0.05)


def test_too_few_rounds_for_so_many_pairs_say_nothing(tmp_path):
    assert progress(measured_run(tmp_path, ("fashion-mlp", {}, TIMES)).contests[0]) == []


def test_every_form_says_it(tmp_path):
    times = {label: TIMES[label] for label in ("pytorch@1.0.0", "pytorch@2.13.0", "chainer@7.8.1")}
    run = measured_run(tmp_path, ("fashion-mlp", {}, times))
    (contest,) = run.contests
    out = io.StringIO()
    print_details(run, Console(file=out, width=200))
    (sentence,) = progress_sentences(contest)
    assert sentence.startswith("torch: pytorch@2.13.0 of 2026 is 1.5")
    page = render_html(run)
    assert sentence in out.getvalue() and sentence in page and '"releases-0"' in page
    assert "**torch: pytorch@2.13.0 of 2026" in render_markdown(run)
    assert len(releases_table(contest).rows) == 2


def test_who_is_not_proven_is_in_no_factor_and_drawn_hollow(tmp_path):
    times = {"pytorch@1.0.0": Player("pytorch@1.0.0", 9e-3, proof="failed"), "pytorch@2.13.0": 6e-3}
    (contest,) = measured_run(tmp_path, ("fashion-mlp", {}, times)).contests
    assert progress(contest) == []
    rows = {row[2].text: row[5] for row in releases_table(contest).rows}
    assert rows["pytorch@1.0.0"].marked and not rows["pytorch@2.13.0"].marked
    drawn = releases(contest, list(times))
    points = [row for rows in drawn["datasets"].values() for row in rows if row["library"] == "torch"]
    assert {row["label"]: row["proven"] for row in points} == {"pytorch@1.0.0": False, "pytorch@2.13.0": True}


def test_one_release_needs_no_chart(tmp_path):
    (contest,) = measured_run(tmp_path, ("fashion-mlp", {}, {"pytorch@2.13.0": 6e-3, "chainer@7.8.1": 3e-3})).contests
    assert dated_contenders(contest) == []
    assert releases(contest, ["pytorch@2.13.0"]) is None


def test_every_release_has_its_day():
    for entry in competing_frameworks().values():
        for name in entry.locks:
            assert load_lock(name).released is not None, name


def test_the_suite_has_the_ends_of_each_library():
    """Of every library of the suite its oldest and its newest release at hand, in some framework of it."""
    entries = [
        (find_framework(name.partition("@")[0]), name.partition("@")[2])
        for name in find_suite("then-and-now").contenders
    ]
    named = {}
    for entry, release in entries:
        named.setdefault(entry.library, set()).add(
            load_lock(entry.releases[release] if release else entry.locks[0]).released
        )
    for library, days in named.items():
        at_hand = {
            load_lock(lock).released
            for entry in competing_frameworks().values()
            if entry.library == library
            for lock in entry.locks
        }
        assert {min(at_hand), max(at_hand)} <= days, library
