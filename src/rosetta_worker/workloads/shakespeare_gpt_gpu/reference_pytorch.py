"""shakespeare-gpt:gpu as formulas, on PyTorch arrays."""

from math import sqrt

import torch

from rosetta_worker.workloads.shakespeare_gpt.reference_pytorch import NAMES, gelu, loss, normed  # noqa: F401


def forward(w, ids):
    n, length = ids.shape
    x = w["token_embedding"][ids] + w["position_embedding"]
    unseen = torch.ones(length, length, dtype=torch.bool).triu(1)  # row: who looks; column: at whom
    for number in range(1, 7):
        b = {name: w[f"block{number}.{name}"] for name in NAMES}
        q, k, v = (normed(x, b["norm1.scale"]) @ b["qkv.kernel"].T).split(384, dim=2)
        q, k, v = (y.reshape(n, length, 6, 64).transpose(1, 2) for y in (q, k, v))
        scores = (q @ k.transpose(2, 3) / sqrt(64)).masked_fill(unseen, -torch.inf)
        shares = torch.exp(scores - scores.amax(3, keepdim=True).detach())
        shares = shares / shares.sum(3, keepdim=True)
        x = x + (shares @ v).transpose(1, 2).reshape(n, length, 384) @ b["projection.kernel"].T
        x = x + gelu(normed(x, b["norm2.scale"]) @ b["up.kernel"].T) @ b["down.kernel"].T
    return normed(x, w["norm.scale"]) @ w["token_embedding"].T
