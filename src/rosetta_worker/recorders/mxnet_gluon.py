"""Record in MXNet Gluon, with hooks on blocks that are not hybridized for one pass."""

from mxnet import autograd

from rosetta_worker.frameworks import mxnet_gluon
from rosetta_worker.recorders import Record, first_array, found


class Adapter(mxnet_gluon.Adapter):
    """Gluon's adapter that records the blocks."""

    def gradients(self, dataset, ids):
        logits, loss, _ = mxnet_gluon.Adapter.gradients(self, dataset, ids)
        record = Record(self.implementation)
        self.model.hybridize(False)
        handles = [
            found(self.model, path).register_forward_hook(keeper(record, path)) for path in record.layers if path
        ]
        with autograd.train_mode():
            self.model(self.batch(dataset, ids)[0])
        for handle in handles:
            handle.detach()
        return logits, loss, record.arrays


def keeper(record, path):
    """Return a hook that records the block at a path."""

    def keep(block, inputs, outputs):
        record.keep(path, first_array(inputs).asnumpy(), first_array(outputs).asnumpy())

    return keep
