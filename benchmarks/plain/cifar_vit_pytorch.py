"""cifar-vit in PyTorch as one would write it without a laboratory: one file, one loop.

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
    """Self-attention and an MLP, each behind a normalisation and beside a shortcut."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1 = nn.LayerNorm(width, eps=1e-6)
        self.qkv = nn.Linear(width, 3 * width)
        self.projection = nn.Linear(width, width)
        self.norm2 = nn.LayerNorm(width, eps=1e-6)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        """Return what goes into the next block."""
        n, length, width = x.shape
        q, k, v = self.qkv(self.norm1(x)).split(width, dim=2)
        q, k, v = (y.view(n, length, self.heads, width // self.heads).transpose(1, 2) for y in (q, k, v))
        y = F.scaled_dot_product_attention(q, k, v)
        x = x + self.projection(y.transpose(1, 2).reshape(n, length, width))
        return x + self.mlp(self.norm2(x))


class ViT(nn.Module):
    """Images (n, 3, 32, 32) to logits (n, 10)."""

    def __init__(self):
        super().__init__()
        self.patch = nn.Conv2d(3, 192, kernel_size=4, stride=4)
        self.position = nn.Parameter(0.02 * torch.randn(64, 192))
        self.blocks = nn.Sequential(*[Block(192, 3) for _ in range(6)])
        self.norm = nn.LayerNorm(192, eps=1e-6)
        self.output = nn.Linear(192, 10)

    def forward(self, images):
        """Return the logits."""
        tokens = self.patch(images).flatten(2).transpose(1, 2)
        x = self.norm(self.blocks(tokens + self.position))
        return self.output(x.mean(1))


inputs, labels, batches = (np.load(path) for path in sys.argv[1:4])
torch.set_num_threads(int(sys.argv[4]))
inputs, labels = torch.from_numpy(inputs), torch.from_numpy(labels.astype("int64"))
model = ViT()
kernels = [tensor for tensor in model.parameters() if tensor.dim() > 1 and tensor is not model.position]
others = [tensor for tensor in model.parameters() if tensor.dim() == 1 or tensor is model.position]
groups = [{"params": kernels, "weight_decay": 0.05}, {"params": others, "weight_decay": 0.0}]
optimizer = torch.optim.AdamW(groups, lr=1e-3, betas=(0.9, 0.999), eps=1e-8)
done = 0
for line in sys.stdin:
    steps = int(line)
    start = perf_counter()
    total = torch.zeros(())
    for ids in batches[done : done + steps]:
        index = torch.from_numpy(ids)
        optimizer.zero_grad()
        loss = F.cross_entropy(model(inputs[index]), labels[index])
        loss.backward()
        optimizer.step()
        total += loss.detach()
    mean = float(total / steps)
    print(perf_counter() - start, mean, flush=True)
    done += steps
