"""fashion-mlp in TensorFlow, as fast as we can write it: one tf.function takes all steps of a turn.

It takes turns as benchmarks/plain/fashion_mlp_tensorflow.py does, with the same arguments.
"""

import sys
from time import perf_counter

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

inputs, labels, batches = (np.load(path) for path in sys.argv[1:4])
tf.config.threading.set_intra_op_parallelism_threads(int(sys.argv[4]))
tf.config.threading.set_inter_op_parallelism_threads(int(sys.argv[4]))
inputs, labels, batches = tf.constant(inputs), tf.constant(labels), tf.constant(batches)
model = tf.keras.Sequential([layers.Input((784,)), layers.Dense(128, activation="relu"), layers.Dense(10)])
optimizer = tf.keras.optimizers.Adam(1e-3, beta_1=0.9, beta_2=0.999, epsilon=1e-8)
optimizer.build(model.trainable_variables)


@tf.function
def train(first, steps):
    """Take so many optimiser steps from batch `first` on; return the sum of the losses."""
    total = tf.zeros(())
    for number in tf.range(first, first + steps):
        ids = batches[number]
        with tf.GradientTape() as tape:
            logits = model(tf.gather(inputs, ids), training=True)
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(tf.gather(labels, ids), logits)
            loss = tf.reduce_mean(losses)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        total += loss
    return total


done = 0
for line in sys.stdin:
    steps = int(line)
    start = perf_counter()
    mean = float(train(tf.constant(done), tf.constant(steps)) / steps)
    print(perf_counter() - start, mean, flush=True)
    done += steps
