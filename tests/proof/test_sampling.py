"""Sample paths: those of every framework have the distribution that the reference says, and no mistake has."""

import numpy as np
import pytest
from laboratory import environment, open_session, small_work, tampered_files
from plants import DRAWN_PLANTS
from smaller import with_files

from rosettabench.catalogue.framework import all_frameworks
from rosettabench.data.series.windows import known_inputs
from rosettabench.errors import WorkerError
from rosettabench.proof.causes.misdrawn import misdrawn
from rosettabench.proof.causes.suspect import Suspect
from rosettabench.proof.check import make_check
from rosettabench.proof.sampling import Sampling

pytestmark = [pytest.mark.environment, pytest.mark.slow]


@pytest.fixture
def drawn(references, tmp_path):
    """What a plant's sampler draws: the checks that fail, and what is looked at once more where one does."""
    sessions = []

    def drawn(plant):
        work, exact = references(plant.workload)
        entry, tampered = tampered_files(plant, work.workload, tmp_path)
        planted = with_files(work, {entry.implementation_name: tampered})
        session = open_session(entry, plant.mode, environment(entry.locks[0]), planted, tmp_path / "session")
        sessions.append(session)
        sampling = Sampling(session, exact, tmp_path / "sampling")
        suspect = Suspect(sampling.draw(sampling.responsive()), sampling)
        checks = [make_check(one, exact.tolerances.of(one)) for one in suspect.found.deviations()]
        return [check for check in checks if not check.passed], suspect

    yield drawn
    for session in sessions:
        session.process.close()


@pytest.mark.parametrize("plant", DRAWN_PLANTS, ids=lambda plant: plant.name)
def test_a_mistake_of_a_sampler_is_caught_and_named(plant, drawn):
    failed, suspect = drawn(plant)
    assert failed, "what is drawn passes, and must not"
    cause = next(misdrawn(suspect))
    worst = max(failed, key=lambda check: check.share)
    print("PLANT", plant.name, failed[0].quantity, f"{worst.share:.3g} × tolerance", worst.quantity, cause, sep=" | ")
    assert failed[0].quantity == plant.diverges
    assert plant.cause in cause


@pytest.mark.parametrize("framework", ["pytorch", "jax", "tensorflow", "mxnet-gluon"])
def test_a_seed_says_what_is_drawn(framework, references, tmp_path):
    """The same seed, the same paths; another, others. What the model holds is as it was, and so is what it says."""
    work, exact = references("deepar-monash")
    entry = all_frameworks()[framework]
    session = open_session(entry, entry.mode, environment(entry.locks[0]), work, tmp_path)
    try:
        session.build(exact.start)
        before = session.evaluate(4, tmp_path / "before")["files"]["logits"]
        np.save(tmp_path / "known.npy", known_inputs(work.data.series, range(5)))
        one, same, other = (
            np.load(session.forecast(tmp_path / "known.npy", 3, seed, tmp_path / name, 2)["files"]["samples"])
            for name, seed in (("one", 7), ("same", 7), ("other", 8))
        )
        after = session.evaluate(4, tmp_path / "after")["files"]["logits"]
    finally:
        session.process.close()
    assert one.shape == (5, 3, work.data.series.horizon) and one.dtype == np.float32
    assert np.array_equal(one, same) and not (one == other).any()
    assert np.array_equal(np.load(before), np.load(after))


def test_who_forecasts_nothing_says_so(tmp_path):
    work = small_work("fashion-mlp", tmp_path)
    entry = all_frameworks()["pytorch"]
    session = open_session(entry, entry.mode, environment(entry.locks[0]), work, tmp_path)
    fields = {"inputs": "", "lags": [1], "horizon": 1, "paths": 1, "seed": 0, "batch_size": 1, "folder": ""}
    try:
        with pytest.raises(WorkerError, match="forecasts nothing") as raised:
            session.ask("forecast", **fields)
    finally:
        session.process.close()
    assert raised.value.kind == "unsupported"
