"""Record in Keras. A layer calls its own ``call``, which is replaced for one pass, op by op."""

from keras import ops

from rosetta_worker.frameworks import keras
from rosetta_worker.recorders import Record, first_array, found


class Adapter(keras.Adapter):
    """Keras' adapter that records the layers."""

    def gradients(self, dataset, ids):
        logits, loss, _ = keras.Adapter.gradients(self, dataset, ids)
        record = Record(self.implementation)
        layers = {path: found(self.model, path) for path in record.layers if path}
        for path, layer in layers.items():
            object.__setattr__(layer, "call", keeping(layer.call, record, path))
        try:
            self.model(self.batch(dataset, ids)[0], training=True)
        finally:
            for layer in layers.values():
                object.__delattr__(layer, "call")
        return logits, loss, record.arrays


def keeping(call, record, path):
    """Return a replacement for a layer's call that records inputs and outputs."""

    def keep(*inputs, **options):
        outputs = call(*inputs, **options)
        record.keep(path, *(ops.convert_to_numpy(first_array(one)) for one in (inputs, outputs)))
        return outputs

    return keep
