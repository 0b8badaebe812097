"""A GPT as formulas, on PyTorch arrays."""

from math import sqrt

import torch

PROMPT = 64


def transform(w, ids, begin, known):
    """Return logits, (n, time, 65). `known` holds the keys and values of earlier places, and gets those of these."""
    n, length = ids.shape
    x = w["token_embedding"][ids] + w["position_embedding"][begin : begin + length]
    unseen = torch.ones(begin + length, begin + length, dtype=torch.bool).triu(1)[begin:]  # row: who looks
    for number, earlier in enumerate(known, start=1):
        b = {name: w[f"block{number}.{name}"] for name in NAMES}
        q, k, v = (normed(x, b["norm1.scale"]) @ b["qkv.kernel"].T).split(384, dim=2)
        q, k, v = (y.reshape(n, length, 6, 64).transpose(1, 2) for y in (q, k, v))
        earlier.append((k, v))
        keys, values = (torch.cat(parts, 2) for parts in zip(*earlier))
        scores = (q @ keys.transpose(2, 3) / sqrt(64)).masked_fill(unseen, -torch.inf)
        shares = torch.exp(scores - scores.amax(3, keepdim=True))
        shares = shares / shares.sum(3, keepdim=True)
        x = x + (shares @ values).transpose(1, 2).reshape(n, length, 384) @ b["projection.kernel"].T
        x = x + gelu(normed(x, b["norm2.scale"]) @ b["up.kernel"].T) @ b["down.kernel"].T
    return normed(x, w["norm.scale"]) @ w["token_embedding"].T


NAMES = ("norm1.scale", "qkv.kernel", "projection.kernel", "norm2.scale", "up.kernel", "down.kernel")


def normed(x, scale):
    centred = x - x.mean(-1, keepdim=True)
    return scale * centred / torch.sqrt((centred * centred).mean(-1, keepdim=True) + 1e-5)


def gelu(x):
    return x * (1 + torch.erf(x / sqrt(2))) / 2
