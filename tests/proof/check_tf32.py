"""What the reference makes of TF32, for test_tf32.py: run by an interpreter that has PyTorch.

It reads the arrays of a folder, and writes there what becomes of `numbers`, the product of `left` and `right`, and both
gradients of that, given its own: in the trial of round-off that the second argument names.
"""

import sys
from pathlib import Path

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "src"))

from rosetta_worker.framework import Setting
from rosetta_worker.frameworks.reference_pytorch import RoundedProducts, roundings


def check(folder, trial):
    way = roundings(Setting(precision="tf32", rounded=trial))
    numbers, left, right, gradient = (
        torch.from_numpy(np.load(folder / (name + ".npy"))) for name in ("numbers", "left", "right", "gradient")
    )
    left.requires_grad_()
    right.requires_grad_()
    with RoundedProducts(*way):
        product = left @ right
    of_left, of_right = torch.autograd.grad(product, (left, right), gradient)
    found = {"rounded": way[0][0](numbers), "product": product, "of_left": of_left, "of_right": of_right}
    for name, tensor in found.items():
        np.save(folder / trial / (name + ".npy"), tensor.detach().numpy())


check(Path(sys.argv[1]), sys.argv[2])
