"""imdb-gru:reset-before in TensorFlow 1."""

import tensorflow as tf
from tensorflow.nn.rnn_cell import GRUCell

from rosetta_worker.optimizers.tensorflow1 import Adam
from rosetta_worker.tensors import TRANSPOSE, Tie, beside, split


class Model(object):
    """Token ids (n, 150) to logits (n, 2)."""

    inputs = (tf.int32, (None, 150))  # dtype and shape of the placeholder for token ids

    def __call__(self, tokens, training):
        x = tf.nn.embedding_lookup(tf.get_variable("embedding", (30000, 125)), tokens)
        _, last = tf.nn.dynamic_rnn(GRUCell(100), x, dtype=tf.float32)
        return tf.layers.dense(last, 2, name="output")


def loss(logits, labels):
    return tf.losses.sparse_softmax_cross_entropy(labels, logits)


def optimizer(model, hyper):
    return Adam(hyper.learning_rate, beta1=hyper.beta1, beta2=hyper.beta2, epsilon=hyper.epsilon)


TENSORS = [
    Tie("embedding", "embedding"),
    Tie(
        "gru.kernel gru.recurrent_kernel",  # gates: reset and update in one kernel, in this order, and new in another
        "rnn/gru_cell/gates/kernel rnn/gru_cell/candidate/kernel",
        beside(125, 100),
        split([200]),
        TRANSPOSE,
    ),
    Tie("gru.bias", "rnn/gru_cell/gates/bias rnn/gru_cell/candidate/bias", split([200])),
    Tie("output.kernel", "output/kernel", TRANSPOSE),
    Tie("output.bias", "output/bias"),
]
