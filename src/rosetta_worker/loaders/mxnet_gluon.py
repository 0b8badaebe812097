"""Gluon's DataLoader: a pool of processes that cut and join samples, and live as long as the loader does."""

import numpy as np
from mxnet.gluon.data import DataLoader

from rosetta_worker.children import tie_children
from rosetta_worker.loaders import AHEAD
from rosetta_worker.loaders.rows import Rows


class Loader(object):
    """MXNet 1.4 and newer. Every block is an epoch to the DataLoader, with the block's rows as its batches."""

    def __init__(self, source, workers, context):
        if workers:
            tie_children()
        self.rows = Rows()
        self.context = context
        self.loader = DataLoader(
            Samples(source), batch_sampler=self.rows, num_workers=workers, prefetch=AHEAD * workers
        )

    def read(self, rows):
        self.rows.ask(rows)
        for inputs, labels in self.loader:
            yield inputs.as_in_context(self.context), labels.as_in_context(self.context)

    def settings(self):
        pool = self.loader._worker_pool  # no public name tells
        return {"loader": type(self.loader).__name__, "loader_workers": len(pool._pool) if pool else 0}

    def close(self):
        self.loader = None  # its processes are ended by that


class Samples(object):
    """A source whose labels are as Gluon's losses read them."""

    def __init__(self, source):
        self.source = source

    def __len__(self):
        return len(self.source)

    def __getitem__(self, number):
        inputs, label = self.source[number]
        return inputs, np.float32(label)
