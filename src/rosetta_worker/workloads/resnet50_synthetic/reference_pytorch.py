"""resnet50-synthetic as formulas, on PyTorch arrays."""

from torch.nn.functional import pad, unfold

KEPT = (".mean", ".variance")
MOMENTUM, EPSILON = 0.99, 1e-3
SHRINKING = (4, 8, 14)  # the blocks that halve the height and width of their images


def forward(w, images, kept=None):
    """Logits. In training, `kept`, a dictionary, receives the new running means and variances."""
    x = relu(convolve(w, "stem", "norm", images, 2, kept))
    x = pool(x)
    for number in range(1, 17):
        name, stride = f"block{number}.", 2 if number in SHRINKING else 1
        y = relu(convolve(w, name + "conv1", name + "norm1", x, stride, kept))
        y = relu(convolve(w, name + "conv2", name + "norm2", y, 1, kept))
        y = convolve(w, name + "conv3", name + "norm3", y, 1, kept)
        if name + "shortcut.kernel" in w:
            x = convolve(w, name + "shortcut", name + "shortcut_norm", x, stride, kept)
        x = relu(x + y)
    return x.mean((2, 3)) @ w["output.kernel"].T + w["output.bias"]


def relu(x):
    """ReLU with the derivative 0 at 0, as in every framework."""
    return x * (x > 0)


def along_channels(vector):
    return vector[:, None, None]


def convolve(w, layer, norm, x, stride, kept):
    """Cross-correlation with zero padding and height / stride output rows, and batch normalisation."""
    kernel = w[layer + ".kernel"]
    places = patches(x, kernel.shape[-1], stride)
    out = kernel.reshape(len(kernel), -1) @ places
    out = out.reshape(len(x), len(kernel), x.shape[2] // stride, x.shape[3] // stride)
    return normalise(w, layer, norm, out, kept)


def patches(x, size, stride):
    """Return the patches of `size` rows and columns, padded with zeros: (n, channels · size², places)."""
    border = size // 2
    return unfold(pad(x, (border, border, border, border)), size, stride=stride)


def normalise(w, layer, norm, x, kept):
    """Batch normalisation of `x`, which does not include the bias of `layer` yet.

    In training the batch's own mean cancels the bias: it appears only in the running mean, and its gradient is zero.
    The variance is divided by n, for normalising and for the running variance.
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


def pool(x):
    """The maximum of every second 3×3 patch. Zero borders are safe: nothing after a ReLU is smaller."""
    n, channels, height, width = x.shape
    squares = patches(x, 3, 2).reshape(n, channels, 9, -1)
    largest = squares.gather(2, squares.argmax(2, keepdim=True))
    return largest.reshape(n, channels, height // 2, width // 2)
