"""cifar-resnet56 as formulas, on PyTorch arrays."""

from torch.nn.functional import pad, unfold

from rosetta_worker.layers.resnet56.reference_pytorch import KEPT, features, penalty  # noqa: F401


def forward(w, images, kept=None):
    """Logits. In training, `kept`, a dictionary, receives the new running means and variances."""
    x = features(w, images, convolve, kept)
    return x.mean((2, 3)) @ w["output.kernel"].T + w["output.bias"]


def convolve(x, kernel, stride):
    """Cross-correlation with height / stride output rows, padded with zeros.

    With stride 1, a 3×3 patch is centred at each place. With stride 2, it begins at each second place, and extends
    beyond the lower and the right border only.
    """
    n, _, height, width = x.shape
    size = kernel.shape[-1]
    if size == 3:
        x = pad(x, (1, 1, 1, 1) if stride == 1 else (0, 1, 0, 1))
    patches = unfold(x, size, stride=stride)  # (n, channels · size², places)
    out = kernel.reshape(len(kernel), -1) @ patches
    return out.reshape(n, len(kernel), height // stride, width // stride)
