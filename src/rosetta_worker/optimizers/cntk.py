"""CNTK's Adam, with the given learning rate, and epsilon added as in the paper."""

from math import sqrt

import cntk as C

SETTLED = 20000
"""Steps after which a bias correction by 1 - 0.999^t is 1 in float32, so that the schedules stay constant."""


def adam(parameters, learning_rate, beta1, beta2, epsilon, minibatch_size):
    """Return CNTK's own Adam, with arguments that make it compute algorithm 1 of Kingma and Ba (2015).

    Unless it is told to ignore the size of a minibatch, it divides the learning rate by it, so that the sum of the
    samples' gradients makes the step of their mean. That holds for SGD, but not for Adam, which divides gradients by
    their size.

    It adds epsilon to the root *before* the bias correction ("epsilon hat"), and epsilon cannot change with the steps.
    But the momenta can. A bias-corrected moment is a moving average, too, in which the past has the weight beta · (1 -
    beta^(t-1)) / (1 - beta^t) at step t, instead of beta. With such momenta, CNTK's moments are the corrected ones, and
    epsilon is added to the right root. CNTK's own correction, by the momenta of the step, is cancelled by the learning
    rate.
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
    """Return the weight of the past in a moment that is stored with its bias corrected."""
    return beta * (1 - beta ** (step - 1)) / (1 - beta**step)


def learning_rate(learner, step):
    """Return the learning rate of a learner at a step, counted from 0."""
    corrections = getattr(learner, "corrections", [1.0])
    return learner.learning_rate() * corrections[min(step, len(corrections) - 1)]
