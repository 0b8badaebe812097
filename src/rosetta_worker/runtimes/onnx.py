"""Models in ONNX's format, below the runtimes that run them: their weights are put in here, by name."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


class OnnxModel(object):
    """A model of a file, whose initialisers can be read and overwritten before a runtime is given its content."""

    def __init__(self, path):
        self.proto = onnx.load(path)
        self.held = {one.name: one for one in self.proto.graph.initializer}

    def get(self, own):
        """Return an initialiser as an array."""
        return numpy_helper.to_array(self.held[own])

    def set(self, own, array):
        """Overwrite an initialiser; its shape stays."""
        if tuple(self.held[own].dims) != array.shape:
            raise ValueError("%s is %s, not %s" % (own, tuple(self.held[own].dims), array.shape))
        self.held[own].CopyFrom(numpy_helper.from_array(array, own))

    def content(self):
        """Return the model as the bytes of a file."""
        return self.proto.SerializeToString()

    def settings(self):
        """Return what the file says of itself."""
        kinds = {helper.tensor_dtype_to_np_dtype(one.data_type).name for one in self.held.values()}
        floats = sorted(kind for kind in kinds if "float" in kind)
        return {
            "precision": " and ".join(floats),
            "opset": next(one.version for one in self.proto.opset_import if one.domain == ""),
            "exporter": "%s %s" % (self.proto.producer_name, self.proto.producer_version),
        }


def loaded(inputs):
    """Return inputs as the model takes them: whole numbers are PyTorch's own, in which it was traced."""
    return inputs.astype("int64") if inputs.dtype.kind == "i" else inputs


def answer(run, batch, implementation):
    """Return the outputs for a batch; `run` takes {name: array} and returns the list of what the model returns.

    A model that writes texts is one step: it gets the caches of the step before, and of its logits the likeliest token.
    """
    if not hasattr(implementation, "CACHES"):
        return run({"inputs": batch})[0]
    caches = [np.zeros((len(batch),) + implementation.EMPTY, "float32") for _ in implementation.CACHES]
    outputs = []
    for _ in range(implementation.TOKENS):
        logits, *caches = run(dict(zip(implementation.CACHES, caches), inputs=batch))
        outputs.append(logits)
        batch = logits.argmax(-1).astype(batch.dtype)
    return np.concatenate(outputs, axis=1)


def chain(size, repeats):
    """Return the bytes of a model of `repeats` dependent products of its ``inputs``, (size, size), with itself."""
    names = ["inputs", *("product%d" % number for number in range(1, repeats)), "outputs"]
    nodes = [helper.make_node("MatMul", [names[at], "inputs"], [names[at + 1]]) for at in range(repeats)]
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [size, size]) for name in (names[0], names[-1])]
    graph = helper.make_graph(nodes, "chain", ends[:1], ends[1:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
    return model.SerializeToString()


def even(size):
    """Return the (size, size) matrix whose powers are all the same."""
    return np.full((size, size), 1.0 / size, "float32")
