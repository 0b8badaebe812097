"""shakespeare-gpt as formulas, on PyTorch arrays."""

from math import sqrt

import torch


def forward(w, ids):
    n, length = ids.shape
    x = w["token_embedding"][ids] + w["position_embedding"]
    unseen = torch.ones(length, length, dtype=torch.bool).triu(1)  # row: who looks; column: at whom
    for number in range(1, 5):
        b = {name: w[f"block{number}.{name}"] for name in NAMES}
        q, k, v = (normed(x, b["norm1.scale"]) @ b["qkv.kernel"].T).split(128, dim=2)
        q, k, v = (y.reshape(n, length, 4, 32).transpose(1, 2) for y in (q, k, v))
        scores = (q @ k.transpose(2, 3) / sqrt(32)).masked_fill(unseen, -torch.inf)
        shares = torch.exp(scores - scores.amax(3, keepdim=True).detach())
        shares = shares / shares.sum(3, keepdim=True)
        x = x + (shares @ v).transpose(1, 2).reshape(n, length, 128) @ b["projection.kernel"].T
        x = x + gelu(normed(x, b["norm2.scale"]) @ b["up.kernel"].T) @ b["down.kernel"].T
    return normed(x, w["norm.scale"]) @ w["token_embedding"].T


NAMES = ("norm1.scale", "qkv.kernel", "projection.kernel", "norm2.scale", "up.kernel", "down.kernel")


def normed(x, scale):
    centred = x - x.mean(-1, keepdim=True)
    return scale * centred / torch.sqrt((centred * centred).mean(-1, keepdim=True) + 1e-5)


def gelu(x):
    return x * (1 + torch.erf(x / sqrt(2))) / 2


def loss(logits, labels):
    shifted = logits - logits.amax(2, keepdim=True).detach()
    picked = shifted.gather(2, labels[:, :, None])[:, :, 0]
    return (torch.log(torch.exp(shifted).sum(2)) - picked).mean()
