"""Keras' layers: each calls its own ``call``, which is another one while one pass is recorded, op by op."""

from keras import ops

from rosetta_worker.recorders import Record, first_array, found


def recorded(model, implementation, inputs):
    """Return the arrays of a record of one pass of a model, in training mode."""
    record = Record(implementation)
    layers = {path: found(model, path) for path in record.layers if path}
    for path, layer in layers.items():
        object.__setattr__(layer, "call", keeping(layer.call, record, path))
    try:
        model(inputs, training=True)
    finally:
        for layer in layers.values():
            object.__delattr__(layer, "call")
    return record.arrays


def keeping(call, record, path):
    """Return a layer's call, which keeps what passes through."""

    def keep(*inputs, **options):
        outputs = call(*inputs, **options)
        record.keep(path, *(ops.convert_to_numpy(first_array(one)) for one in (inputs, outputs)))
        return outputs

    return keep
