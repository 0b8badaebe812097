"""What a training step of imdb-gru costs with each GRU of TensorFlow 1 that resets after the product.

    PYTHON_OF_TENSORFLOW_1 benchmarks/tensorflow1_gru.py

PYTHON_OF_TENSORFLOW_1 is what `rosetta env make tensorflow@1.13.1` has made. It prints processor seconds of a step on
one thread, the third least of eight, twice for each.
"""

import time

import numpy as np
import tensorflow as tf
from tensorflow.contrib.cudnn_rnn import CudnnCompatibleGRUCell


def of_keras(implementation):
    """Keras' layer as a function: sequences (n, time, in) to the last state (n, 100)."""
    return tf.keras.layers.GRU(
        100, recurrent_activation="sigmoid", reset_after=True, implementation=implementation, name="gru"
    )


def of_cell(x):
    """The same of TensorFlow's cell."""
    return tf.nn.dynamic_rnn(CudnnCompatibleGRUCell(100), x, dtype=tf.float32)[1]


def seconds(recurrence):
    """Return the processor seconds of a step with a recurrence."""
    random = np.random.RandomState(0)
    one = tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
    with tf.Graph().as_default(), tf.Session(config=one) as session:
        tokens, labels = tf.placeholder(tf.int32, (None, 150)), tf.placeholder(tf.int32, (None,))
        x = tf.nn.embedding_lookup(tf.get_variable("embedding", (30000, 125)), tokens)
        loss = tf.losses.sparse_softmax_cross_entropy(labels, tf.layers.dense(recurrence(x), 2))
        step = tf.train.AdamOptimizer().minimize(loss)
        session.run(tf.global_variables_initializer())
        fed = {tokens: random.randint(0, 30000, (64, 150)), labels: random.randint(0, 2, 64)}
        session.run(step, fed)
        taken = []
        for _ in range(8):
            start = time.process_time()
            session.run(step, fed)
            taken.append(time.process_time() - start)
        return sorted(taken)[2]


for _ in range(2):
    print("tf.keras.layers.GRU", seconds(lambda x: of_keras(1)(x)))
    print("tf.keras.layers.GRU, implementation=2", seconds(lambda x: of_keras(2)(x)))
    print("CudnnCompatibleGRUCell", seconds(of_cell))
