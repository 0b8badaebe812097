"""Record in PyTorch, with hooks on the modules."""

from rosetta_worker.frameworks import pytorch
from rosetta_worker.recorders import Record, first_array, found


class Adapter(pytorch.Adapter):
    """PyTorch's adapter that records the modules."""

    def gradients(self, dataset, ids):
        logits, loss, _ = pytorch.Adapter.gradients(self, dataset, ids)
        return logits, loss, recorded(self.model, self.implementation, self.batch(dataset, ids)[0])


def recorded(model, implementation, inputs):
    """Return the arrays of a record of one pass of a model, in training mode."""
    record = Record(implementation)
    handles = [found(model, path).register_forward_hook(keeper(record, path)) for path in record.layers if path]
    model(inputs)
    for handle in handles:
        handle.remove()
    return record.arrays


def keeper(record, path):
    """Return a hook that records the module at a path."""

    def keep(module, inputs, outputs):
        record.keep(path, host(inputs), host(outputs))

    return keep


def host(given):
    """Return a copy of the first tensor as an array: a later operation may overwrite the tensor."""
    return first_array(given).detach().cpu().numpy().copy()
