"""imagenet-resnet56 as formulas, on PyTorch arrays."""

from torch.nn.functional import pad

from rosetta_worker.layers.resnet56.reference_pytorch import KEPT, features, penalty  # noqa: F401


def forward(w, images, kept=None):
    """Logits. In training, `kept`, a dictionary, receives the new running means and variances."""
    x = features(w, images, convolve, kept)
    return average_pool(x, 8).flatten(1) @ w["output.kernel"].T + w["output.bias"]


def average_pool(x, size):
    """The mean of each square of `size` pixels."""
    n, channels, height, width = x.shape
    return x.reshape(n, channels, height // size, size, width // size, size).mean((3, 5))


def convolve(x, kernel, stride):
    """Cross-correlation with height / stride output rows, padded with zeros.

    With stride 1, a 3×3 patch is centred at each place. With stride 2, it begins at each second place, and extends
    beyond the lower and the right border only. Each element of the kernel multiplies the whole image, and the shifted
    products are summed up: the patches of images of this size would fill the memory.
    """
    n, _, height, width = x.shape
    size = kernel.shape[-1]
    if size == 3:
        x = pad(x, (1, 1, 1, 1) if stride == 1 else (0, 1, 0, 1))
    pixels, total = x.transpose(0, 1).flatten(1), 0  # (channels, n · places)
    for row in range(size):
        for column in range(size):
            product = (kernel[:, :, row, column] @ pixels).reshape(-1, n, *x.shape[2:])
            total = total + product[..., row : row + height : stride, column : column + width : stride]
    return total.transpose(0, 1)
