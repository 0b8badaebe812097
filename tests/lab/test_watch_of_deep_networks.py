"""Whoever does other work while it is timed is caught in deep networks, too: in a residual one, and in a transformer.

All mistakes are PyTorch's, and none of them shows in a count: its optimiser makes each update, and each batch is passed
to the model.
"""

import pytest
from cheats import Cheat, make_package
from commands import failures_of, finish

from rosettabench.catalogue.roots import worker_folder
from rosettabench.errors import FailureKind, OtherWork

pytestmark = [pytest.mark.environment, pytest.mark.slow]

TIMED = "len(batches[0]) > 4"
"""What the blocks of a proof are not: they have four samples."""

BEGIN = """        total = torch.zeros((), device=self.device)
        for inputs, labels in self.feed(dataset, batches):
            self.optimizer.zero_grad()
"""
UPDATE = """            self.update()
            total += loss.detach()
"""
ANSWER = """            return torch.cat([self.predict(self.batch(dataset, ids)[0]) for ids in batches])
"""

SNAPSHOTS = """    def snapshot(self):
        return [one.detach().clone() for one in self.model.parameters()]

    def restore(self, copies):
        with torch.no_grad():
            for one, copy in zip(self.model.parameters(), copies):
                one.copy_(copy)

    def train(self, dataset, batches):
"""
RESTORED = "            self.restore(here)\n" + UPDATE
HELPED = ("    def train(self, dataset, batches):\n", SNAPSHOTS)

LAST = f"""            if {TIMED}:
                for one in list(self.model.parameters())[:-2]:
                    one.grad = None
"""
UNDONE = f"""            before = self.snapshot()
            self.update()
            self.taken = getattr(self, "taken", 0) + 1
            if {TIMED} and self.taken % 2:
                self.restore(before)
            total += loss.detach()
"""
BEFORE = """        begun = self.snapshot()
        stale, self.begun = getattr(self, "begun", begun), begun
"""
STALE = f"""            here = self.snapshot()
            if {TIMED}:
                self.restore(stale)
"""
KEPT = f"""        if {TIMED}:
            self.early = self.snapshot()
"""
EARLIER = """            now = self.snapshot()
            self.restore(getattr(self, "early", now))
            logits = torch.cat([self.predict(self.batch(dataset, ids)[0]) for ids in batches])
            self.restore(now)
            return logits
"""

MISTAKES = {
    "lastalone": Cheat("trains its last two tensors alone", ((UPDATE, LAST + UPDATE),)),
    "undone": Cheat("undoes every second update", (HELPED, (UPDATE, UNDONE))),
    "stale": Cheat(
        "takes gradients at the weights that the block before began with",
        (HELPED, (BEGIN, BEFORE + BEGIN + STALE), (UPDATE, RESTORED)),
    ),
    "earlier": Cheat(
        "evaluates the weights that the last block began with",
        (HELPED, (BEGIN, KEPT + BEGIN), (ANSWER, EARLIER)),
        "its outputs are not",
    ),
}

HONEST = ("pytorch", "mxnet-gluon")


@pytest.mark.parametrize("workload", ["cifar-resnet56", "shakespeare-gpt"])
def test_whoever_does_other_work_in_a_deep_network_is_caught_and_named(workload, rosetta, store, tmp_path):
    changes = {name: mistake.changes for name, mistake in MISTAKES.items()}
    package = make_package(tmp_path, worker_folder(), "pytorch", workload.replace("-", "_"), changes)
    words = ("run", workload, "-f", ",".join([*HONEST, *MISTAKES]), "--processes", "1", "--rounds", "13")
    process = rosetta(*words, "--no-control", "--round-seconds", "2", "--set", "threads=1", PYTHONPATH=package)
    code, out, err = finish(process, 900)
    assert code == OtherWork.exit_code, err
    told = failures_of(store().run())
    assert told.keys() == MISTAKES.keys(), {name: failure.what for name, failure in told.items()}
    for name, mistake in MISTAKES.items():
        assert told[name].kind == FailureKind.OTHER_WORK, f"{mistake.name}: {told[name].what}"
        assert mistake.told in told[name].what
    assert out.partition("Ranking.")[0].count("proven") == len(HONEST), out
