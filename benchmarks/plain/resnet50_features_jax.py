"""resnet50-features in JAX, with Flax NNX, as one would write it without a laboratory: one file, one loop.

Nothing is trained: images of the host, an array of NumPy's, become features of the host. For the comparison it takes
turns: it reads a number of batches from standard input, infers them, and prints the seconds and, in place of a loss,
the mean of the features. Arguments: the .npy files of inputs, labels (which it leaves alone) and batches (consecutive
sample ids, one row a batch), and the number of threads.
The environment decides on the threads, not the last argument.
"""

import sys
from time import perf_counter

import numpy as np
from flax import nnx


def convolution(inputs, channels, size, stride, rngs):
    """Return a convolution without a bias: padding "SAME" has one row less in front than behind, at stride 2."""
    return nnx.Conv(inputs, channels, (size, size), strides=stride, padding=size // 2, use_bias=False, rngs=rngs)


def norm(channels, rngs):
    """Return a batch normalisation."""
    return nnx.BatchNorm(channels, epsilon=1e-5, rngs=rngs)


class Block(nnx.Module):
    """Three convolutions, the outer ones 1×1, beside a shortcut; a stage's first block has a convolution there, too."""

    def __init__(self, inputs, channels, stride, rngs):
        self.conv1 = convolution(inputs, channels, 1, 1, rngs)
        self.norm1 = norm(channels, rngs)
        self.conv2 = convolution(channels, channels, 3, stride, rngs)
        self.norm2 = norm(channels, rngs)
        self.conv3 = convolution(channels, 4 * channels, 1, 1, rngs)
        self.norm3 = norm(4 * channels, rngs)
        if inputs == 4 * channels:
            self.shortcut = None
        else:
            first = convolution(inputs, 4 * channels, 1, stride, rngs)
            self.shortcut = nnx.Sequential(first, norm(4 * channels, rngs))

    def __call__(self, x):
        """Return what goes into the next block."""
        y = nnx.relu(self.norm1(self.conv1(x)))
        y = nnx.relu(self.norm2(self.conv2(y)))
        y = self.norm3(self.conv3(y))
        return nnx.relu(y + (x if self.shortcut is None else self.shortcut(x)))


class Extractor(nnx.Module):
    """Images (n, 224, 224, 3) to features (n, 2048)."""

    def __init__(self, rngs):
        self.stem = convolution(3, 64, 7, 2, rngs)
        self.norm = norm(64, rngs)
        blocks = []
        width = 64
        for channels, count in ((64, 3), (128, 4), (256, 6), (512, 3)):
            for number in range(count):
                blocks.append(Block(width, channels, 2 if number == 0 and channels > 64 else 1, rngs))
                width = 4 * channels
        self.blocks = nnx.Sequential(*blocks)

    def __call__(self, images):
        """Return the features."""
        x = nnx.relu(self.norm(self.stem(images)))
        x = nnx.max_pool(x, window_shape=(3, 3), strides=(2, 2), padding=((1, 1), (1, 1)))
        return self.blocks(x).mean((1, 2))


@nnx.jit
def extract(model, images):
    """Return the features of a batch."""
    return model(images)


inputs, batches = np.load(sys.argv[1]), np.load(sys.argv[3])
inputs = np.ascontiguousarray(inputs.transpose(0, 2, 3, 1))
model = Extractor(nnx.Rngs(0))
model.eval()
step = nnx.cached_partial(extract, model)
done = 0
for line in sys.stdin:
    steps = int(line)
    start = perf_counter()
    found = []
    for ids in batches[done : done + steps]:
        images = inputs[ids[0] : ids[0] + len(ids)]
        found.append(np.asarray(step(images)))
    features = np.concatenate(found)
    print(perf_counter() - start, features.mean(), flush=True)
    done += steps
