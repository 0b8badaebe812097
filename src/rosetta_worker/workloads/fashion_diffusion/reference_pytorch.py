"""fashion-diffusion as formulas, on PyTorch arrays."""

from math import sqrt

import torch
from torch.nn.functional import pad, unfold


def forward(w, inputs):
    n = len(inputs)
    image, time = inputs[:, :784].reshape(n, 1, 28, 28), inputs[:, 784:]
    angles = time * 10000 ** (-torch.arange(64, dtype=time.dtype) / 63)
    time = torch.cat([torch.sin(angles), torch.cos(angles)], 1)
    time = silu(time @ w["time1.kernel"].T + w["time1.bias"])
    time = silu(time @ w["time2.kernel"].T + w["time2.bias"])
    first = block(w, "block1.", convolve(image, w["stem.kernel"], w["stem.bias"]), time)
    second = block(w, "block2.", first, time)
    x = convolve(second, w["down.kernel"], w["down.bias"], stride=2)
    x = attend(w, block(w, "block3.", x, time))
    x = block(w, "block4.", x, time)
    x = x[:, :, :, None, :, None].expand(n, 32, 14, 2, 14, 2).reshape(n, 32, 28, 28)
    x = convolve(x, w["up.kernel"], w["up.bias"])
    x = block(w, "block5.", torch.cat([x, second], 1), time)
    x = block(w, "block6.", torch.cat([x, first], 1), time)
    x = convolve(silu(normed(x, w["norm.scale"], w["norm.shift"])), w["out.kernel"], w["out.bias"])
    return x.reshape(n, 784)


def loss(outputs, noise):
    return ((outputs - noise) ** 2).mean()


def block(w, name, x, time):
    y = convolve(silu(normed(x, w[f"{name}norm1.scale"], w[f"{name}norm1.shift"])), *layer(w, f"{name}conv1"))
    y = y + (time @ w[f"{name}time.kernel"].T + w[f"{name}time.bias"])[:, :, None, None]
    y = convolve(silu(normed(y, w[f"{name}norm2.scale"], w[f"{name}norm2.shift"])), *layer(w, f"{name}conv2"))
    return y + (x if x.shape == y.shape else convolve(x, *layer(w, f"{name}shortcut")))


def layer(w, name):
    return w[f"{name}.kernel"], w[f"{name}.bias"]


def attend(w, x):
    n = len(x)
    tokens = normed(x, w["attention.norm.scale"], w["attention.norm.shift"]).reshape(n, 32, 196).transpose(1, 2)
    q, k, v = (
        tokens @ w[f"attention.{one}.kernel"].T + w[f"attention.{one}.bias"] for one in ("query", "key", "value")
    )
    q, k, v = (y.reshape(n, 196, 4, 8).transpose(1, 2) for y in (q, k, v))
    scores = q @ k.transpose(2, 3) / sqrt(8)
    shares = torch.exp(scores - scores.amax(3, keepdim=True).detach())
    shares = shares / shares.sum(3, keepdim=True)
    heads = (shares @ v).transpose(1, 2).reshape(n, 196, 32)
    y = heads @ w["attention.projection.kernel"].T + w["attention.projection.bias"]
    return x + y.transpose(1, 2).reshape(x.shape)


def convolve(x, kernel, bias, stride=1):
    """Cross-correlation with a zero border, which keeps the size; with stride 2, it is below and to the right only."""
    n, _, height, width = x.shape
    size = kernel.shape[-1]
    if size == 3:
        x = pad(x, (1, 1, 1, 1) if stride == 1 else (0, 1, 0, 1))
    patches = unfold(x, (size, size), stride=stride)  # (n, channels · places in the kernel, places in the image)
    out = kernel.reshape(len(kernel), -1) @ patches + bias[:, None]
    return out.reshape(n, len(kernel), height // stride, width // stride)


def normed(x, scale, shift):
    """Each of 8 groups of channels with mean 0 and variance 1, then a scale and a shift for each channel."""
    groups = x.reshape(len(x), 8, -1)
    centred = groups - groups.mean(2, keepdim=True)
    normal = centred / torch.sqrt((centred * centred).mean(2, keepdim=True) + 1e-6)
    return scale[:, None, None] * normal.reshape(x.shape) + shift[:, None, None]


def silu(x):
    return x / (1 + torch.exp(-x))
