"""imagenet-resnet56 in TensorFlow as one would write it without a laboratory: one file, one loop.

For the comparison it takes turns: it reads a number of steps from standard input, trains them, and prints the seconds.
Arguments: the .npy files of inputs, labels and batches (sample ids, one row a step), and the number of threads.
"""

import sys
from time import perf_counter

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers


def convolution(channels, size, stride=1):
    """Return a convolution with a penalty on its kernel."""
    penalty = tf.keras.regularizers.L2(1e-4)
    return layers.Conv2D(channels, size, strides=stride, padding="same", kernel_regularizer=penalty)


def norm():
    """Return a batch normalisation."""
    return layers.BatchNormalization(momentum=0.99, epsilon=1e-3)


def block(x, channels, stride):
    """Two convolutions beside a shortcut, which is a convolution itself where the image gets smaller."""
    y = layers.ReLU()(norm()(convolution(channels, 3, stride)(x)))
    y = norm()(convolution(channels, 3)(y))
    if stride == 2:
        x = convolution(channels, 1, stride)(x)
    return layers.ReLU()(layers.add([x, y]))


inputs, labels, batches = (np.load(path) for path in sys.argv[1:4])
inputs = np.divide(inputs, 255, dtype="float32")  # from 0 to 1
tf.config.threading.set_intra_op_parallelism_threads(int(sys.argv[4]))
tf.config.threading.set_inter_op_parallelism_threads(int(sys.argv[4]))
inputs, labels = tf.constant(inputs.transpose(0, 2, 3, 1)), tf.constant(labels)
images = layers.Input((256, 256, 3))
x = layers.ReLU()(norm()(convolution(16, 3)(images)))
for channels in (16, 32, 64):
    for number in range(9):
        x = block(x, channels, 2 if number == 0 and channels > 16 else 1)
x = layers.Flatten()(layers.AveragePooling2D(8)(x))
logits = layers.Dense(1000, kernel_regularizer=tf.keras.regularizers.L2(1e-4))(x)
model = tf.keras.Model(images, logits)
optimizer = tf.keras.optimizers.Adam(1e-3, beta_1=0.9, beta_2=0.999, epsilon=1e-8)


@tf.function
def train_step(ids):
    """Take one optimiser step on the samples `ids`; return the loss."""
    with tf.GradientTape() as tape:
        logits = model(tf.gather(inputs, ids), training=True)
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(tf.gather(labels, ids), logits)
        loss = tf.reduce_mean(losses) + tf.add_n(model.losses)  # what the regularisers say
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
