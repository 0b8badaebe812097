"""What the libraries have in common whose DeepAR is trained as shipped: seeds, and facts that are read from the code.

A fact is read from an object of the installed library, from its source, or by letting it do something small; never from
what somebody wrote about it elsewhere. The laboratory lays the facts of two libraries side by side: where they differ,
the work is not equal.
"""

import inspect
import random

import numpy as np

FREQUENCY, CONTEXT, HORIZON = "M", 5, 3
"""Of the small estimator that facts are read from: monthly series, and two lengths that differ."""

MOST_EPOCHS = 100
"""After so many epochs without a gain, a schedule that has done nothing will not do anything."""

GAIN = 1e-6
"""A gain, relative, that is nothing to some schedules."""

TINY = 1e-8
"""A gradient as large as Adam's epsilon: the first step it makes tells where epsilon stands."""

CLIPPED = (30.0, 40.0)
"""Gradients that are too large each, and whose norm is."""


class DeepAr(object):
    """GluonTS's DeepAREstimator on one framework; `setting` holds `threads`.

    Each method named ``fact_<what>`` returns what it has read, in words, and the object that it has read it from.
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
    """What is read, in the order of the table, and in words."""

    def __init__(self, setting):
        self.threads = setting["threads"]

    def seed(self, number):
        """Seed every generator that the training draws from."""
        random.seed(number)
        np.random.seed(number)

    def synchronize(self):
        """Wait until everything that was asked of the device is done."""

    def estimator(self, frequency, horizon, context, epochs, samples):
        """Return the estimator with its own defaults but for these five."""
        raise NotImplementedError

    def train(self, estimator, series, account):
        """Let the estimator train as it always does; return its predictor. The account learns where the time goes."""
        raise NotImplementedError

    def settings(self):
        """Return what is in force, by the keys of docs/explanation/fairness.md."""
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
    """Return the default of a parameter, as the signature has it."""
    return inspect.signature(function).parameters[name].default


def small_series(count=2, length=60):
    """Return a few series of positive numbers, as GluonTS takes them; the same every time."""
    import pandas

    draw = np.random.RandomState(0)
    start = pandas.Period("2000-01-01", freq=FREQUENCY)
    return [{"start": start, "target": 1 + draw.rand(length)} for _ in range(count)]


def unrolled(length):
    """Return a number of steps in terms of context and horizon."""
    apart = length - CONTEXT - HORIZON
    return "context + horizon" + (" %s %d" % ("-" if apart < 0 else "+", abs(apart)) if apart else "")


def falls(rate, step):
    """Return how far a learning rate falls, and after what kind of epochs, in words.

    `rate` returns the learning rate; `step` tells the schedule the loss of an epoch.
    """
    loss = 1.0
    step(loss)
    first = rate()
    for epochs in range(1, MOST_EPOCHS):  # noqa: B007 (told below)
        step(loss)
        if rate() < first:
            break
    else:
        raise ValueError("the learning rate did not fall in %d epochs" % MOST_EPOCHS)
    step(loss / 2)  # better without doubt: whatever has been counted begins anew
    now = rate()
    for _ in range(epochs):
        loss *= 1 - GAIN
        step(loss / 2)
    small = "which a gain of %g interrupts" % GAIN if rate() == now else "also if each gains %g" % GAIN
    return "×%g after %d epochs without a gain, %s" % (now / first, epochs, small)


def clipped(gradients, limit):
    """Return how the gradients CLIPPED were clipped at `limit`, in words."""
    norm = float(np.linalg.norm(CLIPPED))
    ways = {
        "all together, by their norm": [one * limit / norm for one in CLIPPED],
        "each element on its own": [min(one, limit) for one in CLIPPED],
    }
    for words, expected in ways.items():
        if np.allclose(gradients, expected, rtol=1e-4):
            return "%s, at %g" % (words, limit)
    raise ValueError("gradients of %s were clipped to %s, in no known way" % (CLIPPED, list(gradients)))
