"""resnet50-features in TensorFlow as one would write it without a laboratory: one file, one loop.

Nothing is trained: images of the host, an array of NumPy's, become features of the host. For the comparison it takes
turns: it reads a number of batches from standard input, infers them, and prints the seconds and, in place of a loss,
the mean of the features. Arguments: the .npy files of inputs, labels (which it leaves alone) and batches (consecutive
sample ids, one row a batch), and the number of threads.
"""

import sys
from time import perf_counter

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers


def convolution(x, channels, size, stride=1):
    """Convolve without a bias: padding "same" has one row less in front than behind, at stride 2."""
    if stride == 1:
        return layers.Conv2D(channels, size, padding="same", use_bias=False)(x)
    if size > 1:
        x = layers.ZeroPadding2D(size // 2)(x)
    return layers.Conv2D(channels, size, strides=stride, use_bias=False)(x)


def norm():
    """Return a batch normalisation."""
    return layers.BatchNormalization(epsilon=1e-5)


def block(x, channels, stride):
    """Three convolutions, the outer ones 1×1, beside a shortcut; a stage's first block has a convolution there, too."""
    y = layers.ReLU()(norm()(convolution(x, channels, 1)))
    y = layers.ReLU()(norm()(convolution(y, channels, 3, stride)))
    y = norm()(convolution(y, 4 * channels, 1))
    if x.shape[-1] != 4 * channels:
        x = norm()(convolution(x, 4 * channels, 1, stride))
    return layers.ReLU()(layers.add([x, y]))


inputs, batches = np.load(sys.argv[1]), np.load(sys.argv[3])
tf.config.threading.set_intra_op_parallelism_threads(int(sys.argv[4]))
tf.config.threading.set_inter_op_parallelism_threads(int(sys.argv[4]))
inputs = np.ascontiguousarray(inputs.transpose(0, 2, 3, 1))
images = layers.Input((224, 224, 3))
x = layers.ReLU()(norm()(convolution(images, 64, 7, 2)))
x = layers.MaxPooling2D(3, strides=2)(layers.ZeroPadding2D(1)(x))
for channels, count in ((64, 3), (128, 4), (256, 6), (512, 3)):
    for number in range(count):
        x = block(x, channels, 2 if number == 0 and channels > 64 else 1)
model = tf.keras.Model(images, layers.GlobalAveragePooling2D()(x))


@tf.function
def extract(images):
    """Return the features of a batch."""
    return model(images, training=False)


done = 0
for line in sys.stdin:
    steps = int(line)
    start = perf_counter()
    found = []
    for ids in batches[done : done + steps]:
        images = inputs[ids[0] : ids[0] + len(ids)]
        found.append(extract(tf.constant(images)).numpy())
    features = np.concatenate(found)
    print(perf_counter() - start, features.mean(), flush=True)
    done += steps
