"""Where a training's seconds go: the parts add up to it, and what is made slow shows in its own part."""

import numpy as np
import pytest
from laboratory import tamper

PARTS = {"setup", "first", "input", "checkpoints", "steps"}

BATCHES = 50
"""Of an epoch: both libraries' default."""

BATCH_S, WRITE_S, ONCE_S = 0.08, 0.7, 0.9

SLOW = f"""
import time
from gluonts import itertools as its


def slow(seconds, function):
    def call(*args, **more):
        time.sleep(seconds)
        return function(*args, **more)
    return call


slices = its.IterableSlice.__iter__
its.IterableSlice.__iter__ = lambda self: (time.sleep({BATCH_S}) or batch for batch in slices(self))
DeepAREstimator.create_predictor = slow({ONCE_S}, DeepAREstimator.create_predictor)
"""

SLOW_WRITING = {
    "gluonts[torch]": f"torch.load = slow({WRITE_S}, torch.load)\n",
    "gluonts[mxnet]": f"_base.save_epoch_info = slow({WRITE_S}, _base.save_epoch_info)\n",
}


def parts_of(start, library, prepared):
    """The parts of a training of one epoch, and what they are parts of; and its sample paths."""
    with start(library) as trainer:
        trainer.parse(prepared, None)
        done = trainer.train(prepared.context, 1, 2, 42)
        assert done["parts"].keys() == PARTS
        assert min(done["parts"].values()) > 0
        assert sum(done["parts"].values()) == pytest.approx(done["elapsed_s"], rel=1e-2)
        return done["parts"], np.array(trainer.predict()[1])


@pytest.mark.slow
@pytest.mark.environment
def test_what_is_slow_shows_in_its_part_and_changes_no_forecast(start, library, series, tmp_path):
    yearly = series("m1_yearly")
    changes = [("\n\nclass Library(", f"\n{SLOW}{SLOW_WRITING[library.name]}\n\nclass Library(")]
    planted = library.model_copy(update={"path": tamper(library.path, changes, tmp_path / "planted.py")})
    parts, paths = parts_of(start, planted, yearly)
    slept = BATCHES * BATCH_S
    assert slept * 0.7 < parts["input"] < slept * 2, "a step of MXNet may be computed meanwhile"
    assert WRITE_S < parts["checkpoints"] < WRITE_S + 1
    assert ONCE_S < parts["setup"] < ONCE_S + 3
    plain, as_shipped = parts_of(start, library, yearly)
    assert plain["input"] < slept * 0.7
    assert plain["checkpoints"] < WRITE_S
    assert np.array_equal(paths, as_shipped)
