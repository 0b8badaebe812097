"""chestxray-densenet121 in PyTorch as one would write it without a laboratory: one file, one loop.

For the comparison it takes turns: it reads a number of steps from standard input, trains them, and prints the seconds.
Arguments: the .npy files of inputs, labels and batches (sample ids, one row a step), and the number of threads.
"""

import sys
from time import perf_counter

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F


def norm(channels):
    """Return a batch normalisation: PyTorch's momentum is what it takes up, not what it keeps."""
    return nn.BatchNorm2d(channels, eps=1e-5, momentum=0.1)


class Layer(nn.Module):
    """What comes in, and beside it 32 maps more."""

    def __init__(self, inputs):
        super().__init__()
        self.body = nn.Sequential(
            norm(inputs),
            nn.ReLU(),
            nn.Conv2d(inputs, 128, kernel_size=1, bias=False),
            norm(128),
            nn.ReLU(),
            nn.Conv2d(128, 32, kernel_size=3, padding=1, bias=False),
        )

    def forward(self, x):
        """Return what goes into the next layer."""
        return torch.cat([x, self.body(x)], 1)


class Transition(nn.Module):
    """Half as many maps, of half the height and width."""

    def __init__(self, inputs):
        super().__init__()
        self.body = nn.Sequential(
            norm(inputs),
            nn.ReLU(),
            nn.Conv2d(inputs, inputs // 2, kernel_size=1, bias=False),
            nn.AvgPool2d(2),
        )

    def forward(self, x):
        """Return what goes into the next layer."""
        return self.body(x)


inputs, labels, batches = (np.load(path) for path in sys.argv[1:4])
torch.set_num_threads(int(sys.argv[4]))
inputs, labels = torch.from_numpy(inputs), torch.from_numpy(labels)
layers = [nn.Conv2d(3, 64, kernel_size=7, stride=2, padding=3, bias=False), norm(64), nn.ReLU()]
layers.append(nn.MaxPool2d(3, stride=2, padding=1))
channels = 64
for depth in (6, 12, 24, 16):
    if channels > 64:
        layers.append(Transition(channels))
        channels //= 2
    for _ in range(depth):
        layers.append(Layer(channels))
        channels += 32
layers += [norm(channels), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, 14)]
model = nn.Sequential(*layers)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-4, betas=(0.9, 0.999), eps=1e-8)
done = 0
for line in sys.stdin:
    steps = int(line)
    start = perf_counter()
    total = torch.zeros(())
    for ids in batches[done : done + steps]:
        index = torch.from_numpy(ids)
        optimizer.zero_grad()
        loss = F.binary_cross_entropy_with_logits(model(inputs[index]), labels[index])
        loss.backward()
        optimizer.step()
        total += loss.detach()
    mean = float(total / steps)
    print(perf_counter() - start, mean, flush=True)
    done += steps
