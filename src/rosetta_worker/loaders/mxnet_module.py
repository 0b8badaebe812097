"""A DataIter for MXNet's Module: batches are cut out in the worker itself."""

from mxnet import nd
from mxnet.io import DataBatch, DataIter

from rosetta_worker.loaders.rows import Rows


class Loader(DataIter):
    """MXNet 1.4 to 1.9. Every block is an epoch, which `reset` starts. NDArrayIter would hold the arrays in memory."""

    def __init__(self, source, workers, context):
        if workers:
            raise NotImplementedError(
                "the iterators of MXNet's Module read in the worker itself: no processes load for it (--set workers=0)"
            )
        super(Loader, self).__init__()
        self.source = source
        self.context = context
        self.rows = Rows()

    def reset(self):
        self.left = iter(self.rows)

    def next(self):
        inputs, labels = self.source.batch(next(self.left))
        inputs = nd.array(inputs, self.context, inputs.dtype)
        return DataBatch([inputs], [nd.array(labels, self.context, "float32")])  # its losses take classes as float32

    def read(self, rows):
        self.rows.ask(rows)
        self.reset()
        return ((batch.data[0], batch.label[0]) for batch in self)

    def settings(self):
        return {"loader": DataIter.__name__, "loader_workers": 0}

    def close(self):
        self.rows.close()
