"""The first layer in which a port differs from its original, found by recording one pass of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rosettabench.client.session import Session
from rosettabench.proof.check import Check
from rosettabench.proof.comparison import canonical_form, relative
from rosettabench.proof.reference import RECORDERS, Reference
from rosettabench.proof.walk import Array, Files, read_array

PARTED = 1e-5
"""The relative deviation from which the inputs or outputs of a layer count as different: ten times the float32 noise in
a deep layer."""

SHARE = 0.1
"""The same as a share of the deviation of the logits, if that is less: a small mistake begins smaller."""


@dataclass(frozen=True)
class Layer:
    """What passed through one layer: its place among the calls, and the line of the implementation that called it."""

    name: str
    place: int
    line: int
    inputs: Array
    outputs: Array


def recorder_of(adapter: Path) -> Path | None:
    """Return the adapter that records the layers of a framework, or None."""
    path = RECORDERS / adapter.name
    return path if path.is_file() else None


def read_layers(files: Files) -> dict[str, Layer]:
    """Return the layers of a recorded pass by their names, in the order of their calls."""
    found = []
    for name in (name.removeprefix("place of ") for name in files if name.startswith("place of ")):
        place, line = map(int, read_array(files, f"place of {name}"))
        inputs, outputs = (read_array(files, f"{what} of {name}") for what in ("inputs", "outputs"))
        found.append(Layer(name, place, line, inputs, outputs))
    return {layer.name: layer for layer in sorted(found, key=lambda layer: layer.place)}


def first_parting(session: Session, reference: Reference, step: int, logits_off: float, folder: Path) -> str:
    """Return a sentence on the first layer in which a contender differs from the original; "" if there is none.

    Both repeat the pass of the proof's first step.
    """
    recorder = recorder_of(session.adapter)
    if recorder is None or step != 0:
        return ""
    own = session.beside(recorder, folder / "layers")
    try:
        reference.supply(own)
        own.build(reference.start)
        files = own.ask("gradients", step=step, folder=str(folder / "layers" / "out"))["files"]
        exact = reference.record_layers(step)
        return parting_words(
            read_layers(files), read_layers(exact), min(PARTED, SHARE * logits_off), own.implementation
        )
    finally:
        own.process.close()


def backward_parting(checks: Sequence[Check], reference: Reference) -> str:
    """Return a sentence on the layer at which the backward pass of a failed step begins to differ; "" if none does.

    Layers are gone through from the last that the original calls to the first: what a wrong gradient is handed on to
    is wrong as well.
    """
    failed = next(check for check in checks if not check.passed)
    there = [check for check in checks if check.quantity == "gradient" and check.step == failed.step]
    wrong = {layer_of(check.tensor) for check in there if check.tensor and not check.passed}
    behind = ""
    for name in reversed(read_layers(reference.record_layers(0))):
        if name in wrong:
            equal = f"those of {behind} and of all layers after it are equal" if behind else "it is the last layer"
            return f"in the backward pass it begins with the gradients of {name}: {equal}"
        behind = name
    return ""


def layer_of(tensor: str) -> str:
    """Return the layer of a canonical tensor: ``blocks.0.up`` of ``blocks.0.up.kernel``."""
    return tensor.rpartition(".")[0]


def parting_words(found: Mapping[str, Layer], exact: Mapping[str, Layer], parted: float, file: Path) -> str:
    """Return the sentence on the first layer, in the original's order, that is given or returns something else."""
    equal = ""
    for name, target in exact.items():
        if name not in found:
            continue
        own = found[name]
        line = f" ({file.name}, line {own.line})" if own.line else ""
        given, returned = off(own.inputs, target.inputs), off(own.outputs, target.outputs)
        if given > parted:
            behind = f"behind {equal}, whose outputs are equal" if equal else "in front of the first layer"
            return f"it begins {behind}: the inputs of {name} are off by {given:.2g}{line}"
        if returned > parted:
            return f"it begins in {name}: its inputs are equal, its outputs off by {returned:.2g}{line}"
        equal = name
    return f"every layer's outputs are equal: it begins behind {equal}" if equal else ""


def off(found: Array, exact: Array) -> float:
    """Return how far an array is off, in the original's layout; infinite for another shape.

    Where extents do not tell channels first from channels last, the layout counts that is nearer.
    """
    off = relative(np.asarray(canonical_form(found, exact)), exact)
    if found.ndim == 4 and len({*found.shape[1:]}) == 1 and found.shape == exact.shape:
        return min(off, relative(found.transpose(0, 3, 1, 2), exact))
    return off
