"""Find ties that do not fit the model: ``python ties.py ADAPTER IMPLEMENTATION SETTING SHAPES OUT``.

Makes the model without writing any weight, and looks for the tensor of each tie. SETTING and SHAPES are JSON: the
setting of `open`, and the shape of each canonical tensor. The JSON in OUT lists missing names, names with another
shape, and all names of the model's tensors.
"""

import json
import sys

from start import load_package

DEEPEST = 8
"""The greatest depth of attributes at which a model's tensors are searched."""


def look(adapter, implementation, setting, shapes):
    """Return {missing, shapes, has} for the ties of an implementation."""
    import numpy as np

    from rosetta_worker.framework import Setting
    from rosetta_worker.service import load_file

    adapter = load_file("rosetta_framework", adapter).Adapter
    model = load_file("rosetta_implementation", implementation)
    ties = list(model.TENSORS) + list(getattr(model, "STATE", ()))
    model.TENSORS, model.STATE = [], []
    framework = adapter(model, Setting(**setting))
    framework.build({})
    missing, other = [], []
    for tie in ties:
        for own, array in tie.to_own({name: np.empty(shapes[name], "float32") for name in tie.canonical}).items():
            try:
                shape = list(np.shape(framework.get(own)))
            except Exception:  # noqa: BLE001 (each framework has its own exception for a missing tensor)
                missing.append(own)
                continue
            if shape != list(array.shape):
                other.append([own, shape, list(array.shape)])
    return {"missing": missing, "shapes": other, "has": sorted(set(names(framework.model)))}


def names(model):
    """Return the attribute paths of a model's tensors."""
    if hasattr(model, "named_parameters"):  # PyTorch keeps parameters separate from other attributes
        return [name for name, _ in model.named_parameters()] + [name for name, _ in model.named_buffers()]
    return list(walk(model, "", 0))


def walk(value, path, depth):
    """Yield the paths of objects with a shape, searched in lists, dictionaries of layers, and layers below `value`."""
    if depth > DEEPEST:
        return
    parts = enumerate(value) if isinstance(value, (list, tuple)) else public(value).items()
    for name, part in parts:
        own = "%s.%s" % (path, name) if path else "%s" % name
        if getattr(part, "shape", None) is not None:
            if len(part.shape):
                yield own
        elif isinstance(part, (list, tuple)) or type(part).__module__.partition(".")[0] not in PLAIN:
            for deeper in walk(part, own, depth + 1):
                yield deeper


PLAIN = ("builtins", "numpy", "collections", "functools", "types", "typing", "threading", "jax", "jaxlib", "tensorflow")
"""Packages whose objects contain no layers."""


def public(value):
    """Return {name: value} of an object's attributes, with public names: Keras keeps ``kernel`` as ``_kernel``."""
    found = {}
    for name, part in getattr(value, "__dict__", {}).items():
        if not name.startswith("_"):
            found[name] = part
        elif getattr(part, "shape", None) is not None and hasattr(type(value), name[1:]):
            found[name[1:]] = part
    return found


def main(adapter, implementation, setting, shapes, out):
    """Write the result of `look`."""
    load_package()
    said = look(adapter, implementation, json.loads(setting), json.loads(shapes))
    with open(out, "w") as file:
        json.dump(said, file)


if __name__ == "__main__":
    main(*sys.argv[1:])
