"""resnet50-features as formulas, on PyTorch arrays."""

from torch.nn.functional import pad, unfold

EPSILON = 1e-5
SHRINKING = (4, 8, 14)  # the blocks that halve the height and width of their images


def forward(w, images):
    """The means of all 2,048 channels. Running means and variances are constants here."""
    x = pool(relu(convolve(w, "stem", "norm", images, 2)))
    for number in range(1, 17):
        name, stride = f"block{number}.", 2 if number in SHRINKING else 1
        y = relu(convolve(w, name + "conv1", name + "norm1", x, 1))
        y = relu(convolve(w, name + "conv2", name + "norm2", y, stride))
        y = convolve(w, name + "conv3", name + "norm3", y, 1)
        if name + "shortcut.kernel" in w:
            x = convolve(w, name + "shortcut", name + "shortcut_norm", x, stride)
        x = relu(x + y)
    return x.mean((2, 3))


def relu(x):
    return x * (x > 0)


def convolve(w, layer, norm, x, stride):
    """Cross-correlation with zero padding and height / stride output rows, and normalisation."""
    kernel = w[layer + ".kernel"]
    out = kernel.reshape(len(kernel), -1) @ patches(x, kernel.shape[-1], stride)
    scale = w[norm + ".scale"] / (w[norm + ".variance"] + EPSILON).sqrt()
    out = (out - w[norm + ".mean"][:, None]) * scale[:, None] + w[norm + ".shift"][:, None]
    return out.reshape(len(x), len(kernel), x.shape[2] // stride, x.shape[3] // stride)


def patches(x, size, stride):
    """Return the patches of `size` rows and columns, padded with zeros: (n, channels · size², places)."""
    border = size // 2
    return unfold(pad(x, (border, border, border, border)), size, stride=stride)


def pool(x):
    """The maximum of every second 3×3 patch. Zero borders are safe: nothing after a ReLU is smaller."""
    n, channels, height, width = x.shape
    squares = patches(x, 3, 2).reshape(n, channels, 9, -1)
    return squares.max(2)[0].reshape(n, channels, height // 2, width // 2)
