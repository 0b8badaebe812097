"""resnet50-features in PyTorch as one would write it without a laboratory: one file, one loop.

Nothing is trained: images of the host, an array of NumPy's, become features of the host. For the comparison it takes
turns: it reads a number of batches from standard input, infers them, and prints the seconds and, in place of a loss,
the mean of the features. Arguments: the .npy files of inputs, labels (which it leaves alone) and batches (consecutive
sample ids, one row a batch), and the number of threads.
"""

import sys
from time import perf_counter

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F


def norm(channels):
    """Return a batch normalisation."""
    return nn.BatchNorm2d(channels, eps=1e-5)


class Block(nn.Module):
    """Three convolutions, the outer ones 1×1, beside a shortcut; a stage's first block has a convolution there, too."""

    def __init__(self, inputs, channels, stride):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(inputs, channels, kernel_size=1, bias=False),
            norm(channels),
            nn.ReLU(),
            nn.Conv2d(channels, channels, kernel_size=3, stride=stride, padding=1, bias=False),
            norm(channels),
            nn.ReLU(),
            nn.Conv2d(channels, 4 * channels, kernel_size=1, bias=False),
            norm(4 * channels),
        )
        self.shortcut = nn.Identity()
        if inputs != 4 * channels:
            convolution = nn.Conv2d(inputs, 4 * channels, kernel_size=1, stride=stride, bias=False)
            self.shortcut = nn.Sequential(convolution, norm(4 * channels))

    def forward(self, x):
        """Return what goes into the next block."""
        return F.relu(self.shortcut(x) + self.body(x))


inputs, batches = np.load(sys.argv[1]), np.load(sys.argv[3])
torch.set_num_threads(int(sys.argv[4]))
layers = [nn.Conv2d(3, 64, kernel_size=7, stride=2, padding=3, bias=False), norm(64), nn.ReLU()]
layers.append(nn.MaxPool2d(3, stride=2, padding=1))
width = 64
for channels, count in ((64, 3), (128, 4), (256, 6), (512, 3)):
    for number in range(count):
        layers.append(Block(width, channels, 2 if number == 0 and channels > 64 else 1))
        width = 4 * channels
model = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten())
model.eval()
done = 0
for line in sys.stdin:
    steps = int(line)
    start = perf_counter()
    found = []
    with torch.inference_mode():
        for ids in batches[done : done + steps]:
            images = inputs[ids[0] : ids[0] + len(ids)]
            found.append(model(torch.from_numpy(images)).numpy())
    features = np.concatenate(found)
    print(perf_counter() - start, features.mean(), flush=True)
    done += steps
