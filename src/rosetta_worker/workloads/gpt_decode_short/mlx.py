"""gpt-decode:short in MLX."""

from rosetta_worker.layers.gpt.mlx import TENSORS  # noqa: F401
from rosetta_worker.workloads.gpt_decode.mlx import Model as Longer


class Model(Longer):
    """Character ids (n, 64) to the logits of each of the 32 characters that follow, (n, 32, 65)."""

    length = 96
