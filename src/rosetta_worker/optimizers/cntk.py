"""CNTK's Adam, with the learning rate that it is given, and epsilon where the paper has it."""

from math import sqrt

import cntk as C

SETTLED = 20000
"""Steps after which a bias correction by 1 - 0.999^t is 1 in float32, and the schedules stay as they are."""


def adam(parameters, learning_rate, beta1, beta2, epsilon, minibatch_size):
    """Return CNTK's own Adam, fed so that it computes algorithm 1 of Kingma and Ba (2015).

    Unless it is told to ignore the size of a minibatch, it divides the learning rate by it: then the sum of the
    samples' gradients makes the step of their mean, which is so for SGD, and not for Adam, which divides by their size.

    And it adds epsilon to the root *before* the bias correction ("epsilon hat"); epsilon cannot follow the steps. But
    the momenta can. A corrected moment is a moving average, too, in which the past has not the weight beta at step t
    but beta · (1 - beta^(t-1)) / (1 - beta^t). With such momenta CNTK's moments are the corrected ones, and epsilon is
    added to the right root. What it corrects itself, by the momenta of the step, the learning rate takes out again.
    """
    steps = range(1, SETTLED + 1)
    first = [past(beta1, step) for step in steps]
    second = [past(beta2, step) for step in steps]
    corrections = [sqrt(1 - two**step) / (1 - one**step) for step, one, two in zip(steps, first, second)]
    learner = C.adam(
        parameters,
        lr=[learning_rate / correction for correction in corrections],
        momentum=C.momentum_schedule(first, epoch_size=minibatch_size),
        variance_momentum=C.momentum_schedule(second, epoch_size=minibatch_size),
        unit_gain=True,
        epsilon=epsilon,
        minibatch_size=C.learners.IGNORE,
        epoch_size=minibatch_size,
    )
    learner.corrections = corrections
    return learner


def past(beta, step):
    """Return the weight of the past in a moment that is held corrected."""
    return beta * (1 - beta ** (step - 1)) / (1 - beta**step)


def learning_rate(learner, step):
    """Return the learning rate that is in force in a learner at a step, counted from 0."""
    corrections = getattr(learner, "corrections", [1.0])
    return learner.learning_rate() * corrections[min(step, len(corrections) - 1)]
