"""Counts the updates of PaddlePaddle's optimisers."""

from paddle.optimizer import Adam, AdamW

from rosetta_worker.optimizers import powers

WITH_POWERS = (Adam, AdamW)
"""The optimisers that keep a power of their second beta. Others keep nothing that tells the number of their updates."""


def counting(optimizer):
    """Return the same optimiser, with a counter of its steps if it keeps nothing of them itself."""
    if not isinstance(optimizer, WITH_POWERS):

        def counted():
            """Take a step, and count it. It is looked up each time, since the profiler replaces that of the class."""
            type(optimizer).step(optimizer)
            optimizer.updates += 1

        optimizer.updates, optimizer.step = 0, counted
    return optimizer


def updates_of(optimizer, hyper):
    """Return the number of updates that an optimiser has made; None if that can't be told."""
    if not isinstance(optimizer, WITH_POWERS):
        return optimizer.updates
    found = [held.item() for name, held in optimizer.state_dict().items() if "beta2_pow" in name]
    return powers.updates_of(found[0], hyper.beta2) if found else 0
