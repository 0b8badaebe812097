"""How the reference sums in a trial of round-off, for test_summation.py: run by an interpreter that has PyTorch.

It reads `numbers` (n, channels, height, width) in a folder, and writes there their sum and mean of each channel, and
the gradient of a vector that is added along the channels and weighted by them: in a loop, and as PyTorch sums by
itself.
"""

import sys
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "src"))

from rosetta_worker.frameworks.reference_pytorch import LoopedSums


def check(folder):
    numbers = torch.from_numpy(np.load(folder / "numbers.npy"))
    for name, summation in (("loop", LoopedSums()), ("pairs", nullcontext())):
        vector = torch.zeros(numbers.shape[1], requires_grad=True)
        with summation:
            total, mean = numbers.sum((0, 2, 3)), numbers.mean((0, 2, 3), keepdim=True)
            (back,) = torch.autograd.grad(numbers + vector[:, None, None], vector, numbers)
        for what, tensor in {"total": total, "mean": mean, "back": back}.items():
            np.save(folder / (f"{name}_{what}.npy"), tensor.numpy())


check(Path(sys.argv[1]))
