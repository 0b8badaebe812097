"""The common part of libraries whose DeepAR is trained as shipped: seeds, and facts that are read from the code.

A fact is read from an object of the installed library, from its source, or from the result of a small computation;
never from documentation elsewhere. The laboratory compares the facts of two libraries. Where they differ, the work is
not equal.
"""

import inspect
import random

import numpy as np

FREQUENCY, CONTEXT, HORIZON = "M", 5, 3
"""Settings of the small estimator that facts are read from: monthly series, and two different lengths."""

MOST_EPOCHS = 100
"""A schedule that has not changed the rate after so many epochs without a gain never will."""

GAIN = 1e-6
"""A relative gain that some schedules ignore."""

TINY = 1e-8
"""A gradient as large as Adam's epsilon: the size of the first step then tells where epsilon is added."""

CLIPPED = (30.0, 40.0)
"""Gradients that exceed the limit both element by element and in their norm."""


class DeepAr(object):
    """GluonTS's DeepAREstimator on one framework; `setting` holds `threads`.

    Each method named ``fact_<what>`` returns what it has read, in words, and the object that it was read from.
    """

    WHAT = (
        ("training", "a training"),
        ("recurrence", "recurrent layers"),
        ("residual", "residual connection"),
        ("dropout", "dropout"),
        ("inputs", "inputs of a step (monthly series)"),
        ("parameters", "parameters (monthly series)"),
        ("initial", "initial weights"),
        ("steps", "steps of a training window"),
        ("loss", "loss of a window"),
        ("zeros", "scale of a window of zeros, where the mean of its batch is 1"),
        ("optimizer", "optimizer"),
        ("clipping", "gradients are clipped"),
        ("schedule", "the learning rate falls"),
        ("not_finite", "a batch whose loss is not finite"),
        ("checkpoints", "checkpoints"),
        ("logging", "log of a training"),
        ("compilation", "compilation"),
        ("sampling", "sample paths of a series"),
    )
    """The facts in the order of the table: (key, name in words)."""

    def __init__(self, setting):
        self.threads = setting["threads"]

    def seed(self, number):
        """Seed every random generator that the training uses."""
        random.seed(number)
        np.random.seed(number)

    def synchronize(self):
        """Wait until the device has finished all work."""

    def estimator(self, frequency, horizon, context, epochs, samples):
        """Return the estimator with its own defaults, except for these five arguments."""
        raise NotImplementedError

    def train(self, estimator, series, account):
        """Train the estimator in its normal way. Return its predictor. The account receives the seconds by part."""
        raise NotImplementedError

    def settings(self):
        """Return the settings in force, by the keys of docs/explanation/fairness.md."""
        return {}

    def small(self):
        """Return the estimator that facts are read from."""
        return self.estimator(FREQUENCY, HORIZON, CONTEXT, epochs=1, samples=2)

    def facts(self):
        """Return [{"what", "value", "where"}, …] in the order of WHAT."""
        found = []
        for name, what in self.WHAT:
            value, source = getattr(self, "fact_" + name)()
            found.append({"what": what, "value": value, "where": where(source)})
        return found


def where(source):
    """Return the dotted name of a class, a function or a method."""
    return "%s.%s" % (source.__module__, source.__qualname__)


def default(function, name):
    """Return the default of a parameter in a function's signature."""
    return inspect.signature(function).parameters[name].default


def small_series(count=2, length=60):
    """Return a few series of positive numbers in GluonTS's form, always the same."""
    import pandas

    draw = np.random.RandomState(0)
    start = pandas.Period("2000-01-01", freq=FREQUENCY)
    return [{"start": start, "target": 1 + draw.rand(length)} for _ in range(count)]


def unrolled(length):
    """Return a number of steps in words, in terms of context and horizon."""
    apart = length - CONTEXT - HORIZON
    return "context + horizon" + (" %s %d" % ("-" if apart < 0 else "+", abs(apart)) if apart else "")


def falls(rate, step):
    """Return in words by which factor a learning rate falls, and after what kind of epochs.

    `rate` returns the learning rate; `step` passes the loss of an epoch to the schedule.
    """
    loss = 1.0
    step(loss)
    first = rate()
    for epochs in range(1, MOST_EPOCHS):  # noqa: B007 (used below)
        step(loss)
        if rate() < first:
            break
    else:
        raise ValueError("the learning rate did not fall in %d epochs" % MOST_EPOCHS)
    step(loss / 2)  # certainly better, so that all counters start again
    now = rate()
    for _ in range(epochs):
        loss *= 1 - GAIN
        step(loss / 2)
    small = "which a gain of %g interrupts" % GAIN if rate() == now else "also if each gains %g" % GAIN
    return "×%g after %d epochs without a gain, %s" % (now / first, epochs, small)


def clipped(gradients, limit):
    """Return in words how the gradients CLIPPED were clipped at `limit`."""
    norm = float(np.linalg.norm(CLIPPED))
    ways = {
        "all together, by their norm": [one * limit / norm for one in CLIPPED],
        "each element on its own": [min(one, limit) for one in CLIPPED],
    }
    for words, expected in ways.items():
        if np.allclose(gradients, expected, rtol=1e-4):
            return "%s, at %g" % (words, limit)
    raise ValueError("gradients of %s were clipped to %s, in no known way" % (CLIPPED, list(gradients)))
