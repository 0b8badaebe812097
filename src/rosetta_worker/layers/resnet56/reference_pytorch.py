"""ResNet-56 without its last pool and output layer as formulas, on PyTorch arrays."""

KEPT = (".mean", ".variance")
MOMENTUM, EPSILON, PENALTY = 0.99, 1e-3, 1e-4


def features(w, images, convolve, kept):
    """Return the input of the last pool. In training, `kept`, a dictionary, receives the new running statistics.

    `convolve(x, kernel, stride)` is a cross-correlation with height / stride output rows.
    """
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
    return x


def penalty(w):
    return PENALTY * sum((tensor**2).sum() for name, tensor in w.items() if name.endswith("kernel"))


def relu(x):
    """ReLU with the derivative 0 at 0, as in every framework."""
    return x * (x > 0)


def along_channels(vector):
    return vector[:, None, None]


def normalise(w, layer, norm, x, kept):
    """Batch normalisation of `x`, which does not include the bias of `layer` yet.

    In training the batch's own mean cancels the bias: it appears only in the running mean, and its gradient is zero.
    The variance is divided by n, both for normalising and for the running variance.
    """
    bias, mean, variance = w[layer + ".bias"], w[norm + ".mean"], w[norm + ".variance"]
    if kept is None:
        centred = x + along_channels(bias - mean)
    else:
        own = x.mean((0, 2, 3))
        centred = x - along_channels(own)
        kept[norm + ".mean"] = (MOMENTUM * mean + (1 - MOMENTUM) * (own + bias)).detach()
        # Its derivative by the mean is zero. Without it, the mean's gradient is the sum that libraries compute.
        own_variance = ((x - along_channels(own.detach())) ** 2).mean((0, 2, 3))
        kept[norm + ".variance"] = (MOMENTUM * variance + (1 - MOMENTUM) * own_variance).detach()
        variance = own_variance
    scale = w[norm + ".scale"] / (variance + EPSILON).sqrt()
    return centred * along_channels(scale) + along_channels(w[norm + ".shift"])
