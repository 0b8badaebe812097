"""gpt-decode:short in PyTorch."""

from rosetta_worker.layers.gpt.pytorch import TENSORS  # noqa: F401
from rosetta_worker.workloads.gpt_decode.pytorch import Model as Longer


class Model(Longer):
    """Character ids (n, 64) to the logits of each of the 32 characters that follow, (n, 32, 65)."""

    length = 96
