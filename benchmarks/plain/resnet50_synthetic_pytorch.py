"""resnet50-synthetic in PyTorch as one would write it without a laboratory: one file, one loop.

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
    return nn.BatchNorm2d(channels, eps=1e-3, momentum=0.01)


class Block(nn.Module):
    """Three convolutions, the outer ones 1×1, beside a shortcut; a stage's first block has a convolution there, too."""

    def __init__(self, inputs, channels, stride):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(inputs, channels, kernel_size=1, stride=stride),
            norm(channels),
            nn.ReLU(),
            nn.Conv2d(channels, channels, kernel_size=3, padding=1),
            norm(channels),
            nn.ReLU(),
            nn.Conv2d(channels, 4 * channels, kernel_size=1),
            norm(4 * channels),
        )
        self.shortcut = nn.Identity()
        if inputs != 4 * channels:
            convolution = nn.Conv2d(inputs, 4 * channels, kernel_size=1, stride=stride)
            self.shortcut = nn.Sequential(convolution, norm(4 * channels))

    def forward(self, x):
        """Return what goes into the next block."""
        return F.relu(self.shortcut(x) + self.body(x))


inputs, labels, batches = (np.load(path) for path in sys.argv[1:4])
torch.set_num_threads(int(sys.argv[4]))
inputs, labels = torch.from_numpy(inputs), torch.from_numpy(labels.astype("int64"))
layers = [nn.Conv2d(3, 64, kernel_size=7, stride=2, padding=3), norm(64), nn.ReLU()]
layers.append(nn.MaxPool2d(3, stride=2, padding=1))
width = 64
for channels, count in ((64, 3), (128, 4), (256, 6), (512, 3)):
    for number in range(count):
        layers.append(Block(width, channels, 2 if number == 0 and channels > 64 else 1))
        width = 4 * channels
model = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(2048, 1000))
optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-4, alpha=0.9, eps=1e-7)
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
