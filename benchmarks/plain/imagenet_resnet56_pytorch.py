"""imagenet-resnet56 in PyTorch as one would write it without a laboratory: one file, one loop.

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
    """Two convolutions beside a shortcut, which is a convolution itself where the image gets smaller."""

    def __init__(self, inputs, channels, stride):
        super().__init__()
        first = [nn.Conv2d(inputs, channels, kernel_size=3, padding=1)]
        if stride == 2:
            first = [nn.ZeroPad2d((0, 1, 0, 1)), nn.Conv2d(inputs, channels, kernel_size=3, stride=2)]
        self.body = nn.Sequential(
            *first,
            norm(channels),
            nn.ReLU(),
            nn.Conv2d(channels, channels, kernel_size=3, padding=1),
            norm(channels),
        )
        self.shortcut = nn.Conv2d(inputs, channels, kernel_size=1, stride=2) if stride == 2 else nn.Identity()

    def forward(self, x):
        """Return what goes into the next block."""
        return F.relu(self.shortcut(x) + self.body(x))


inputs, labels, batches = (np.load(path) for path in sys.argv[1:4])
inputs = np.divide(inputs, 255, dtype="float32")  # from 0 to 1
torch.set_num_threads(int(sys.argv[4]))
inputs, labels = torch.from_numpy(inputs), torch.from_numpy(labels.astype("int64"))
layers = [nn.Conv2d(3, 16, kernel_size=3, padding=1), norm(16), nn.ReLU()]
for channels in (16, 32, 64):
    smaller = channels > 16
    layers.append(Block(channels // 2 if smaller else channels, channels, 2 if smaller else 1))
    layers += [Block(channels, channels, 1) for _ in range(8)]
model = nn.Sequential(*layers, nn.AvgPool2d(8), nn.Flatten(), nn.Linear(4096, 1000))
kernels = [tensor for tensor in model.parameters() if tensor.dim() > 1]
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, betas=(0.9, 0.999), eps=1e-8)
done = 0
for line in sys.stdin:
    steps = int(line)
    start = perf_counter()
    total = torch.zeros(())
    for ids in batches[done : done + steps]:
        index = torch.from_numpy(ids)
        optimizer.zero_grad()
        penalty = 1e-4 * nn.utils.parameters_to_vector(kernels).square().sum()
        loss = F.cross_entropy(model(inputs[index]), labels[index]) + penalty
        loss.backward()
        optimizer.step()
        total += loss.detach()
    mean = float(total / steps)
    print(perf_counter() - start, mean, flush=True)
    done += steps
