"""Convert tensors with an implementation's ties: ``python carry.py ADAPTER IMPLEMENTATION DIRECTION FOLDER``.

The direction is ``to_canonical`` or ``to_own``. The folder has ``request.json``::

    {"shapes": {canonical name: shape}, "tensors": {name: file}}

with the tensors to convert, each an .npy file of that folder. ``answer.json`` is written beside it::

    {"layout": {own name: shape}, "beside": {own name: file}, "same": {name: own name},
     "tensors": {name: file} or null, "changed": [name, …]}

``layout`` is the framework's names and shapes. ``beside`` are tensors of its model without a tie: counters, and tensors
that the implementation fixes. ``same`` are second names of tensors with a tie: tied weights. ``tensors`` is null if a
needed tensor is missing or has another shape; tensors without a tie are ignored. ``changed`` are the names of tensors
that are not equal to the last bit after conversion there and back.
"""

import json
import os
import sys

from start import load_package


def main():
    adapter, implementation, direction, folder = sys.argv[1:5]
    load_package()
    from rosetta_worker.children import die_with_parent
    from rosetta_worker.service import load_file

    die_with_parent()
    load_file("rosetta_framework", adapter)  # some frameworks need the adapter's preparations before they are imported
    model = load_file("rosetta_implementation", implementation)
    with open(os.path.join(folder, "request.json")) as file:
        request = json.load(file)
    answer = carry(model, direction, request["shapes"], read(folder, request["tensors"]))
    for part in ("beside", "tensors"):
        answer[part] = answer[part] if answer[part] is None else write(folder, part, answer[part])
    with open(os.path.join(folder, "answer.json"), "w") as file:
        json.dump(answer, file)


def carry(model, direction, shapes, tensors):
    """Return the answer, with arrays instead of files."""
    import numpy as np

    ties = list(model.TENSORS) + list(getattr(model, "STATE", ()))
    canonical = {name: np.zeros(shape, "float32") for name, shape in shapes.items()}
    own = through(ties, "to_own", canonical)
    layout = {name: list(array.shape) for name, array in own.items()}
    others, same = beside(model, own)
    answer = {"layout": layout, "beside": others, "same": same, "tensors": None, "changed": []}
    given, back = (own, "to_own") if direction == "to_canonical" else (canonical, "to_canonical")
    chosen = {name: tensors[name] for name in given if name in tensors}
    if {name: array.shape for name, array in chosen.items()} == {name: array.shape for name, array in given.items()}:
        answer["tensors"] = through(ties, direction, chosen)
        again = through(ties, back, answer["tensors"])
        answer["changed"] = sorted(name for name in chosen if chosen[name].tobytes() != again[name].tobytes())
    return answer


def through(ties, direction, tensors):
    """Return the result of all ties for some tensors."""
    import numpy as np

    carried = {}
    for tie in ties:
        carried.update(getattr(tie, direction)(tensors))
    return {name: np.asarray(array, order="C") for name, array in carried.items()}


def beside(model, own):
    """Return the tensors in a model's state_dict that have no tie: arrays, and second names.

    State_dict is what users of PyTorch and PaddlePaddle save. For other frameworks, nothing is returned.
    """
    made = getattr(model, "Model", None)
    if not hasattr(made, "state_dict"):
        return {}, {}
    held = made().state_dict()
    if not set(own) <= set(held):  # Keras on PyTorch: its ties have Keras' names
        return {}, {}
    places = {place(held[name]): name for name in own}
    rest = {name: tensor for name, tensor in held.items() if name not in own}
    same = {name: places.get(place(tensor)) for name, tensor in rest.items()}
    same = {name: other for name, other in same.items() if other is not None}
    return {name: tensor.detach().cpu().numpy() for name, tensor in rest.items() if name not in same}, same


def place(tensor):
    """Return where a tensor lies, and its shape: the same for two names of one tensor."""
    return tensor.data_ptr(), tuple(tensor.shape)


def read(folder, files):
    """Return {name: array} for {name: file}."""
    import numpy as np

    return {name: np.load(os.path.join(folder, file), allow_pickle=False) for name, file in files.items()}


def write(folder, part, arrays):
    """Write arrays as .npy files. Return {name: file}. The files are numbered, since a name may contain a slash."""
    import numpy as np

    files = {}
    for number, (name, array) in enumerate(sorted(arrays.items())):
        files[name] = "%s-%d.npy" % (part, number)
        with open(os.path.join(folder, files[name]), "wb") as file:
            np.save(file, array, allow_pickle=False)
    return files


if __name__ == "__main__":
    main()
