"""What CNTK does by itself, and what is made of it here; run in its environment, it prints JSON.

python check_cntk.py WORKER_FOLDER
"""

import json
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(sys.argv[1]).parent))

import cntk

from rosetta_worker.optimizers import cntk as mended

BATCH = 4
SLOPES = [1.0, 0.5, 1e-7]


def way(learner_of, slopes=SLOPES):
    """How far a weight goes in each step at a rate of 1, along gradients, each of which is that of every sample."""
    weight, slope = cntk.parameter((), init=0.0), cntk.input_variable(())
    loss = weight * slope
    learner = learner_of([weight])
    trainer = cntk.Trainer(loss, loss, [learner])
    places, rates = [0.0], []
    for step, value in enumerate(slopes):
        rates.append(mended.learning_rate(learner, step))
        trainer.train_minibatch({slope: np.full(BATCH, value, "float32")})
        places.append(float(weight.value))
    return {"steps": [-float(moved) for moved in np.diff(places)], "rates": rates}


def settled():
    """How far from their limits, the betas, the mended Adam's momenta are where their schedules end, at the most."""
    return max(abs(mended.past(beta, mended.SETTLED) / beta - 1) for beta in (0.9, 0.999))


def adam(parameters, **given):
    return cntk.adam(parameters, 1.0, 0.9, variance_momentum=0.999, unit_gain=True, **given)


print(
    json.dumps(
        {
            "adam": {
                "own": way(adam),
                "minibatch": way(lambda parameters: adam(parameters, minibatch_size=BATCH)),
                "ignore": way(lambda parameters: adam(parameters, minibatch_size=cntk.learners.IGNORE)),
                "here": way(lambda parameters: mended.adam(parameters, 1.0, 0.9, 0.999, 1e-8, BATCH)),
            },
            "momentum": {
                "own": way(lambda parameters: cntk.momentum_sgd(parameters, 1.0, 0.9), [1.0, 0.0]),
                "here": way(lambda parameters: cntk.momentum_sgd(parameters, 1.0, 0.9, unit_gain=False), [1.0, 0.0]),
            },
            "settled": settled(),
        }
    )
)
