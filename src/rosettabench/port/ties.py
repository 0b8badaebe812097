"""The ties of a port, where the kind of layer determines them: PyTorch's tensors and another framework's."""

from __future__ import annotations

from collections.abc import Mapping

from rosettabench.catalogue.contract import OPEN
from rosettabench.port.description import ModelTensor

NORMS = ("LayerNorm", "GroupNorm", "BatchNorm1d", "BatchNorm2d", "RMSNorm")
Rule = tuple[str, str]
"""The other framework's name of a tensor within its layer, and the transform that leads there, or ""."""


def of_layers(kinds: tuple[str, ...], rules: Mapping[str, Rule]) -> dict[tuple[str, str], Rule]:
    """Return {(kind of layer, PyTorch's name): rule} for several kinds of layers."""
    return {(kind, name): rule for kind in kinds for name, rule in rules.items()}


def rules_of(embedding: str, kernel: Mapping[str, str], norm: Mapping[str, str]) -> dict[tuple[str, str], Rule]:
    """Return the rules of a framework: what it calls an embedding's tensor, and those of normalisations.

    `kernel` is the transform of each kind of layer with a kernel; its name is ``kernel``.
    """
    found = of_layers(("Embedding",), {"weight": (embedding, "")})
    for kind, transform in kernel.items():
        found |= of_layers((kind,), {"weight": ("kernel", transform), "bias": ("bias", "")})
    return found | of_layers(NORMS, {name: (own, "") for name, own in norm.items()})


KERNELS = {"Linear": "TRANSPOSE", "Conv2d": "CHANNELS_LAST", "Conv1d": "permute(2, 1, 0)"}
KERAS = rules_of(
    "embeddings",
    KERNELS,
    {"weight": "gamma", "bias": "beta", "running_mean": "moving_mean", "running_var": "moving_variance"},
)
SAME = {"weight": ("weight", ""), "bias": ("bias", "")}

RULES: Mapping[str, Mapping[tuple[str, str], Rule]] = {
    "jax": rules_of(
        "embedding", KERNELS, {"weight": "scale", "bias": "bias", "running_mean": "mean", "running_var": "var"}
    ),
    "keras": KERAS,
    "tensorflow": KERAS,
    "mxnet-gluon": of_layers(("Embedding", "Linear", "Conv1d", "Conv2d"), SAME)
    | of_layers(
        NORMS,
        {
            "weight": ("gamma", ""),
            "bias": ("beta", ""),
            "running_mean": ("running_mean", ""),
            "running_var": ("running_var", ""),
        },
    ),
}
"""Framework → its rules. A parameter in the user's own module keeps its name."""

LIBRARY = {kind for rules in RULES.values() for kind, _ in rules} | {"LSTM", "GRU", "RNN", "MultiheadAttention"}
"""Layers of PyTorch; any other class is the user's."""


def tie_words(tensor: ModelTensor, framework: str) -> str:
    """Return a tie as the implementation has it: ``Tie("wide.weight", "wide.kernel", TRANSPOSE)``."""
    if framework == "pytorch":
        return f'Tie("{tensor.name}", "{tensor.name}")'
    layer, _, name = tensor.name.rpartition(".")
    if tensor.layer not in LIBRARY:
        own, transform = name, ""
    else:
        own, transform = RULES[framework].get((tensor.layer, name), (OPEN, ""))
    whole = OPEN if own == OPEN else f"{layer}.{own}" if layer else own
    return f'Tie("{tensor.name}", "{whole}"{", " + transform if transform else ""})'


def transforms_used(ties: list[str]) -> list[str]:
    """Return the names that ties need from ``rosetta_worker.tensors``, sorted as imports are."""
    used = {name for name in ("TRANSPOSE", "CHANNELS_LAST", "permute") if any(f", {name}" in tie for tie in ties)}
    constants = sorted(name for name in used if name.isupper())
    return [*constants, "Tie", *sorted(used - set(constants))]
