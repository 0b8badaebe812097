"""cifar-vgg in TensorFlow as one would write it without a laboratory: one file, one loop.

For the comparison it takes turns: it reads a number of steps from standard input, trains them, and prints the seconds.
Arguments: the .npy files of inputs, labels and batches (sample ids, one row a step), and the number of threads.
"""

import sys
from time import perf_counter

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

inputs, labels, batches = (np.load(path) for path in sys.argv[1:4])
tf.config.threading.set_intra_op_parallelism_threads(int(sys.argv[4]))
tf.config.threading.set_inter_op_parallelism_threads(int(sys.argv[4]))
inputs, labels = tf.constant(inputs.transpose(0, 2, 3, 1)), tf.constant(labels)
model = tf.keras.Sequential(
    [
        layers.Input((32, 32, 3)),
        layers.Conv2D(50, kernel_size=3, padding="same", activation="relu"),
        layers.Conv2D(50, kernel_size=3, padding="same"),
        layers.MaxPooling2D(2),
        layers.ReLU(),
        layers.Dropout(0.25),
        layers.Conv2D(100, kernel_size=3, padding="same", activation="relu"),
        layers.Conv2D(100, kernel_size=3, padding="same"),
        layers.MaxPooling2D(2),
        layers.ReLU(),
        layers.Dropout(0.25),
        layers.Flatten(),
        layers.Dense(512, activation="relu"),
        layers.Dropout(0.5),
        layers.Dense(10),
    ]
)
optimizer = tf.keras.optimizers.SGD(0.01, momentum=0.9)


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
