"""fashion-mlp in PyTorch, as fast as we can write it: Adam fused, batches cut with index_select, and not compiled.

It takes turns as benchmarks/plain/fashion_mlp_pytorch.py does, with the same arguments.
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
batches = torch.from_numpy(batches)
model = nn.Sequential(nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, betas=(0.9, 0.999), eps=1e-8, fused=True)

done = 0
for line in sys.stdin:
    steps = int(line)
    start = perf_counter()
    total = torch.zeros(())
    for index in batches[done : done + steps]:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(inputs.index_select(0, index)), labels.index_select(0, index))
        loss.backward()
        optimizer.step()
        total += loss.detach()
    mean = float(total / steps)
    print(perf_counter() - start, mean, flush=True)
    done += steps
