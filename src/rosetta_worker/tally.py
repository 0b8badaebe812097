"""Counts what a block trains on, where a batch is handed to the model."""

import hashlib
import random

import numpy as np

LOOKED_AT = 8
"""Batches of a block whose labels are looked at: all of them would take longer than a short step."""


class Tally(object):
    """Counts the batches of one block, and remembers a few of them, which are drawn before it begins."""

    def __init__(self, steps):
        self.batches = None
        self.drawn = frozenset(random.SystemRandom().sample(range(steps), min(LOOKED_AT, steps)))
        self.remembered = {}

    def count(self, feed, remember):
        """Yield the batches of `feed`. Of those that are drawn ``remember(batch)`` is kept: what reads their labels."""
        number = self.batches or 0
        for batch in feed:
            if number in self.drawn:
                self.remembered[number] = remember(batch)
            number += 1
            self.batches = number
            yield batch

    def report(self):
        """Return what was counted; nothing where nobody has counted. It reads labels: the clock must not run.

        `batches` and `samples`, the latter by the sizes of the batches that were looked at; `looked_at`, which these
        were, counted from the block's first; and `labels`, the sha256 of theirs, as float32, one batch after the other.
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
