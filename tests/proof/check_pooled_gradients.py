"""The gradient of a kernel in front of a batch normalisation, for test_pooled_gradients.py.

Run by an interpreter that has PyTorch or MXNet: `check_pooled_gradients.py FOLDER pytorch`. It reads `images`
(n, channels, height, width), `kernel` (out, in) and `gradients` of the normalised outputs (cases, n, channels, height,
width) in a folder, and writes the kernel's gradients there: PyTorch those of the reference's formula, in float64, with
its own sums and in a loop; MXNet those of its layers.
"""

import sys
from contextlib import nullcontext
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "src"))

SCALE, EPSILON = 0.0125, 1e-3


def with_pytorch(images, kernel, gradients):
    import torch

    from rosetta_worker.frameworks.reference_pytorch import LoopedSums
    from rosetta_worker.layers.resnet56.reference_pytorch import normalise

    walks = {"exact": (torch.float64, nullcontext()), "pairs": (torch.float32, nullcontext())}
    for name, (dtype, summation) in {**walks, "loop": (torch.float32, LoopedSums())}.items():
        vectors = {part: torch.zeros(len(kernel), dtype=dtype) for part in ("conv.bias", "norm.mean", "norm.shift")}
        vectors["norm.scale"] = torch.full((len(kernel),), SCALE, dtype=dtype)
        vectors["norm.variance"] = torch.ones(len(kernel), dtype=dtype)
        weights = torch.tensor(kernel, dtype=dtype, requires_grad=True)
        with summation:
            outputs = torch.einsum("oc,nchw->nohw", weights, torch.tensor(images, dtype=dtype))
            outputs = normalise(vectors, "conv", "norm", outputs, {})
            for gradient in gradients:
                gradient = torch.tensor(gradient, dtype=dtype)
                (found,) = torch.autograd.grad(outputs, weights, gradient, retain_graph=True)
                yield name, found.numpy()


def with_mxnet(images, kernel, gradients):
    from mxnet import autograd, nd
    from mxnet.gluon import nn

    convolution = nn.Conv2D(len(kernel), 1, in_channels=len(kernel), use_bias=False)
    norm = nn.BatchNorm(epsilon=EPSILON, in_channels=len(kernel))
    for layer in (convolution, norm):
        layer.initialize()
    convolution.weight.set_data(nd.array(kernel[:, :, None, None]))
    norm.gamma.set_data(nd.full(len(kernel), SCALE))
    for gradient in gradients:
        with autograd.record():
            outputs = norm(convolution(nd.array(images)))
        outputs.backward(nd.array(gradient))
        yield "mxnet", convolution.weight.grad().asnumpy()[:, :, 0, 0]


def check(folder, how):
    found = {}
    for name, gradient in how(*(np.load(folder / (name + ".npy")) for name in ("images", "kernel", "gradients"))):
        found.setdefault(name, []).append(gradient)
    for name, cases in found.items():
        np.save(folder / ("found_" + name + ".npy"), np.stack(cases))


check(Path(sys.argv[1]), {"pytorch": with_pytorch, "mxnet": with_mxnet}[sys.argv[2]])
