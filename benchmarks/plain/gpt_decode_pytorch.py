"""gpt-decode in PyTorch as one would write it without a laboratory: one file, one loop.

Nothing is trained: a text of 64 characters on the host gets 128 more, each the likeliest, and comes back to the host.
For the comparison it takes turns: it reads a number of batches from standard input, continues them, and prints the
seconds and, in place of a loss, the mean of the new ids. Arguments: the .npy files of inputs, labels (which it leaves
alone) and batches (consecutive sample ids, one row a batch), and the number of threads.
"""

import sys
from time import perf_counter

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F


class Block(nn.Module):
    """Causal self-attention and an MLP, each behind a normalisation and beside a shortcut."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1 = nn.LayerNorm(width, eps=1e-5, bias=False)
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.projection = nn.Linear(width, width, bias=False)
        self.norm2 = nn.LayerNorm(width, eps=1e-5, bias=False)
        self.mlp = nn.Sequential(
            nn.Linear(width, 4 * width, bias=False), nn.GELU(), nn.Linear(4 * width, width, bias=False)
        )

    def forward(self, x, cache, begin):
        """Return what goes into the next block; write the keys and values from the place `begin` on into the cache."""
        n, length, width = x.shape
        q, k, v = self.qkv(self.norm1(x)).split(width, dim=2)
        q, k, v = (y.view(n, length, self.heads, width // self.heads).transpose(1, 2) for y in (q, k, v))
        end = begin + length
        cache[0, :, :, begin:end] = k
        cache[1, :, :, begin:end] = v
        keys, values = cache[:, :, :, :end]
        y = F.scaled_dot_product_attention(q, keys, values, is_causal=length > 1)
        x = x + self.projection(y.transpose(1, 2).reshape(n, length, width))
        return x + self.mlp(self.norm2(x))


class GPT(nn.Module):
    """Character ids (n, length) to logits of the next character (n, 65)."""

    def __init__(self):
        super().__init__()
        self.token = nn.Embedding(65, 384)
        self.position = nn.Embedding(256, 384)
        self.blocks = nn.ModuleList([Block(384, 6) for _ in range(6)])
        self.norm = nn.LayerNorm(384, eps=1e-5, bias=False)
        self.output = nn.Linear(384, 65, bias=False)
        self.output.weight = self.token.weight

    def forward(self, ids, caches, begin):
        """Return the logits."""
        x = self.token(ids) + self.position(torch.arange(begin, begin + ids.shape[1]))
        for block, cache in zip(self.blocks, caches, strict=True):
            x = block(x, cache, begin)
        return self.output(self.norm(x[:, -1]))

    @torch.inference_mode()
    def generate(self, ids, count):
        """Return `count` new characters."""
        n, length = ids.shape
        caches = torch.zeros(6, 2, n, 6, length + count, 64)
        new = [self(ids, caches, 0).argmax(1, keepdim=True)]
        for place in range(length, length + count - 1):
            new.append(self(new[-1], caches, place).argmax(1, keepdim=True))
        return torch.cat(new, dim=1)


inputs, batches = np.load(sys.argv[1]), np.load(sys.argv[3])
torch.set_num_threads(int(sys.argv[4]))
model = GPT()
model.eval()
done = 0
for line in sys.stdin:
    steps = int(line)
    start = perf_counter()
    found = []
    for ids in batches[done : done + steps]:
        found.append(model.generate(torch.from_numpy(inputs[ids[0] : ids[0] + len(ids)]), 128).numpy())
    texts = np.concatenate(found)
    print(perf_counter() - start, texts.mean(), flush=True)
    done += steps
