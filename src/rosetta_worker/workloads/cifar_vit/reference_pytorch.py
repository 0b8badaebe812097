"""cifar-vit as formulas, on PyTorch arrays."""

from math import sqrt

import torch


def forward(w, images):
    n = len(images)
    patches = images.reshape(n, 3, 8, 4, 8, 4).permute(0, 2, 4, 1, 3, 5).reshape(n, 64, 48)
    x = patches @ w["patch.kernel"].reshape(192, 48).T + w["patch.bias"] + w["position_embedding"]
    for number in range(1, 7):
        b = {name: w[f"block{number}.{name}"] for name in NAMES}
        normal = normed(x, b["norm1.scale"], b["norm1.shift"])
        q, k, v = (normal @ b[f"{one}.kernel"].T + b[f"{one}.bias"] for one in ("query", "key", "value"))
        q, k, v = (y.reshape(n, 64, 3, 64).transpose(1, 2) for y in (q, k, v))
        scores = q @ k.transpose(2, 3) / sqrt(64)
        shares = torch.exp(scores - scores.amax(3, keepdim=True).detach())
        shares = shares / shares.sum(3, keepdim=True)
        heads = (shares @ v).transpose(1, 2).reshape(n, 64, 192)
        x = x + heads @ b["projection.kernel"].T + b["projection.bias"]
        inner = normed(x, b["norm2.scale"], b["norm2.shift"]) @ b["up.kernel"].T + b["up.bias"]
        x = x + gelu(inner) @ b["down.kernel"].T + b["down.bias"]
    tokens = normed(x, w["norm.scale"], w["norm.shift"])
    return tokens.mean(1) @ w["output.kernel"].T + w["output.bias"]


LAYERS = ("query", "key", "value", "projection", "up", "down")
NAMES = [f"{norm}.{part}" for norm in ("norm1", "norm2") for part in ("scale", "shift")]
NAMES += [f"{layer}.{part}" for layer in LAYERS for part in ("kernel", "bias")]


def normed(x, scale, shift):
    centred = x - x.mean(-1, keepdim=True)
    return scale * centred / torch.sqrt((centred * centred).mean(-1, keepdim=True) + 1e-6) + shift


def gelu(x):
    return x * (1 + torch.erf(x / sqrt(2))) / 2
