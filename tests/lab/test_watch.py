"""Contenders that pass the proof and do other work once they are timed: each is caught, named and not ranked.

All of them take part in one contest, beside two frameworks that are honest: NumPy, and NumPy under another name.
"""

import sys
from pathlib import Path

import pytest
from cheats import CHEATS, INFERENCE_CHEATS, LAST_LAYER, UPDATE, make_package
from commands import THIRD_PARTY, failures_of, finish, turns
from tiers import slow

import rosetta_worker
from rosettabench.catalogue.framework import competing_frameworks
from rosettabench.errors import FailureKind, OtherWork
from rosettabench.lab.watch import wanted_settings
from rosettabench.plan.setting import Setting
from rosettabench.store.record import Watched

pytestmark = pytest.mark.environment

NUMPY = THIRD_PARTY / "rosetta_numpy"


def label(cheat):
    """The name under which a cheat takes part."""
    return f"cheat{CHEATS.index(cheat) + 1}"


@pytest.fixture
def cheating(tmp_path):
    """A folder with a package of frameworks: an honest one, and all that cheat."""
    changes = [("honest", ()), *((label(cheat), cheat.changes) for cheat in CHEATS)]
    return make_package(tmp_path, NUMPY, "numpy", "fashion_mlp", dict(changes))


@pytest.mark.slow
def test_two_that_make_the_same_mistake_are_caught_by_the_reference(rosetta, store, tmp_path):
    """Nobody else takes part: they agree in every loss and every parameter, and train their last layer alone."""
    changed = dict.fromkeys(("left", "right"), ((UPDATE, LAST_LAYER),))
    package = make_package(tmp_path, NUMPY, "numpy", "fashion_mlp", changed)
    contenders = ",".join(f"{name}@{sys.executable}" for name in ("left", "right"))
    words = ("run", "fashion-mlp", "-f", contenders, "--processes", "1", "--rounds", "8", "--no-control")
    code, _, err = finish(rosetta(*words, "--round-seconds", "1", "--set", "threads=1", PYTHONPATH=package))
    assert code == OtherWork.exit_code, err
    run = store().run()
    told = [failure.what for failure in run.failures]
    assert len(told) == 2
    assert all("over the first 6 steps" in one and "away from those of the reference" in one for one in told), told
    entries = run.contests[0].entries
    assert all(one.certificate.passed for entry in entries for one in entry.certifications), "the proof does not see it"


@pytest.mark.slow
def test_who_is_alone_and_evaluates_other_weights_is_caught_by_the_reference(rosetta, store, tmp_path):
    """The outputs of both processes are judged together, by a reference that is started once."""
    (cheat,) = [one for one in CHEATS if one.name == "evaluates other weights"]
    package = make_package(tmp_path, NUMPY, "numpy", "fashion_mlp", {"alone": cheat.changes})
    words = ("run", "fashion-mlp", "-f", f"alone@{sys.executable}", "--processes", "2", "--rounds", "8", "--no-control")
    code, _, err = finish(rosetta(*words, "--round-seconds", "1", "--set", "threads=1", PYTHONPATH=package))
    assert code == OtherWork.exit_code, err
    (told,) = [failure.what for failure in store().run().failures]
    assert "its outputs are not those that the reference computed from its own weights" in told


@pytest.mark.parametrize("cheats", [CHEATS[:1], slow(CHEATS)], ids=["one", "all"])
def test_whoever_does_other_work_is_caught_and_named(rosetta, store, cheating, cheats):
    names = ["numpy", "honest", *map(label, cheats)]
    contenders = ",".join(f"{name}@{sys.executable}" for name in names)
    words = ("run", "fashion-mlp", "-f", contenders, "--processes", "1", "--rounds", "16", "--no-control")
    code, out, err = finish(rosetta(*words, "--round-seconds", "1", "--set", "threads=1", PYTHONPATH=cheating))
    assert code == OtherWork.exit_code, err
    run = store().run()
    (contest,) = run.contests
    told = failures_of(run)
    honest = contest.entries[:2]
    assert not {entry.label for entry in honest} & set(told), {name: failure.what for name, failure in told.items()}
    for cheat, entry in zip(cheats, contest.entries[2:], strict=True):
        assert entry.label in told, f"{cheat.name}: not caught"
        assert told[entry.label].kind == FailureKind.OTHER_WORK, f"{cheat.name}: {told[entry.label].what}"
        assert cheat.told in told[entry.label].what
        assert [one.certificate.passed for one in entry.certifications] == [True], "the proof does not see it"
    assert all(len(turns(entry)) >= 16 for entry in honest)
    ranked = out.partition("Ranking.")[0]
    assert ranked.count("proven") == 2, out
    (seen,) = [Watched.model_validate(event.payload) for event in run.events if event.kind == Watched.KIND]
    assert seen.outputs < 1e-5
    assert seen.moves[0].reference


@pytest.mark.slow
def test_the_outputs_of_timed_blocks_are_checked_in_inference(rosetta, store, tmp_path):
    """What is asked for apart is right: only the timed blocks answer other samples."""
    changes = {"honest": (), "again": INFERENCE_CHEATS[0].changes, "fewer": INFERENCE_CHEATS[1].changes}
    package = make_package(tmp_path, NUMPY, "numpy", "tiny_features", changes)
    contenders = ",".join(f"{name}@{sys.executable}" for name in ("numpy", *changes))
    words = ("run", "tiny-features", "-f", contenders, "--processes", "1", "--rounds", "12", "--no-control")
    code, out, err = finish(rosetta(*words, "--round-seconds", "0.3", "--set", "threads=1", PYTHONPATH=package))
    assert code == OtherWork.exit_code, err
    told = failures_of(store().run())
    assert {label.partition("@")[0] for label in told} == {"again", "fewer"}
    for failure in told.values():
        assert failure.kind == FailureKind.OTHER_WORK
        assert "its outputs in the timed block of round" in failure.what
    assert out.partition("Ranking.")[0].count("proven") == 2, out


TWO_THREADS = Setting(32, "cpu", "float32", 0, 2)


@pytest.mark.usefixtures("two_processors")
def test_a_framework_that_states_one_thread_has_one_and_all_others_have_as_many_as_asked_for():
    """What is read back must be that: one of two in PyTorch is less than was asked for, two in MLX a mistake."""
    known = competing_frameworks()
    assert wanted_settings(known["pytorch"], TWO_THREADS) == {"threads": 2}
    assert wanted_settings(known["mlx"], TWO_THREADS) == {"threads": 1}
    assert [name for name, entry in known.items() if entry.most_threads] == ["mlx", "tinygrad"]


@pytest.mark.slow
@pytest.mark.usefixtures("all_processors")
def test_a_contender_of_one_thread_is_ranked_beside_one_of_two(rosetta, store):
    words = ("run", "fashion-mlp", "-f", "pytorch,mlx", "--processes", "1", "--rounds", "8", "--no-control")
    code, out, err = finish(rosetta(*words, "--round-seconds", "0.2", "--set", "threads=2"))
    assert code == 0, err
    assert "The setting threads differs: 2 in pytorch; 1 in mlx" in out + err
    assert not store().run().failures


@pytest.mark.slow
def test_a_training_ends_when_nobody_is_left(rosetta, store, cheating):
    half = next(cheat for cheat in CHEATS if "half of the data" in cheat.name)
    words = ("run", "--full", "fashion-mlp", "-f", f"{label(half)}@{sys.executable}", "--no-control")
    code, out, err = finish(rosetta(*words, "--set", "threads=1", "--set", "steps=400", PYTHONPATH=cheating))
    assert code == OtherWork.exit_code, err
    assert "no contender is left" in out
    assert not turns(store().run().contests[0].entries[0])


@pytest.mark.slow
def test_who_drops_is_not_held_against_a_reference_that_does_not(rosetta, store):
    words = ("run", "cifar-vgg", "-f", "pytorch", "--processes", "1", "--rounds", "2", "--no-control")
    code, _, err = finish(rosetta(*words, "--set", "batch_size=8", "--round-seconds", "1"), 600)
    assert code == 0, err
    (seen,) = [Watched.model_validate(event.payload) for event in store().run().events if event.kind == Watched.KIND]
    assert any("it drops nothing" in sentence for sentence in seen.unchecked)
    assert not any(move.reference for move in seen.moves)


TRAIN = """    def train(self, dataset, batches):
        self.model.train()
"""
COUNT = """        self.blocks = getattr(self, "blocks", 0) + (self.dropout and len(batches) > 1)
"""
OFF = """        for layer in self.model.modules():
            if isinstance(layer, torch.nn.LSTM) and self.dropout:
                layer.dropout = 0.1 if self.blocks <= 12 else 0.0
"""
STEP = """            loss.backward()
            self.update()
            total += loss.detach()
"""
EVERY_SECOND = """            loss.backward()
            self.taken = getattr(self, "taken", 0) + 1
            if self.blocks <= 12 or self.taken % 2:
                self.update()
            total += loss.detach()
"""

CHEATS_WITH_DROPOUT = {
    "undropped": (((TRAIN, TRAIN + COUNT + OFF),), "dropout is off"),
    "everysecond": (((TRAIN, TRAIN + COUNT), (STEP, EVERY_SECOND)), "updates in"),
}
"""What begins after twelve blocks of several steps with dropout, of which a proof takes none: changes of PyTorch's
adapter, and what must be told of each."""


@pytest.mark.slow
def test_where_training_drops_who_does_other_work_is_caught_and_named(rosetta, store, tmp_path):
    """Masks of their own lead the honest apart there."""
    changes = {name: changes for name, (changes, _) in CHEATS_WITH_DROPOUT.items()}
    cheats = make_package(tmp_path, Path(rosetta_worker.__path__[0]), "pytorch", "deepar_monash", changes)
    contenders = ",".join(("pytorch", "mxnet-gluon", *CHEATS_WITH_DROPOUT))
    words = ("run", "deepar-monash", "-f", contenders, "--processes", "1", "--rounds", "12")
    more = ("--no-control", "--set", "threads=1", "--round-seconds", "2")
    code, _, err = finish(rosetta(*words, *more, PYTHONPATH=cheats), 900)
    assert code == OtherWork.exit_code, err
    run = store().run()
    labels = {entry.id: entry.label for entry in run.contests[0].entries}
    told = {labels[failure.entry_id]: failure.what for failure in run.failures}
    assert set(told) == set(CHEATS_WITH_DROPOUT), told
    assert all(words in told[name] for name, (_, words) in CHEATS_WITH_DROPOUT.items()), told
