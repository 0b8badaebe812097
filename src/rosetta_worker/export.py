"""Export a PyTorch implementation to ONNX: ``python export.py IMPLEMENTATION FOLDER``.

The folder has ``request.json``::

    {"inputs": {"shape": shape of a sample, "dtype": name}, "tensors": {canonical name: path of an .npy file}}

Three files are written beside it. ``model.onnx`` is the model in evaluation mode, for batches of any size, from
``inputs`` to ``outputs``; its initialisers have the names and values of the framework's tensors. ``exported.py`` is
what a worker loads in place of the implementation: where the model lies, and the ties. ``answer.json`` is
``{"opset": number}``, or ``{"error": sentence}`` where the model cannot be exported.

A model that writes texts is one step, which the runtime repeats. Its file names the caches, CACHES, that ``forward`` is
given in a list behind the tokens and returns in a list behind the logits; EMPTY is the shape of a sample's cache before
the first step; TOKENS are the new tokens of a sample. All three are in ``exported.py``, too.
"""

import json
import os
import sys

from start import load_package

SAMPLES = 2
"""Samples of the batch with which the model is traced: with one, the exporter takes the size for fixed."""

TIME, PAST = 3, 5
"""The tokens of a step, and those in its caches, with which a step is traced."""

STEP = ("TOKENS", "CACHES", "EMPTY")
"""What the file of a step has in addition."""

PASSES = 2
"""How often constants are folded: what one pass folds makes others foldable (onnxscript's own optimiser has two)."""

MOST_BYTES = 2**31 - 1
"""The largest file that ONNX, a message of protobuf, can be."""


class Refused(Exception):
    """Says in a sentence why a model cannot be exported."""


def main(implementation, folder):
    """Write the model and its ties, or why that cannot be done."""
    load_package()
    from rosetta_worker.children import die_with_parent
    from rosetta_worker.service import load_file

    die_with_parent()
    with open(os.path.join(folder, "request.json")) as file:
        request = json.load(file)
    try:
        answer = write(load_file("rosetta_implementation", implementation), request, folder)
    except Refused as refused:
        answer = {"error": "%s" % refused}
    with open(os.path.join(folder, "answer.json"), "w") as file:
        json.dump(answer, file)


def write(implementation, request, folder):
    """Write the exported model and its ties; return the answer."""
    tables = {table: pairs(getattr(implementation, table, ())) for table in ("TENSORS", "STATE")}
    if hasattr(implementation, "arrange"):
        raise Refused("its inputs are arranged by a function, arrange, which is no part of the model")
    own = {name: canonical for table in tables.values() for canonical, name in table}
    step = {name: getattr(implementation, name) for name in STEP if hasattr(implementation, name)}
    model = implementation.Model()
    fill(model, own, request["tensors"])
    proto = exported(model.eval(), *traced(step, request["inputs"]))
    rename(proto.graph, second_names(model, own))
    check_weights(proto.graph, own, request["tensors"])
    if proto.ByteSize() > MOST_BYTES:
        raise Refused("it has %.1f GB, and one file of ONNX holds 2" % (proto.ByteSize() / 1e9))
    with open(os.path.join(folder, "model.onnx"), "wb") as file:
        file.write(proto.SerializeToString(deterministic=True))
    with open(os.path.join(folder, "exported.py"), "w") as file:
        file.write(module(tables, step))
    return {"opset": next(one.version for one in proto.opset_import if one.domain == "")}


def pairs(ties):
    """Return [(canonical name, own name), …] of a table of ties that change no layout."""
    found = []
    for tie in ties:
        if tie.transforms or len(tie.canonical) != len(tie.own):
            raise Refused("its tie of %s changes the layout" % tie.canonical[0])
        found += zip(tie.canonical, tie.own)
    return found


def fill(model, own, files):
    """Write the canonical tensors into a model."""
    import numpy as np
    import torch

    tensors = dict(model.named_parameters(), **dict(model.named_buffers()))
    with torch.no_grad():
        for name, canonical in own.items():
            tensors[name].copy_(torch.from_numpy(np.load(files[canonical], allow_pickle=False)))


def traced(step, inputs):
    """Return what a model is traced with: arguments, their axes of any extent, names of arguments and of results.

    `step` is what the file of a step has in addition; empty for a model that is no step.
    """
    import torch
    from torch.export import Dim

    batch = Dim("batch")
    example = torch.zeros([SAMPLES] + list(inputs["shape"]), dtype=getattr(torch, inputs["dtype"]))
    if not step:
        return (example,), ({0: batch},), ["inputs"], ["outputs"]
    names, empty = step["CACHES"], step["EMPTY"]
    caches = [torch.zeros([SAMPLES] + [extent or PAST for extent in empty]) for _ in names]
    grows = {0: batch, 1 + empty.index(0): Dim("past")}
    axes = {0: batch, 1: Dim("time")}, [grows for _ in names]
    return (example[:, :TIME], caches), axes, ["inputs", *names], ["outputs", *("next_%s" % name for name in names)]


def exported(model, arguments, axes, taken, returned):
    """Return the model as ONNX has it, simplified, without the places in the source that its nodes came from."""
    import onnx
    import torch

    try:
        program = torch.onnx.export(
            model,
            arguments,
            dynamo=True,
            dynamic_shapes=axes,
            input_names=taken,
            output_names=returned,
            optimize=False,  # it would merge weights, and give them other names
            verbose=False,
        )
    except Exception as error:  # whatever the exporter raises of a user's model
        raise Refused(reason(error)) from error
    simplify(program.model, {*model.state_dict()})
    proto = program.model_proto
    for part in (proto, proto.graph, *proto.graph.node, *proto.graph.input, *proto.graph.output, *values(proto.graph)):
        del part.metadata_props[:]
    onnx.checker.check_model(proto)
    return proto


def values(graph):
    """Return the values of a graph that have a description of their own."""
    return [*graph.value_info, *graph.initializer]


def reason(error):
    """Return in a line what the exporter says: the first line of what it was raised from."""
    while error.__cause__ is not None:
        error = error.__cause__
    lines = [line.strip() for line in str(error).split("\n") if line.strip()]
    return "torch.onnx.export says: %s: %s" % (type(error).__name__, lines[0] if lines else "nothing more")


def simplify(model, weights):
    """Fold constants, the weights apart: runtimes fold these themselves, and then nobody could put others in."""
    from onnxscript import optimizer

    def folds(node):
        """Return False for a node that reads a weight; None leaves it to the optimiser."""
        return False if any(value is not None and value.name in weights for value in node.inputs) else None

    optimizer.inline(model)
    for _ in range(PASSES):
        optimizer.fold_constants(model, onnx_shape_inference=True, should_fold=folds)
        optimizer.remove_unused_nodes(model)


def second_names(model, own):
    """Return {second name: name in the ties} of weights that a model has twice: the exporter keeps one of the names."""
    held = model.state_dict()
    places = {(held[name].data_ptr(), held[name].shape): name for name in own}
    names = {name: places.get((tensor.data_ptr(), tensor.shape)) for name, tensor in held.items() if name not in own}
    return {name: first for name, first in names.items() if first is not None}


def rename(graph, names):
    """Give initialisers the names that ties have for them."""
    for initializer in list(graph.initializer):
        if initializer.name in names:
            if any(other.name == names[initializer.name] for other in graph.initializer):
                graph.initializer.remove(initializer)
            else:
                initializer.name = names[initializer.name]
    for node in graph.node:
        node.input[:] = [names.get(name, name) for name in node.input]


def check_weights(graph, own, files):
    """Raise Refused where a tensor is not among the initialisers that nodes read, bit by bit as it was given."""
    import numpy as np
    from onnx import numpy_helper

    read = {name for node in graph.node for name in node.input}
    held = {one.name: one for one in graph.initializer if one.name in read}
    for name, canonical in own.items():
        if name not in held:
            raise Refused("the exporter keeps no tensor %s: the outputs do not depend on it, or it was merged" % name)
        given = np.load(files[canonical], allow_pickle=False)
        if numpy_helper.to_array(held[name]).tobytes() != given.tobytes():
            raise Refused("the exporter changes the tensor %s" % name)


def module(tables, step):
    """Return the text of ``exported.py``: the ties, and what the file of a `step` has in addition."""
    lines = ['"""A model that was exported to ONNX, and the ties of its tensors."""', "", "import os", ""]
    lines += ["from rosetta_worker.tensors import Tie", ""]
    lines += ['MODEL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "model.onnx")']
    lines += ["%s = %r" % pair for pair in step.items()]
    for table, found in tables.items():
        lines += ["", "%s = [" % table, *("    Tie(%r, %r)," % pair for pair in found), "]"]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main(*sys.argv[1:])
