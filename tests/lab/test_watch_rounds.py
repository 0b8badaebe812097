"""A round of every contest is checked that no worker could know: whatever its rounds and processes are."""

from types import SimpleNamespace

import numpy as np
import pytest

from rosettabench.catalogue.workload import find_workload
from rosettabench.lab.watch import Watch


class CountedWatch(Watch):
    """A watch that counts the rounds whose moves, and whose outputs, are checked."""

    def _parameters(self, present):
        self.rounds = getattr(self, "rounds", 0) + 1
        return {"a": {}}

    def _moves(self, present, before):
        return {}

    def _keep(self, present):
        self.outputs = getattr(self, "outputs", 0) + 1


@pytest.fixture
def watch(tmp_path):
    """Return a function that makes the watch of a contest of several processes."""
    np.save(tmp_path / "labels.npy", np.zeros(4))
    data = SimpleNamespace(train=SimpleNamespace(labels=tmp_path / "labels.npy"))
    work = SimpleNamespace(
        workload=find_workload("fashion-mlp"), data=data, setting=SimpleNamespace(precision="float32")
    )

    def make(seed, processes):
        made = CountedWatch(work, tmp_path, None, None, None, np.random.default_rng(seed), processes)
        made.rounds = made.outputs = 0
        return made

    return make


@pytest.mark.parametrize(("processes", "rounds"), [(5, 4), (5, 2), (5, 1), (1, 8), (1, 40)])
def test_every_process_has_a_checked_round_and_one_has_checked_outputs(watch, processes, rounds):
    for seed in range(20):
        one = watch(seed, processes)
        for process in range(processes):
            before = one.rounds
            one.begin([], 1 + process * rounds, rounds)
            for number in range(1 + process * rounds, 1 + (process + 1) * rounds):
                one.before_round([], number)
                one.after_round([], number)
            assert one.rounds > before, f"process {process + 1} of seed {seed} has none"
        assert one.outputs == 1
