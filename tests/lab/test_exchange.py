"""The exchange between devices: measured in a group whose exchange is made slow, and in a whole real run."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from statistics import median

import numpy as np
import pytest
from commands import finish
from laboratory import environment, open_session, small_work, tamper

from rosettabench.catalogue.framework import all_frameworks
from rosettabench.client.apart import DevicesApart
from rosettabench.lab.exchange import PAIRS, compare_blocks
from rosettabench.statistics.busy import Busy
from rosettabench.store.record import Exchanged
from rosettabench.summary.exchange import share_of_exchange
from rosettabench.summary.run import summarise

pytestmark = [
    pytest.mark.environment,
    pytest.mark.slow,
    pytest.mark.usefixtures("two_processors"),
]

SLOW_S = 0.1
"""Seconds by which each step of the group is made slower: far more than a step takes."""

CALL = "        logits = self.parallel(inputs)\n"
SLOW = ((CALL, f"        __import__('time').sleep({SLOW_S})\n{CALL}"),)


@contextmanager
def burning() -> Iterator[None]:
    """Let another program use a processor meanwhile."""
    other = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        yield
    finally:
        other.kill()
        other.wait()


def test_what_only_the_group_does_is_the_exchange(tmp_path):
    work = small_work("fashion-mlp", tmp_path / "work")
    work = replace(work, setting=replace(work.setting, devices=2, threads=1))
    entry = all_frameworks()["pytorch"]
    copied = tamper(entry.path, (), tmp_path / "frameworks" / entry.path.name)
    tamper(entry.parallel, SLOW, tmp_path / "parallel" / entry.path.name)
    planted, place = entry.model_copy(update={"path": copied}), environment(entry.locks[0])
    group = open_session(planted, "eager", place, work, tmp_path / "group")
    apart = DevicesApart(planted, "eager", place, work, tmp_path / "apart", 60.0).prepare()
    try:
        together, alone = compare_blocks(group, apart, 2, np.random.default_rng(0))
        assert len(together) == len(alone) == PAIRS
        assert min(together) > SLOW_S
        assert median(alone) < SLOW_S / 2
        counted = apart.ask("train", first=0, steps=2)["devices"]
        assert [one["samples"] for one in counted] == [work.setting.batch_size] * 2, "each has its half of two batches"
        weights = apart.ask("parameters", folder=str(tmp_path / "weights"))
        ours, theirs = weights["files"], weights["others"][0]
        assert any(np.any(np.load(ours[name]) != np.load(theirs[name])) for name in ours), "nothing is exchanged"
    finally:
        for session in (group, apart):
            session.process.kill()


def test_a_run_on_two_devices_says_what_the_exchange_takes(rosetta, store):
    words = ("run", "fashion-mlp", "-f", "pytorch", "--set", "devices=2", "--set", "threads=1", "--processes", "2")
    code, out, err = finish(rosetta(*words, "--rounds", "8", "--round-seconds", "0.2", "--no-control"))
    assert code == 0, err
    run = store().run()
    (entry,) = run.contests[0].entries
    measured = Exchanged.all_of(run.events)
    assert [one.process for one in measured] == list(range(1, len(entry.certifications) + 1))
    assert all(one.load is not None and one.load.seconds > sum(one.together) for one in measured)
    alone = share_of_exchange([one.model_copy(update={"load": None}) for one in measured], 0.95)
    assert alone.rounds == sum(len(one.together) for one in measured)
    (ranked,) = summarise(run).contests[0].ranked
    assert ranked.exchange == alone or isinstance(ranked.exchange, Busy)  # other tests may compute meanwhile
    assert "exchange" in out


def test_while_others_compute_there_is_no_share(rosetta, store):
    words = ("run", "fashion-mlp", "-f", "pytorch", "--set", "devices=2", "--set", "threads=1", "--processes", "2")
    with burning():
        code, out, err = finish(rosetta(*words, "--rounds", "8", "--round-seconds", "0.2", "--no-control"))
    assert code == 0, err
    (ranked,) = summarise(store().run()).contests[0].entries
    assert isinstance(ranked.exchange, Busy)
    assert "load by others" in " ".join(out.split())
