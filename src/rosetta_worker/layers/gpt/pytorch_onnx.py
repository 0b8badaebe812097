"""A GPT as it is exported from PyTorch: one step, whose caches of keys and values go in and come out longer."""

import torch
from torch.nn import functional as F

from rosetta_worker.layers.gpt.pytorch import TENSORS, Decoder  # noqa: F401

EMPTY = (6, 0, 64)  # a sample's cache without anything in it: heads, time, in a head
CACHES = ["%s%d" % (kind, number) for number in range(1, 7) for kind in ("keys", "values")]


class Model(Decoder):
    """Ids (n, time) and caches (n, heads, past, in a head) to logits of the character behind them, and longer caches.

    The first id stands behind what the caches hold.
    """

    def forward(self, ids, caches):
        past = caches[0].shape[2]
        places = torch.arange(past, past + ids.shape[1])
        seen = torch.arange(past + ids.shape[1]) <= places[:, None]
        x, grown = self.token(ids) + self.position(places), []
        for block, keys, values in zip(self.blocks, caches[::2], caches[1::2]):
            q, k, v = heads(block, block.qkv(block.norm1(x)))
            keys, values = torch.cat([keys, k], 2), torch.cat([values, v], 2)
            y = F.scaled_dot_product_attention(q, keys, values, attn_mask=seen)
            x = x + block.projection(y.transpose(1, 2).flatten(2))
            x = x + block.down(F.gelu(block.up(block.norm2(x))))
            grown += [keys, values]
        return F.linear(self.norm(x[:, -1:]), self.token.weight), grown


def heads(block, projected):
    """Queries, keys and values, (n, heads, time, in a head)."""
    return [y.unflatten(-1, (block.heads, -1)).transpose(1, 2) for y in projected.chunk(3, dim=-1)]
