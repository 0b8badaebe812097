"""resnet50-synthetic in TensorFlow as one would write it without a laboratory: one file, one loop.

For the comparison it takes turns: it reads a number of steps from standard input, trains them, and prints the seconds.
Arguments: the .npy files of inputs, labels and batches (sample ids, one row a step), and the number of threads.
"""

import sys
from time import perf_counter

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers


def norm():
    """Return a batch normalisation."""
    return layers.BatchNormalization(momentum=0.99, epsilon=1e-3)


def block(x, channels, stride):
    """Three convolutions, the outer ones 1×1, beside a shortcut; a stage's first block has a convolution there, too."""
    y = layers.ReLU()(norm()(layers.Conv2D(channels, 1, strides=stride)(x)))
    y = layers.ReLU()(norm()(layers.Conv2D(channels, 3, padding="same")(y)))
    y = norm()(layers.Conv2D(4 * channels, 1)(y))
    if x.shape[-1] != 4 * channels:
        x = norm()(layers.Conv2D(4 * channels, 1, strides=stride)(x))
    return layers.ReLU()(layers.add([x, y]))


inputs, labels, batches = (np.load(path) for path in sys.argv[1:4])
tf.config.threading.set_intra_op_parallelism_threads(int(sys.argv[4]))
tf.config.threading.set_inter_op_parallelism_threads(int(sys.argv[4]))
inputs, labels = tf.constant(inputs.transpose(0, 2, 3, 1)), tf.constant(labels)
images = layers.Input((256, 256, 3))
x = layers.ZeroPadding2D(3)(images)  # padding "same" has one row less in front than behind, at stride 2
x = layers.ReLU()(norm()(layers.Conv2D(64, 7, strides=2)(x)))
x = layers.MaxPooling2D(3, strides=2)(layers.ZeroPadding2D(1)(x))
for channels, count in ((64, 3), (128, 4), (256, 6), (512, 3)):
    for number in range(count):
        x = block(x, channels, 2 if number == 0 and channels > 64 else 1)
x = layers.GlobalAveragePooling2D()(x)
logits = layers.Dense(1000)(x)
model = tf.keras.Model(images, logits)
optimizer = tf.keras.optimizers.RMSprop(1e-4, rho=0.9, epsilon=1e-7)


@tf.function
def train_step(ids):
    """Take one optimiser step on the samples `ids`; return the loss."""
    with tf.GradientTape() as tape:
        logits = model(tf.gather(inputs, ids), training=True)
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(tf.gather(labels, ids), logits)
        loss = tf.reduce_mean(losses)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
    return loss


done = 0
for line in sys.stdin:
    steps = int(line)
    start = perf_counter()
    total = tf.zeros(())
    for ids in batches[done : done + steps]:
        total += train_step(ids)
    mean = float(total / steps)
    print(perf_counter() - start, mean, flush=True)
    done += steps
