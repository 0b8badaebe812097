"""The proof must be able to fail: every planted mistake is caught, by ten times what is allowed, and named."""

import pytest
from laboratory import proven, tampered_files
from plants import LESS, PLANTS
from smaller import with_files
from tiers import slow_except
from whole_plants import STANDS_OUT

pytestmark = pytest.mark.environment

QUICK = [
    plant
    for plant in PLANTS
    if plant.name in ("softmax in the model", "unshuffled batches", "the framework's own Adam in Keras")
]
"""One of each kind, for those who wait: optimiser, model, data, and another framework."""


def prove(plant, references, folder, lock=None):
    """Return the finished proof of a planted mistake, in another release than the default if its lock is named."""
    work, exact = references(plant.workload)
    entry, tampered = tampered_files(plant, work.workload, folder, lock and lock.partition("@")[2])
    planted = with_files(work, {entry.implementation_name: tampered})
    proof, _ = proven(entry, plant.mode, planted, exact, folder, lock)
    return proof


@pytest.mark.parametrize("plant", slow_except(PLANTS, *QUICK), ids=lambda plant: plant.name)
def test_planted_mistake_is_caught_and_named(plant, references, tmp_path):
    proof = prove(plant, references, tmp_path)
    failed = [check for check in proof.checks if not check.passed]
    assert failed, "the proof holds, and must not"
    first = failed[0]
    print("PLANT", plant.name, first.quantity, first.tensor, f"{first.share:.3g} ×", proof.cause, sep=" | ")
    assert first.quantity == plant.diverges
    assert plant.cause in (proof.cause or "")
    assert first.share > LESS.get(plant.name, STANDS_OUT), first


@pytest.mark.slow
def test_the_same_without_a_mistake_holds(references, tmp_path):
    """The control of this experiment: an untouched copy passes the very same way."""
    from laboratory import Plant

    for workload in ("fashion-mlp", "fashion-cnn", "imdb-gru"):
        proof = prove(Plant("none", workload, (), "", ""), references, tmp_path / workload)
        assert proof.passed, [check for check in proof.checks if not check.passed][:3]
        assert proof.cause is None
