"""fashion-diffusion in PyTorch as one would write it without a laboratory: one file, one loop.

For the comparison it takes turns: it reads a number of steps from standard input, trains them, and prints the seconds.
Arguments: the .npy files of inputs (a noisy image and its time step a row), labels (the noise) and batches (sample ids,
one row a step), and the number of threads.
"""

import sys
from time import perf_counter

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F


def convolution(inputs, channels):
    """Return a convolution of 3×3."""
    return nn.Conv2d(inputs, channels, kernel_size=3, padding=1)


def norm(channels):
    """Return a group normalisation."""
    return nn.GroupNorm(8, channels, eps=1e-6)


class Block(nn.Module):
    """Two convolutions, between them the time, beside a shortcut."""

    def __init__(self, inputs, channels):
        super().__init__()
        self.before = nn.Sequential(norm(inputs), nn.SiLU(), convolution(inputs, channels))
        self.time = nn.Sequential(nn.SiLU(), nn.Linear(128, channels))
        self.behind = nn.Sequential(norm(channels), nn.SiLU(), convolution(channels, channels))
        self.shortcut = nn.Identity() if inputs == channels else nn.Conv2d(inputs, channels, kernel_size=1)

    def forward(self, x, time):
        """Return what goes into the next block."""
        y = self.before(x) + self.time(time)[:, :, None, None]
        return self.shortcut(x) + self.behind(y)


class Attention(nn.Module):
    """Self-attention of all pixels, beside a shortcut."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm = norm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.projection = nn.Linear(width, width)

    def forward(self, x):
        """Return what goes into the next block."""
        n, width, height, across = x.shape
        y = self.norm(x).flatten(2).transpose(1, 2)
        q, k, v = self.qkv(y).split(width, dim=2)
        q, k, v = (y.view(n, height * across, self.heads, -1).transpose(1, 2) for y in (q, k, v))
        y = F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(n, height * across, width)
        return x + self.projection(y).transpose(1, 2).reshape(x.shape)


class UNet(nn.Module):
    """Noisy images (n, 1, 28, 28) and time steps (n,) to the noise (n, 1, 28, 28)."""

    def __init__(self):
        super().__init__()
        self.rates = 10000 ** (-torch.arange(64) / 63)
        self.time = nn.Sequential(nn.Linear(128, 128), nn.SiLU(), nn.Linear(128, 128))
        self.stem = convolution(1, 32)
        self.block1, self.block2 = Block(32, 32), Block(32, 32)
        self.down = nn.Sequential(nn.ZeroPad2d((0, 1, 0, 1)), nn.Conv2d(32, 32, kernel_size=3, stride=2))
        self.block3, self.attention, self.block4 = Block(32, 32), Attention(32, 4), Block(32, 32)
        self.up = nn.Sequential(nn.Upsample(scale_factor=2), convolution(32, 32))
        self.block5, self.block6 = Block(64, 32), Block(64, 32)
        self.output = nn.Sequential(norm(32), nn.SiLU(), convolution(32, 1))

    def forward(self, images, times):
        """Return the noise."""
        angles = times[:, None] * self.rates
        time = self.time(torch.cat([angles.sin(), angles.cos()], dim=1))
        x1 = self.block1(self.stem(images), time)
        x2 = self.block2(x1, time)
        x = self.attention(self.block3(self.down(x2), time))
        x = self.up(self.block4(x, time))
        x = self.block5(torch.cat([x, x2], dim=1), time)
        x = self.block6(torch.cat([x, x1], dim=1), time)
        return self.output(x)


inputs, labels, batches = (np.load(path) for path in sys.argv[1:4])
torch.set_num_threads(int(sys.argv[4]))
images = torch.from_numpy(inputs[:, :784].reshape(-1, 1, 28, 28))
times, noise = torch.from_numpy(inputs[:, 784]), torch.from_numpy(labels.reshape(-1, 1, 28, 28))
model = UNet()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-4, betas=(0.9, 0.999), eps=1e-8)
done = 0
for line in sys.stdin:
    steps = int(line)
    start = perf_counter()
    total = torch.zeros(())
    for ids in batches[done : done + steps]:
        index = torch.from_numpy(ids)
        optimizer.zero_grad()
        loss = F.mse_loss(model(images[index], times[index]), noise[index])
        loss.backward()
        optimizer.step()
        total += loss.detach()
    mean = float(total / steps)
    print(perf_counter() - start, mean, flush=True)
    done += steps
