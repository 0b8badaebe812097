"""Several devices: speed-up and efficiency where a run measured one device, too, and the share of the exchange."""

import random
from io import StringIO

import pytest
from rich.console import Console
from rows import begin_run
from sample_run import Player, event, write_contest

from rosettabench.report.formats.markdown import render_markdown
from rosettabench.report.formats.terminal import print_run
from rosettabench.report.tables.devices import devices_table
from rosettabench.statistics.busy import Busy
from rosettabench.store.record import Exchanged, Finished, MachineLoad, RoundLoad
from rosettabench.store.store import Store
from rosettabench.summary.exchange import share_of_exchange
from rosettabench.summary.run import summarise
from rosettabench.summary.speed_up import speed_ups

TRUE = {"pytorch": 2.0e-3 / 1.1e-3, "jax": 2.0e-3 / 1.6e-3}


def players(pytorch, jax):
    """Two contenders, and the A/A control."""
    return [Player("pytorch", pytorch), Player("jax", jax), Player("pytorch#2", pytorch, control_of="pytorch")]


def exchange(store, run, workload, label, draw, others=0.0):
    """Write the exchange of a contender on two devices: a fifth of its step, in five processes that differ.

    `others` is the share of the processors' time that other programs used meanwhile.
    """
    (contest,) = (one for one in store.run(run).contests if one.workload == workload and one.setting.get("devices"))
    entry = next(one for one in contest.entries if one.label == label)
    for process in range(1, 6):
        level = draw.lognormvariate(0, 0.02)
        apart = [0.8e-3 * draw.lognormvariate(0, 0.03) for _ in range(8)]
        together = [1.0e-3 * level * draw.lognormvariate(0, 0.03) for _ in range(8)]
        load = MachineLoad(seconds=1.0, processors=2, others=others, stolen=0.0)
        measured = Exchanged(process=process, together=together, apart=apart, load=load)
        event(store, run, measured, contest, entry)


@pytest.fixture
def scaled_store(tmp_path):
    """The store of a run with one and two devices, and of other settings that have no sibling."""
    store, draw = Store(f"sqlite:///{tmp_path / 'results.sqlite'}"), random.Random(3)  # noqa: S311
    machine = {"processor": "Imaginary", "cores": 2, "memory_bytes": 1, "system": "x", "python": "3", "gpus": []}
    begin_run(store, "ab", machine=machine)
    data = {"name": "fashion-mnist", "origin": "original", "note": "found"}
    write_contest(store, "ab", "fashion-cnn", players(2.0e-3, 2.0e-3), data, draw)
    write_contest(store, "ab", "fashion-cnn", players(1.1e-3, 1.6e-3), data, draw, devices=2)
    write_contest(store, "ab", "fashion-mlp", players(1.0e-3, 1.0e-3), data, draw, devices=2)
    exchange(store, "ab", "fashion-cnn", "pytorch", draw)
    event(store, "ab", Finished())
    return store


@pytest.fixture
def scaled(scaled_store):
    """The summary of `scaled_store`."""
    return summarise(scaled_store.run())


def test_the_truth_lies_in_the_interval_of_each_contender(scaled):
    found = {one.label: one for one in speed_ups(scaled.contests)}
    assert {label: one.devices for label, one in found.items()} == {"pytorch": 2, "jax": 2}
    for label, one in found.items():
        assert one.contest == "fashion-cnn, devices 2"
        assert one.factor.low < TRUE[label] < one.factor.high
        assert one.efficiency.value == pytest.approx(one.factor.value / 2)
        assert one.efficiency.low == pytest.approx(one.factor.low / 2)


def test_the_share_of_the_exchange_lies_in_its_interval(scaled):
    found = {one.label: one.exchange for one in speed_ups(scaled.contests)}
    assert found["jax"] is None
    assert found["pytorch"].low < 0.2 < found["pytorch"].high
    assert found["pytorch"].high - found["pytorch"].low < 0.2


def test_one_pair_of_blocks_has_no_interval():
    assert share_of_exchange([Exchanged(process=1, together=(2e-3,), apart=(1e-3,))], 0.95) is None


def test_without_a_contest_on_one_device_the_exchange_is_shown_alone(scaled):
    several = [one for one in scaled.contests if one.setting["devices"] > 1]
    (only,) = speed_ups(several)
    assert (only.label, only.factor, only.efficiency) == ("pytorch", None, None)


def test_a_run_on_one_device_alone_has_no_table(summary):
    assert devices_table(summary).rows == ()


def test_the_reports_show_the_table_and_what_the_exchange_is(scaled):
    console = Console(file=StringIO(), width=140)
    print_run(scaled, console)
    for text in (console.file.getvalue(), render_markdown(scaled)):
        assert "efficiency" in text
        assert "against devices of which each trains alone" in " ".join(text.split())


@pytest.mark.parametrize("devices", [None, 2], ids=["while one device was measured", "while two were"])
def test_beside_other_programs_there_is_no_speed_up(scaled_store, devices):
    contests = [one for one in scaled_store.run().contests if one.workload == "fashion-cnn"]
    (contest,) = (one for one in contests if one.setting.get("devices") == devices)
    busy = RoundLoad(round=1, seconds=1.0, processors=2, others=0.3, stolen=0.1)
    event(scaled_store, "ab", busy, contest)
    summary = summarise(scaled_store.run())
    for one in speed_ups(summary.contests):
        assert one.factor == one.efficiency == Busy(0.3, 0.1)
    assert "40% load by others" in render_markdown(summary)


def test_beside_other_programs_there_is_no_share_of_the_exchange(scaled_store):
    exchange(scaled_store, "ab", "fashion-mlp", "jax", random.Random(4), others=0.3)  # noqa: S311
    found = {(one.contest, one.label): one.exchange for one in speed_ups(summarise(scaled_store.run()).contests)}
    assert found["fashion-mlp, devices 2", "jax"] == Busy(0.3, 0.0)
    assert found["fashion-cnn, devices 2", "pytorch"].value > 0
