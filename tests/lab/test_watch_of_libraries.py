"""Whoever does other work while it is timed is caught in real libraries, too: one mistake in each, in one contest."""

import pytest
from cheats import Cheat, add_frameworks
from commands import failures_of, finish

from rosettabench.catalogue.framework import all_frameworks
from rosettabench.catalogue.roots import worker_folder
from rosettabench.errors import FailureKind, OtherWork

pytestmark = [pytest.mark.environment, pytest.mark.slow]

TIMED = "len(batches) > 10"
"""What the blocks of a proof are not: they have one step, or ten."""

ONE_THREAD = f"        torch.set_num_threads(1 if {TIMED} else self.setting.threads)\n"

FIRST = "batches[:1].repeat(len(batches), 0)"

TRAINING = {
    "pytorch": Cheat(
        "one thread where two are set",
        (("        total = torch.zeros", ONE_THREAD + "        total = torch.zeros"),),
        "1 threads where 2",
    ),
    "jax": Cheat(
        "the same batch again and again",
        (("self.run(self.feed(dataset, batches))", f"self.run(self.feed(dataset, {FIRST} if {TIMED} else batches))"),),
    ),
    "tensorflow": Cheat(
        "every second step after the tenth is skipped",
        (
            ("for ids in self.counted(iter(batches)", "for number, ids in enumerate(self.counted(iter(batches)"),
            ("functools.partial(self.labels_at, dataset)):", "functools.partial(self.labels_at, dataset))):"),
            ("total += step(ids)", "total += step(ids) if number < 10 or number % 2 else total / number"),
        ),
    ),
    "mxnet_gluon": Cheat(
        "it leaves updates out after the two hundredth",
        (
            (
                "            self.update()\n            total += loss\n",
                '            self.taken = getattr(self, "taken", 0) + 1\n'
                "            if self.taken < 200 or self.taken % 2:\n"
                "                self.update()\n            total += loss\n",
            ),
        ),
        "its optimiser counted",
    ),
    "keras": Cheat(
        "half of each batch is taken",
        (
            (
                "self.feed(dataset, batches), len(batches)",
                f"self.feed(dataset, batches[:, ::2] if {TIMED} else batches), len(batches)",
            ),
        ),
    ),
}
"""{adapter: a mistake in it that the proof does not see}."""

HONEST = ("pytorch", "jax")


def label(adapter):
    """The name under which a copy of an adapter takes part."""
    return f"other-{adapter}".replace("_", "-") + ("[tensorflow]" if adapter == "keras" else "")


@pytest.mark.usefixtures("two_processors")
def test_a_mistake_in_each_of_five_libraries_is_caught_and_named(rosetta, store, tmp_path):
    copies = {f"other_{name}": (worker_folder(), name, cheat.changes) for name, cheat in TRAINING.items()}
    package = add_frameworks(tmp_path, "fashion_mlp", copies)
    names = ",".join([*HONEST, *map(label, TRAINING)])
    words = ("run", "fashion-mlp", "-f", names, "--processes", "1", "--rounds", "14", "--no-control")
    process = rosetta(*words, "--round-seconds", "0.3", "--set", "threads=2", PYTHONPATH=package)
    code, out, err = finish(process, 900)
    assert code == OtherWork.exit_code, err
    run = store().run()
    told = failures_of(run)
    assert told.keys() == set(map(label, TRAINING)), {name: failure.what for name, failure in told.items()}
    for name, cheat in TRAINING.items():
        assert told[label(name)].kind == FailureKind.OTHER_WORK, f"{cheat.name}: {told[label(name)].what}"
        assert cheat.told in told[label(name)].what
    assert out.partition("Ranking.")[0].count("proven") == len(HONEST), out


COUNTED = ("jax", "tensorflow", "mxnet_gluon", "keras")
"""Whose mistakes show in what a single block counts."""


def test_whoever_does_other_work_while_it_is_explained_is_caught_too(rosetta, store, tmp_path):
    """Its blocks of whole steps are counted as those of a contest are."""
    copies = {f"other_{name}": (worker_folder(), name, TRAINING[name].changes) for name in COUNTED}
    package = add_frameworks(tmp_path, "fashion_mlp", copies)
    words = ("explain", "fashion-mlp", *HONEST, *map(label, COUNTED), "--starts", "1", "--seconds", "5")
    code, out, err = finish(rosetta(*words, "--set", "threads=1", PYTHONPATH=package), 900)
    assert code == OtherWork.exit_code, err
    told = failures_of(store().run())
    assert told.keys() == set(map(label, COUNTED)), {name: failure.what for name, failure in told.items()}
    assert {failure.kind for failure in told.values()} == {FailureKind.OTHER_WORK}
    assert all(name in out for name in HONEST), out


def test_every_adapter_with_a_mistake_is_one_of_the_catalogue():
    assert set(TRAINING) <= {entry.path.stem for entry in all_frameworks().values()}
