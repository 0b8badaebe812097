"""shakespeare-gpt in PyTorch as one would write it without a laboratory: one file, one loop.

For the comparison it takes turns: it reads a number of steps from standard input, trains them, and prints the seconds.
Arguments: the .npy files of inputs, labels and batches (sample ids, one row a step), and the number of threads.
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

    def forward(self, x):
        """Return what goes into the next block."""
        n, length, width = x.shape
        q, k, v = self.qkv(self.norm1(x)).split(width, dim=2)
        q, k, v = (y.view(n, length, self.heads, width // self.heads).transpose(1, 2) for y in (q, k, v))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.projection(y.transpose(1, 2).reshape(n, length, width))
        return x + self.mlp(self.norm2(x))


class GPT(nn.Module):
    """Character ids (n, 64) to logits (n, 64, 65)."""

    def __init__(self):
        super().__init__()
        self.token = nn.Embedding(65, 128)
        self.position = nn.Embedding(64, 128)
        self.blocks = nn.Sequential(*[Block(128, 4) for _ in range(4)])
        self.norm = nn.LayerNorm(128, eps=1e-5, bias=False)
        self.output = nn.Linear(128, 65, bias=False)
        self.output.weight = self.token.weight
        for embedding in (self.token, self.position):  # PyTorch's own make the first losses about 80
            nn.init.normal_(embedding.weight, std=0.02)

    def forward(self, ids):
        """Return the logits."""
        x = self.token(ids) + self.position(torch.arange(ids.shape[1]))
        return self.output(self.norm(self.blocks(x)))


inputs, labels, batches = (np.load(path) for path in sys.argv[1:4])
torch.set_num_threads(int(sys.argv[4]))
inputs, labels = torch.from_numpy(inputs), torch.from_numpy(labels.astype("int64"))
model = GPT()
matrices = [tensor for tensor in model.parameters() if tensor.dim() > 1]
scales = [tensor for tensor in model.parameters() if tensor.dim() == 1]
groups = [{"params": matrices, "weight_decay": 0.1}, {"params": scales, "weight_decay": 0.0}]
optimizer = torch.optim.AdamW(groups, lr=1e-3, betas=(0.9, 0.99), eps=1e-8)
done = 0
for line in sys.stdin:
    steps = int(line)
    start = perf_counter()
    total = torch.zeros(())
    for ids in batches[done : done + steps]:
        index = torch.from_numpy(ids)
        optimizer.zero_grad()
        loss = F.cross_entropy(model(inputs[index]).flatten(0, 1), labels[index].flatten())
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        total += loss.detach()
    mean = float(total / steps)
    print(perf_counter() - start, mean, flush=True)
    done += steps
