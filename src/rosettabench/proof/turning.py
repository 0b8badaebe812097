"""Where round-off turns a unit: how far the reference's own gradients go when its weights are moved by as little.

A ReLU's input may lie as near to zero as round-off reaches, and so may the two largest inputs of a pool to each other.
What comes out is the same to the last digits, on whichever side they fall. But the gradient of that unit goes another
way, and in some tensor it is a thousandth of the whole. Of millions of units in a batch, one or two turn in a step, in
each framework others: neither is wrong, and two measurements of the noise rarely see the same ones.

So a gradient that is further off than they explain is asked about once more. The reference, in float64, takes the same
step from weights that are moved at random, each by about a millionth of itself: as much as float32 loses in a sum of
some hundred terms. How far the gradient of each tensor goes, at the most, is its noise. What no unit causes does not
move by more than that millionth, and stays what it is: a mistake.
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
"""How often the weights are moved. A unit that round-off can turn is turned by about a third of them, so that one in
(2/3)^-16 = 660 is missed."""

MOST = 0.1
"""Relative deviation above which nobody asks: so much is more than a unit or two."""

MOVED = 2.0**-20
"""Standard deviation of what a weight is moved by, relative to it."""

SEED = 2


def turning_noise(reference: Reference, step: int) -> dict[str, float]:
    """Return, by tensor, the largest deviation that moved weights cause in the gradients of a step, as in `Deviation`.

    The step begins where the reference's did.
    """
    exact = reference.steps[step]
    begin = reference.start if step == 0 else reference.steps[step - 1].parameters
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
    """Write weights down, each moved by chance; return the files."""
    arrays = {name: read_array(weights, name) for name in weights}
    factors = {name: 1 + MOVED * generator.standard_normal(array.shape) for name, array in arrays.items()}
    return save_weights({name: (array * factors[name]).astype(np.float32) for name, array in arrays.items()}, folder)
