"""chestxray-densenet121 as formulas, on PyTorch arrays."""

from torch import cat, exp, log, stack
from torch.nn.functional import pad, unfold

KEPT = (".mean", ".variance")
MOMENTUM, EPSILON = 0.9, 1e-5
TRANSITIONS = {7: "transition1.", 19: "transition2.", 43: "transition3."}  # by the layer after it


def forward(w, images, kept=None):
    """Logits. In training, `kept`, a dictionary, receives the new running means and variances."""
    x = convolve(images, w["stem.kernel"], 2)
    x = largest(relu(normalise(w, "norm", x, kept)))
    for number in range(1, 59):
        name, between = f"layer{number}.", TRANSITIONS.get(number)
        if between:
            x = convolve(relu(normalise(w, between + "norm", x, kept)), w[between + "kernel"], 1)
            x = (x[..., ::2, ::2] + x[..., ::2, 1::2] + x[..., 1::2, ::2] + x[..., 1::2, 1::2]) / 4
        y = convolve(relu(normalise(w, name + "norm1", x, kept)), w[name + "conv1.kernel"], 1)
        y = convolve(relu(normalise(w, name + "norm2", y, kept)), w[name + "conv2.kernel"], 1)
        x = cat([x, y], 1)
    x = relu(normalise(w, "final", x, kept)).mean((2, 3))
    return x @ w["output.kernel"].T + w["output.bias"]


def loss(logits, labels):
    """Mean over batch and labels of -log of the probability of the label's true value."""
    sign = 2 * labels - 1
    return log(1 + exp(-sign * logits)).mean()


def relu(x):
    """ReLU with the derivative 0 at 0, as in every framework."""
    return x * (x > 0)


def normalise(w, norm, x, kept):
    """Batch normalisation. The variance is divided by n, for normalising and for the running variance."""
    mean, variance = w[norm + ".mean"], w[norm + ".variance"]
    if kept is not None:
        own = x.mean((0, 2, 3))
        own_variance = ((x - along_channels(own)) ** 2).mean((0, 2, 3))
        kept[norm + ".mean"] = (MOMENTUM * mean + (1 - MOMENTUM) * own).detach()
        kept[norm + ".variance"] = (MOMENTUM * variance + (1 - MOMENTUM) * own_variance).detach()
        mean, variance = own, own_variance
    scale = w[norm + ".scale"] / (variance + EPSILON).sqrt()
    return (x - along_channels(mean)) * along_channels(scale) + along_channels(w[norm + ".shift"])


def along_channels(vector):
    return vector[:, None, None]


def convolve(x, kernel, stride):
    """Cross-correlation of the image with a zero border: the kernel times the patch around every place."""
    n, _, height, width = x.shape
    size = kernel.shape[-1]
    patches = x.flatten(2) if size == 1 else unfold(x, size, padding=size // 2, stride=stride)
    out = kernel.reshape(len(kernel), -1) @ patches
    return out.reshape(n, len(kernel), height // stride, width // stride)


def largest(x):
    """The maximum of each 3×3 square around every second place. Of equal values the first has the derivative.

    No value here is smaller than 0, so a zero border changes nothing.
    """
    height, width = x.shape[2:]
    x = pad(x, (1, 1, 1, 1))
    places = [x[..., row : row + height : 2, column : column + width : 2] for row in range(3) for column in range(3)]
    squares = stack(places, -1)
    return squares.gather(-1, squares.argmax(-1, keepdim=True)).squeeze(-1)
