"""Adapters that record the inputs and outputs of each layer, to find where a port differs from its original.

In each, `gradients` returns the arrays of a `Record` in place of gradients. A layer is a module that holds a tied
tensor. Its canonical name is the part of its tensors' names before the last point.
"""

import sys

import numpy as np


class Record(object):
    """The inputs and outputs of the layers in one pass, in the order of their first calls.

    Parameters
    ----------
    implementation : module
        The workload's implementation; its tables of ties say which layers there are.

    """

    def __init__(self, implementation):
        self.file = implementation.__file__
        self.layers = {}
        for tie in list(implementation.TENSORS) + list(getattr(implementation, "STATE", ())):
            owners, names = set(map(layer_of, tie.own)), set(map(layer_of, tie.canonical))
            if len(owners) == len(names) == 1:  # otherwise a layer of one framework corresponds to several of another
                self.layers.setdefault(owners.pop(), names.pop())
        self.arrays = {}

    def keep(self, path, inputs, outputs):
        """Keep the first call of the layer at an attribute path; `inputs` and `outputs` are arrays of the host."""
        name = self.layers[path]
        if "outputs of " + name not in self.arrays:
            self.arrays["place of " + name] = np.array([len(self.arrays) // 3, calling_line(self.file)])
            self.arrays["inputs of " + name] = np.asarray(inputs)
            self.arrays["outputs of " + name] = np.asarray(outputs)


def layer_of(name):
    """Return the layer of a tensor: ``blocks.0.wide`` of blocks.0.wide.kernel."""
    return name.rpartition(".")[0]


def calling_line(file):
    """Return the innermost line of `file` that is being executed; 0 if there is none."""
    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_filename == file:
            return frame.f_lineno
        frame = frame.f_back
    return 0


def found(model, path):
    """Return the object at an attribute path, with indices for lists; the model itself for an empty path."""
    for name in path.split(".") if path else ():
        model = model[int(name)] if name.isdigit() and not hasattr(model, name) else getattr(model, name)
    return model


def first_array(given):
    """Return the first array among a layer's arguments or results: a recurrent layer returns its state, too."""
    while isinstance(given, (tuple, list)):
        given = given[0]
    return given
