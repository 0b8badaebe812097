"""Fed by its own loader every framework does the same work, and what goes wrong in a loader is seen."""

import time
from dataclasses import replace

import pytest
from laboratory import environment, open_session, proven, tamper
from test_frameworks import processor_seconds
from tiers import slow_except

from rosettabench.catalogue.framework import competing_frameworks
from rosettabench.errors import WorkerError
from rosettabench.proof.prove import Proof

pytestmark = pytest.mark.environment

LOADERS = {
    "pytorch": "DataLoader",
    "tensorflow": "tf.data",
    "keras[tensorflow]": "PyDataset",
    "keras[jax]": "PyDataset",
    "keras[torch]": "PyDataset",
    "jax": "Grain",
    "mxnet-gluon": "DataLoader",
    "mxnet-module": "DataIter",
}
"""What each framework's loader calls itself."""

MOST = {name: 0 if name == "mxnet-module" else 2 for name in LOADERS}
CELLS = [("fashion-mlp", name, workers) for name in LOADERS for workers in sorted({0, MOST[name]})]
CELLS += [("imdb-gru", name, MOST[name]) for name in LOADERS]
"""Images as numbers, and reviews as whole numbers; what reads the latter by itself reads them with workers."""


def loading(work, workers):
    """The same work, fed by a loader."""
    return replace(work, setting=replace(work.setting, input="loader", workers=workers))


@pytest.mark.parametrize(("workload", "name", "workers"), slow_except(CELLS, ("fashion-mlp", "pytorch", 2)))
def test_what_a_loader_feeds_is_equal_work(workload, name, workers, references, tmp_path):
    work, exact = references(workload)
    entry = competing_frameworks()[name]
    session = open_session(entry, entry.mode, environment(entry.locks[0]), loading(work, workers), tmp_path / "session")
    try:
        proof = Proof(session, exact, tmp_path / "proof")
        proof.run()
        settings = session.settings()
        time.sleep(0.5)  # thread pools look for more work for a while before they sleep
        before = processor_seconds(session.process.pid)
        time.sleep(1.0)
        idle = processor_seconds(session.process.pid) - before
        session.ask("close")
        ended = session.process._process.wait(20)
    finally:
        session.process.kill()
    assert proof.passed, ([check for check in proof.checks if not check.passed][:3], proof.cause)
    assert (settings["loader"], settings["loader_workers"]) == (LOADERS[name], workers)
    assert idle < 0.05, "nobody loads between two turns"
    assert ended == 0, "whoever waits for rows must not keep a worker alive that was told goodbye"


# -- planted mistakes --------------------------------------------------------------------------------------------------

OPENED = "        return Loader(source, self.setting.workers, self.device)"
PLANTS = {
    "the last batch of a block is dropped": (
        """        class Dropping(Loader):
            def read(self, rows):
                return super().read(rows[:-1] if len(rows) > 1 else rows)

        return Dropping(source, self.setting.workers, self.device)""",
        "block parameter",
        "skips, repeats or reorders",
    ),
    "the loader shuffles by itself": (
        """        class Shuffling(Loader):
            def read(self, rows):
                return super().read([ids[torch.randperm(len(ids)).numpy()] for ids in rows])

        return Shuffling(source, self.setting.workers, self.device)""",
        "batch",
        "not those of the project's order",
    ),
    "one worker's batches overtake the other's": (
        """        class Late(object):
            def __getitem__(self, number):
                import time

                time.sleep(0.01 * (torch.utils.data.get_worker_info().id == 0))
                return source[number]

        loader = Loader(Late(), self.setting.workers, self.device)
        loader.loader.in_order = False
        return loader""",
        "block parameter",
        "skips, repeats or reorders",
    ),
}


@pytest.mark.parametrize("plant", slow_except(PLANTS))
def test_a_mistake_of_a_loader_is_caught_and_named(plant, references, tmp_path):
    change, quantity, cause = PLANTS[plant]
    work, exact = references("fashion-mlp")
    entry = competing_frameworks()["pytorch"]
    adapter = tamper(entry.path, [(OPENED, change)], tmp_path / "adapters" / entry.path.name)
    planted = entry.model_copy(update={"path": adapter})
    proof, _ = proven(planted, "eager", loading(work, 2), exact, tmp_path)
    failed = [check for check in proof.checks if not check.passed]
    assert failed, "the proof holds, and must not"
    assert failed[0].quantity == quantity
    assert cause in (proof.cause or "")


# -- what cannot be had ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "workers", "said"),
    [
        ("mxnet-module", 2, "read in the worker itself"),
        ("chainer", 0, "trains from memory only"),
        ("tensorflow-graph", 0, "trains from memory only"),
        ("cntk", 0, "trains from memory only"),
        ("caffe2", 0, "trains from memory only"),
        ("paddle", 0, "trains from memory only"),
        ("mlx", 0, "trains from memory only"),
        ("tinygrad", 0, "trains from memory only"),
    ],
)
def test_what_a_framework_does_not_have_it_says(name, workers, said, references, tmp_path):
    work, _ = references("fashion-mlp")
    entry = competing_frameworks()[name]
    with pytest.raises(WorkerError, match=said) as told:
        open_session(entry, entry.mode, environment(entry.locks[0]), loading(work, workers), tmp_path)
    assert told.value.kind == "unsupported"
