"""Count the batches and samples of a block at the point where they are passed to the model."""

import hashlib
import random

import numpy as np

LOOKED_AT = 8
"""Batches of a block whose labels are read: all of them would take longer than a short step."""


class Tally(object):
    """Counts the batches of one block, and keeps a few of them, which are drawn before it begins."""

    def __init__(self, steps):
        self.batches = None
        self.drawn = frozenset(random.SystemRandom().sample(range(steps), min(LOOKED_AT, steps)))
        self.remembered = {}

    def count(self, feed, remember):
        """Yield the batches of `feed`. For drawn ones, keep ``remember(batch)``, a function that reads their labels."""
        number = self.batches or 0
        for batch in feed:
            if number in self.drawn:
                self.remembered[number] = remember(batch)
            number += 1
            self.batches = number
            yield batch

    def report(self):
        """Return the counts; empty if nothing was counted. It reads labels, so the clock must have stopped.

        The counts are `batches`; `samples`, from the sizes of the read batches; `looked_at`, the numbers of these
        batches in the block, from 0; and `labels`, the sha256 of their labels as float32, one batch after the other.
        """
        if self.batches is None:
            return {}
        places = sorted(self.remembered)
        labels = [np.ascontiguousarray(self.remembered[place](), "<f4") for place in places]
        sizes = [len(one) for one in labels]
        return {
            "batches": self.batches,
            "samples": round(self.batches * sum(sizes) / float(len(sizes))) if sizes else 0,
            "looked_at": places,
            "labels": hashlib.sha256(b"".join(one.tobytes() for one in labels)).hexdigest(),
        }
