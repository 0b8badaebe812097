"""imagenet-resnet56 as formulas, on PyTorch arrays."""

from torch.nn.functional import pad

KEPT = (".mean", ".variance")
MOMENTUM, EPSILON, PENALTY = 0.99, 1e-3, 1e-4


def forward(w, images, kept=None):
    """Logits; in training, `kept` is a dictionary that takes the new running means and variances."""
    x = relu(normalise(w, "stem", "norm", convolve(images, w["stem.kernel"], 1), kept))
    for number in range(1, 28):
        name, stride = f"block{number}.", 2 if number in (10, 19) else 1
        y = convolve(x, w[name + "conv1.kernel"], stride)
        y = relu(normalise(w, name + "conv1", name + "norm1", y, kept))
        y = convolve(y, w[name + "conv2.kernel"], 1)
        y = normalise(w, name + "conv2", name + "norm2", y, kept)
        if stride == 2:
            x = convolve(x, w[name + "shortcut.kernel"], stride) + along_channels(w[name + "shortcut.bias"])
        x = relu(x + y)
    return average_pool(x, 8).flatten(1) @ w["output.kernel"].T + w["output.bias"]


def penalty(w):
    return PENALTY * sum((tensor**2).sum() for name, tensor in w.items() if name.endswith("kernel"))


def relu(x):
    """ReLU with the derivative 0 at 0, as in every framework."""
    return x * (x > 0)


def average_pool(x, size):
    """The mean of each square of `size` pixels."""
    n, channels, height, width = x.shape
    return x.reshape(n, channels, height // size, size, width // size, size).mean((3, 5))


def along_channels(vector):
    return vector[:, None, None]


def normalise(w, layer, norm, x, kept):
    """Batch normalisation of `x`, to which the bias of `layer` has not been added yet.

    In training the batch's own mean takes the bias out again: it shows in the running mean alone, and has the
    gradient zero. The variance is divided by n, both where it normalises and where it is kept.
    """
    bias, mean, variance = w[layer + ".bias"], w[norm + ".mean"], w[norm + ".variance"]
    if kept is None:
        centred = x + along_channels(bias - mean)
    else:
        own = x.mean((0, 2, 3))
        centred = x - along_channels(own)
        kept[norm + ".mean"] = (MOMENTUM * mean + (1 - MOMENTUM) * (own + bias)).detach()
        own_variance = (centred**2).mean((0, 2, 3))
        kept[norm + ".variance"] = (MOMENTUM * variance + (1 - MOMENTUM) * own_variance).detach()
        variance = own_variance
    scale = w[norm + ".scale"] / (variance + EPSILON).sqrt()
    return centred * along_channels(scale) + along_channels(w[norm + ".shift"])


def convolve(x, kernel, stride):
    """Cross-correlation that leaves height / stride rows: zeros where a patch reaches over the border.

    A 3×3 patch has its centre at each place where the stride is 1; at stride 2 it begins at each second place and
    reaches over the lower and the right border alone. Each place of the kernel multiplies the whole image, and the
    products are added up, shifted: patches of images of this size would fill the memory.
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
