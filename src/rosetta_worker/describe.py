"""Describe a PyTorch model: ``python describe.py FILE CLASS FOLDER [INPUTS]``.

Makes a model of the class. Writes its description, ``model.json``, and its initial weights, one .npy for each tensor,
into FOLDER. INPUTS are the inputs of a sample by the names of arguments, as JSON: {"user": {"shape": [], "below": 50}};
"" stands for every argument that is not named. Without them, inputs are tried that fit the model's first layer. If the
model cannot be described, ``model.json`` has only the key ``error``: a sentence.
"""

import importlib.util
import inspect
import json
import os
import sys
import traceback

import numpy as np
import torch

SAMPLES = 2
"""Samples in the batch on which a model is tried."""

ANY = ""
"""The key of inputs for every argument that is not named."""

SIDES = (32, 28, 64, 96, 224)
"""Heights and widths of images to try."""

LENGTHS = (16, 8, 32, 64, 128)
"""Lengths of sequences to try."""


class Refused(Exception):
    """The reason, in a sentence, why a model cannot be described."""


def describe(file, name, folder, inputs=None):
    """Return the content of ``model.json``, and write the weights."""
    torch.manual_seed(0)
    model = make(load_class(file, name), file, name)
    tensors = list(trained(model)) + list(kept(model))
    for tensor, array in first_values(model, tensors):
        np.save(os.path.join(folder, tensor + ".npy"), array, allow_pickle=False)
    model.eval()
    tried, output = try_inputs(model, arguments(model, inputs or {}), inputs)
    return {"tensors": tensors, "inputs": tried, "output": list(output.shape[1:])}


def arguments(model, stated):
    """Return the names of a model's inputs: the arguments without a default, and others that are stated."""
    taken = [
        one
        for one in inspect.signature(model.forward).parameters.values()
        if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)
    ]
    unknown = sorted(set(stated) - {one.name for one in taken} - {ANY})
    if unknown:
        raise Refused(
            "--inputs names %s: the model takes %s" % (" and ".join(unknown), " and ".join(one.name for one in taken))
        )
    return [one.name for one in taken if one.default is one.empty or one.name in stated]


def load_class(file, name):
    """Return the class `name` of a file. Raises Refused if it cannot be loaded."""
    sys.path.insert(0, os.path.dirname(os.path.abspath(file)))
    spec = importlib.util.spec_from_file_location("model", file)
    module = importlib.util.module_from_spec(spec)
    sys.modules["model"] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise Refused("%s cannot be imported: %s" % (file, where(error, file))) from error
    classes = [one for one in vars(module).values() if inspect.isclass(one) and issubclass(one, torch.nn.Module)]
    own = [one.__name__ for one in classes if one.__module__ == "model"]
    if not hasattr(module, name):
        raise Refused("%s has no %s: it has %s" % (file, name, ", ".join(own) or "no torch.nn.Module"))
    found = getattr(module, name)
    if not (inspect.isclass(found) and issubclass(found, torch.nn.Module)):
        raise Refused("%s of %s is no torch.nn.Module" % (name, file))
    return found


def make(found, file, name):
    """Return a model of a class that needs no arguments. Raises Refused if it cannot be made."""
    needed = [
        one.name
        for one in list(inspect.signature(found.__init__).parameters.values())[1:]
        if one.default is one.empty and one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)
    ]
    if needed:
        line = inspect.getsourcelines(found)[1]
        raise Refused(
            "%s, line %d: %s needs the arguments %s: give each a default" % (file, line, name, ", ".join(needed))
        )
    try:
        return found()
    except Exception as error:
        raise Refused("%s() fails: %s" % (name, where(error, file))) from error


def where(error, file):
    """Return an exception on one line, with the last line of `file` in its traceback."""
    lines = [one.lineno for one in traceback.extract_tb(error.__traceback__) if one.filename == file]
    place = "line %d: " % lines[-1] if lines else ""
    return "%s%s: %s" % (place, type(error).__name__, str(error).split("\n")[0])


def trained(model):
    """Yield the description of each parameter; a shared parameter once."""
    for name, tensor in model.named_parameters():
        yield said_of(model, name, tensor, True)


def kept(model):
    """Yield the description of each buffer of real numbers: kept, not trained."""
    for name, tensor in model.named_buffers():
        if tensor.is_floating_point() and name in model.state_dict():
            yield said_of(model, name, tensor, False)


def said_of(model, name, tensor, trained):
    """Return the description of a tensor, with the kind of its layer, which determines its ties."""
    layer = model.get_submodule(name.rpartition(".")[0])
    values = tensor.detach()
    constant = float(values.flatten()[0]) if values.numel() and bool((values == values.flatten()[0]).all()) else None
    return {
        "name": name,
        "shape": list(tensor.shape),
        "trained": trained,
        "layer": type(layer).__name__,
        "constant": constant,
    }


def first_values(model, tensors):
    """Yield (name, array) of the tensors whose initial values are not all the same."""
    state = model.state_dict()
    for tensor in tensors:
        if tensor["constant"] is None:
            yield tensor["name"], state[tensor["name"]].detach().float().numpy()


def try_inputs(model, names, inputs):
    """Return inputs of a sample, {name: input}, that the model accepts, and its output for a batch.

    Raises Refused if none fit.
    """
    last = None
    for tried in (
        [stated_for(names, inputs)] if inputs is not None else [dict.fromkeys(names, guess) for guess in guesses(model)]
    ):
        batches = {name: batch_of(one) for name, one in tried.items()}
        try:
            with torch.no_grad():
                output = call(model, batches)
        except Exception as error:  # noqa: BLE001 (whatever a user's model raises)
            last = error
            continue
        if not torch.is_tensor(output):
            raise Refused("the model returns %s: it is to return one tensor" % type(output).__name__)
        if not bool(torch.isfinite(output).all()):
            raise Refused("the model returns numbers that are not finite, for random inputs")
        return tried, output
    why = "" if last is None else " (%s: %s)" % (type(last).__name__, str(last).split("\n")[0])
    kind = "cannot be guessed" if inputs is None else "do not fit the model"
    way = "--inputs" if len(names) == 1 else " ".join("--inputs %s=…" % name for name in names)
    raise Refused("the inputs of the model %s%s: name those of a sample with %s" % (kind, why, way))


def call(model, batches):
    """Return the output for {name: batch}: by position where these are the first arguments, else by name."""
    first = list(inspect.signature(model.forward).parameters)[: len(batches)]
    return model(*batches.values()) if first == list(batches) else model(**batches)


def stated_for(names, inputs):
    """Return {name: input} as it is stated. Raises Refused for a name without an input."""
    open_names = [name for name in names if name not in inputs and ANY not in inputs]
    if open_names:
        raise Refused("--inputs does not name %s, which the model takes, too" % " and ".join(open_names))
    return {name: inputs.get(name, inputs.get(ANY)) for name in names}


def guesses(model):
    """Return inputs that may fit the first layer whose kind is known."""
    for layer in model.modules():
        kind = type(layer).__name__
        if kind in GUESSES:
            return GUESSES[kind](layer)
    return []


def ids(layer):
    """Return inputs of whole numbers: one number, or a sequence."""
    return [{"shape": list(shape), "below": layer.num_embeddings} for shape in [(), *((length,) for length in LENGTHS)]]


def numbers(width):
    """Return inputs of real numbers: one row, or a sequence of rows."""
    return [{"shape": [width]}, *({"shape": [length, width]} for length in LENGTHS)]


GUESSES = {
    "Embedding": ids,
    "Linear": lambda layer: numbers(layer.in_features),
    "Conv2d": lambda layer: [{"shape": [layer.in_channels, side, side]} for side in SIDES],
    "Conv1d": lambda layer: [{"shape": [layer.in_channels, length]} for length in (*LENGTHS, 1024)],
    "LSTM": lambda layer: numbers(layer.input_size)[1:],
    "GRU": lambda layer: numbers(layer.input_size)[1:],
}
"""{class of a model's first layer: function that returns possible inputs of a sample}."""


def batch_of(inputs):
    """Return a batch of random inputs."""
    shape = [SAMPLES] + list(inputs["shape"])
    if inputs.get("below"):
        return torch.randint(0, inputs["below"], shape)
    return torch.randn(shape)


def main(file, name, folder, inputs="null"):
    """Write the description of a model, or the reason why there is none."""
    try:
        found = describe(file, name, folder, json.loads(inputs))
    except Refused as refused:
        found = {"error": "%s" % refused}
    with open(os.path.join(folder, "model.json"), "w") as out:
        json.dump(found, out)


if __name__ == "__main__":
    main(*sys.argv[1:])
