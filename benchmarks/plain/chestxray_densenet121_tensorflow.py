"""chestxray-densenet121 in TensorFlow as one would write it without a laboratory: one file, one loop.

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
    return layers.BatchNormalization(momentum=0.9, epsilon=1e-5)


def layer(x):
    """What comes in, and beside it 32 maps more."""
    y = layers.Conv2D(128, 1, use_bias=False)(layers.ReLU()(norm()(x)))
    y = layers.Conv2D(32, 3, padding="same", use_bias=False)(layers.ReLU()(norm()(y)))
    return layers.concatenate([x, y])


def transition(x):
    """Half as many maps, of half the height and width."""
    y = layers.Conv2D(x.shape[-1] // 2, 1, use_bias=False)(layers.ReLU()(norm()(x)))
    return layers.AveragePooling2D(2)(y)


inputs, labels, batches = (np.load(path) for path in sys.argv[1:4])
tf.config.threading.set_intra_op_parallelism_threads(int(sys.argv[4]))
tf.config.threading.set_inter_op_parallelism_threads(int(sys.argv[4]))
inputs, labels = tf.constant(inputs.transpose(0, 2, 3, 1)), tf.constant(labels)
images = layers.Input((224, 224, 3))
x = layers.Conv2D(64, 7, strides=2, use_bias=False)(layers.ZeroPadding2D(3)(images))
x = layers.ReLU()(norm()(x))
x = layers.MaxPooling2D(3, strides=2)(layers.ZeroPadding2D(1)(x))
for depth in (6, 12, 24, 16):
    if x.shape[-1] > 64:
        x = transition(x)
    for _ in range(depth):
        x = layer(x)
x = layers.GlobalAveragePooling2D()(layers.ReLU()(norm()(x)))
logits = layers.Dense(14)(x)
model = tf.keras.Model(images, logits)
optimizer = tf.keras.optimizers.Adam(1e-4, beta_1=0.9, beta_2=0.999, epsilon=1e-8)


@tf.function
def train_step(ids):
    """Take one optimiser step on the samples `ids`; return the loss."""
    with tf.GradientTape() as tape:
        logits = model(tf.gather(inputs, ids), training=True)
        losses = tf.nn.sigmoid_cross_entropy_with_logits(tf.gather(labels, ids), logits)
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
