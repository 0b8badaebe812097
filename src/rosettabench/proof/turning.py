"""Measure how far round-off that turns a unit moves a gradient: move the reference's weights by as little.

A ReLU's input may be as close to zero as round-off, and the two largest inputs of a pool as close to each other. The
output is almost equal on either side. But the gradient of that unit changes, by up to a thousandth of a tensor's whole
gradient. Among millions of units in a batch, one or two turn in a step, and different ones in each framework. Neither
framework is wrong, and two measurements of the noise rarely see these units.

So a gradient that exceeds its tolerance is examined again. The reference, in float64, repeats the step from weights
that are moved at random, each by about a millionth of itself: as much as float32 loses in a sum of some hundred terms.
The largest change of each tensor's gradient is its noise. A deviation that no unit causes does not change by more than
that millionth, and remains a mistake.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import numpy as np

from rosettabench.plan.proof_steps import pace_of
from rosettabench.proof.comparison import compare_gradients
from rosettabench.proof.reference import Reference
from rosettabench.proof.walk import Files, read_array
from rosettabench.proof.weights import save_weights

TRIALS = 16
"""How often the weights are moved. About a third of the trials turn a unit that round-off can turn, so one unit in
(2/3)^-16 = 660 is missed."""

MOVED = 2.0**-20
"""Standard deviation of the move of a weight, relative to it."""

SEED = 2


def turning_noise(reference: Reference, step: int) -> dict[str, float]:
    """Return, by tensor, the largest relative deviation that moved weights cause in the gradients of a step.

    The step begins with the weights of the reference's step.
    """
    exact, begin = reference.steps[step], reference.begin_of(step)
    generator = np.random.Generator(np.random.Philox(key=[SEED, step]))
    place = Path(tempfile.mkdtemp(prefix="turning-", dir=reference.folder))
    session = reference.start_session("float64", None, place)
    noise: dict[str, float] = {}
    try:
        reference.supply(session)
        for _ in range(TRIALS):
            session.build(move_weights(begin, generator, place / "weights"), pace=pace_of(session.work.workload))
            files = session.ask("gradients", step=step, folder=str(place / "gradients"))["files"]
            for deviation in compare_gradients(files, exact):
                name = str(deviation.tensor)
                noise[name] = max(noise.get(name, 0.0), deviation.value)
    finally:
        session.process.close()
        shutil.rmtree(place)
    return noise


def move_weights(weights: Files, generator: np.random.Generator, folder: Path) -> Files:
    """Write the weights, each moved at random; return the files."""
    arrays = {name: read_array(weights, name) for name in weights}
    factors = {name: 1 + MOVED * generator.standard_normal(array.shape) for name, array in arrays.items()}
    return save_weights({name: (array * factors[name]).astype(np.float32) for name, array in arrays.items()}, folder)
