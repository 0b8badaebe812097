"""cifar-resnet56 as formulas, on PyTorch arrays."""

from torch.nn.functional import pad, unfold

from rosetta_worker.layers.resnet56.reference_pytorch import KEPT, features, penalty  # noqa: F401


def forward(w, images, kept=None):
    """Logits; in training, `kept` is a dictionary that takes the new running means and variances."""
    x = features(w, images, convolve, kept)
    return x.mean((2, 3)) @ w["output.kernel"].T + w["output.bias"]


def convolve(x, kernel, stride):
    """Cross-correlation that leaves height / stride rows: zeros where a patch reaches over the border.

    A 3×3 patch has its centre at each place where the stride is 1; at stride 2 it begins at each second place and
    reaches over the lower and the right border alone.
    """
    n, _, height, width = x.shape
    size = kernel.shape[-1]
    if size == 3:
        x = pad(x, (1, 1, 1, 1) if stride == 1 else (0, 1, 0, 1))
    patches = unfold(x, size, stride=stride)  # (n, channels · size², places)
    out = kernel.reshape(len(kernel), -1) @ patches
    return out.reshape(n, len(kernel), height // stride, width // stride)
