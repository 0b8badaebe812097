"""cifar-vgg in PyTorch as one would write it without a laboratory: one file, one loop.

For the comparison it takes turns: it reads a number of steps from standard input, trains them, and prints the seconds.
Arguments: the .npy files of inputs, labels and batches (sample ids, one row a step), and the number of threads.
"""

import sys
from time import perf_counter

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

inputs, labels, batches = (np.load(path) for path in sys.argv[1:4])
torch.set_num_threads(int(sys.argv[4]))
inputs, labels = torch.from_numpy(inputs), torch.from_numpy(labels.astype("int64"))
model = nn.Sequential(
    nn.Conv2d(3, 50, kernel_size=3, padding=1),
    nn.ReLU(),
    nn.Conv2d(50, 50, kernel_size=3, padding=1),
    nn.MaxPool2d(2),
    nn.ReLU(),
    nn.Dropout(0.25),
    nn.Conv2d(50, 100, kernel_size=3, padding=1),
    nn.ReLU(),
    nn.Conv2d(100, 100, kernel_size=3, padding=1),
    nn.MaxPool2d(2),
    nn.ReLU(),
    nn.Dropout(0.25),
    nn.Flatten(),
    nn.Linear(6400, 512),
    nn.ReLU(),
    nn.Dropout(0.5),
    nn.Linear(512, 10),
)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
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
