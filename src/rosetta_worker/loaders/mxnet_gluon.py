"""Gluon's DataLoader: a pool of processes that cut out and join samples. They live as long as the loader."""

import traceback

import numpy as np
from mxnet.gluon.data import DataLoader
from mxnet.gluon.data.dataloader import default_batchify_fn, default_mp_batchify_fn

from rosetta_worker.children import tie_children
from rosetta_worker.loaders import AHEAD
from rosetta_worker.loaders.rows import Rows


class Loader(object):
    """MXNet 1.4 and newer. For the DataLoader, every block is an epoch, with the block's rows as its batches."""

    def __init__(self, source, workers, context):
        if workers:
            tie_children()
        self.rows = Rows()
        self.context = context
        self.loader = DataLoader(
            Samples(source),
            batch_sampler=self.rows,
            batchify_fn=Joined(default_mp_batchify_fn if workers else default_batchify_fn),
            num_workers=workers,
            prefetch=AHEAD * workers,
        )

    def read(self, rows):
        self.rows.ask(rows)
        for inputs, labels in self.loader:
            if isinstance(inputs, Exception):
                raise inputs from RuntimeError("in the DataLoader:\n" + labels)
            yield inputs.as_in_context(self.context), labels.as_in_context(self.context)

    def settings(self):
        pool = self.loader._worker_pool  # it has no public name
        return {"loader": type(self.loader).__name__, "loader_workers": len(pool._pool) if pool else 0}

    def close(self):
        pool = self.loader._worker_pool
        if pool:  # lets them finish: `terminate`, when the loader is deleted, is safe only with idle processes
            pool.close()
            pool.join()
        self.loader = None


class Samples(object):
    """A source whose labels have the dtype of Gluon's losses.

    A sample is (inputs, label) or, if it cannot be loaded, the exception and its traceback as text. An exception that
    is raised in a process would make MXNet terminate the pool, which can hang for ever (docs/findings.md).
    """

    def __init__(self, source):
        self.source = source

    def __len__(self):
        return len(self.source)

    def __getitem__(self, number):
        try:
            inputs, label = self.source[number]
        except Exception as error:  # noqa: BLE001 (raised again by `read`)
            return error, traceback.format_exc()
        return inputs, np.float32(label)


class Joined(object):
    """Joins samples to a batch with `join`, a function of Gluon's; or returns the first that could not be loaded."""

    def __init__(self, join):
        self.join = join

    def __call__(self, samples):
        for sample in samples:
            if isinstance(sample[0], Exception):
                return sample
        return self.join(samples)
