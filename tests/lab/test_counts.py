"""What a worker counts of a block: whoever skips updates, or trains other batches, is told by its own counts."""

import numpy as np
import pytest
from laboratory import environment, make_work, open_session, tamper

from rosettabench.catalogue.framework import all_frameworks
from rosettabench.catalogue.workload import find_workload

pytestmark = pytest.mark.environment

STEPS = 12
FEED = "self.feed(dataset, batches)"
UPDATE = "            self.update()\n            total += loss.detach()\n        return total / len(batches)"
SKIPPED = UPDATE.replace("self.update()", "self.update() if torch.rand(()) < 0.5 else None")


def counted(folder, changes=(), workload="fashion-mlp", framework="pytorch", **axes):
    """The turn of a block in a framework, whose adapter has `changes`; the labels and rows that it should train."""
    work = make_work(find_workload(workload), folder / "work", **axes)
    entry = all_frameworks()[framework]
    changed = entry.model_copy(update={"path": tamper(entry.path, changes, folder / "adapters" / entry.path.name)})
    session = open_session(changed, entry.mode, environment(entry.locks[0]), work, folder / "session")
    try:
        turn = session.train(3, STEPS)
    finally:
        session.process.close()
    return turn, np.load(work.data.train.labels), np.load(work.batches)


def test_an_honest_block_is_counted_and_nothing_is_wrong(tmp_path):
    turn, labels, rows = counted(tmp_path)
    assert (turn.counts.updates, turn.counts.batches, turn.samples) == (STEPS, STEPS, STEPS * rows.shape[1])
    assert len(turn.counts.looked_at) == 8
    assert turn.counts.fault(labels, rows) is None
    assert turn.counts.fault(labels, np.roll(rows, 1, axis=0)), "these are not its rows"


@pytest.mark.slow
def test_gradient_descent_is_counted_by_its_hook(tmp_path):
    honest, labels, rows = counted(tmp_path / "honest", workload="cifar-vgg")
    assert honest.counts.updates == STEPS
    skipping, _, _ = counted(tmp_path / "skipping", ((UPDATE, SKIPPED),), "cifar-vgg")
    assert "its optimiser counted" in (skipping.counts.fault(labels, rows) or "")


UPDATES = {
    "lasagne": "            total += self.step(inputs, labels)\n        return total / len(batches)",
    "paddle": "            self.optimizer.step()\n            total += loss.detach()",
    "tensorflow-graph": "            _, loss = self.run((self.step, self.mean_loss), inputs, labels)\n"
    "            total += loss\n        return total / len(batches)",
    "tinygrad": "            self.step(inputs, labels)\n        return",
}
"""{framework that keeps a power of Adam's beta, or a count beside its parameters: the update in its adapter}."""

OTHER_OPTIMIZERS = [*((name, "cifar-vgg") for name in UPDATES), ("paddle", "shakespeare-gpt")]


@pytest.mark.slow
@pytest.mark.parametrize(("framework", "workload"), [*((name, "fashion-mlp") for name in UPDATES), *OTHER_OPTIMIZERS])
def test_an_optimiser_without_a_counter_is_counted_by_what_is_kept(framework, workload, tmp_path):
    honest, labels, rows = counted(tmp_path / "honest", workload=workload, framework=framework)
    assert honest.counts.updates == STEPS
    update = UPDATES[framework]
    twice = update.replace("\n", "\n" + update.partition("\n")[0] + "\n", 1)
    doubled, _, _ = counted(tmp_path / "doubled", ((update, twice),), workload, framework)
    assert f"its optimiser counted {2 * STEPS} updates" in (doubled.counts.fault(labels, rows) or "")


@pytest.mark.slow
def test_so_is_what_a_loader_hands_on(tmp_path):
    turn, labels, rows = counted(tmp_path, input="loader")
    assert turn.counts.batches == STEPS
    assert turn.counts.fault(labels, rows) is None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (UPDATE, SKIPPED, "its optimiser counted"),
        (FEED, "self.feed(dataset, batches[: len(batches) // 2])", "its optimiser counted 6 updates in 12 steps"),
        (FEED, "self.feed(dataset, batches[:1].repeat(len(batches), 0))", "labels of 8 batches"),
        (FEED, "self.feed(dataset, batches[:, ::2])", "labels of 8 batches"),
    ],
    ids=["skipped updates", "half of the steps", "the same batch again", "half of each batch"],
)
def test_other_work_is_told_by_its_counts(old, new, told, tmp_path):
    turn, labels, rows = counted(tmp_path, ((old, new),))
    assert told in (turn.counts.fault(labels, rows) or "")
