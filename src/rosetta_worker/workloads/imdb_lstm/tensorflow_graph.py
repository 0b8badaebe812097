"""imdb-lstm in TensorFlow 1."""

import tensorflow as tf
from tensorflow.contrib.rnn import LSTMBlockFusedCell

from rosetta_worker.optimizers.tensorflow1 import Adam
from rosetta_worker.tensors import TRANSPOSE, Tie, beside, gates


class Model(object):
    """Token ids (n, 500) to logits (n, 2)."""

    inputs = (tf.int32, (None, 500))  # dtype and shape of the placeholder for token ids

    def __call__(self, tokens, training):
        x = tf.nn.embedding_lookup(tf.get_variable("embedding", (5000, 32)), tf.transpose(tokens))  # time is axis 0
        _, (_, last) = LSTMBlockFusedCell(100, forget_bias=0, name="lstm")(x, dtype=tf.float32)
        return tf.layers.dense(last, 2, name="output")


def loss(logits, labels):
    return tf.losses.sparse_softmax_cross_entropy(labels, logits)


def optimizer(model, hyper):
    return Adam(hyper.learning_rate, beta1=hyper.beta1, beta2=hyper.beta2, epsilon=hyper.epsilon)


GATES = gates("i f c o", "i c f o")  # TensorFlow: input, cell, forget, output

TENSORS = [
    Tie("embedding", "embedding"),
    Tie("lstm.kernel lstm.recurrent_kernel", "lstm/kernel", GATES, beside(32, 100), TRANSPOSE),
    Tie("lstm.bias", "lstm/bias", GATES),
    Tie("output.kernel", "output/kernel", TRANSPOSE),
    Tie("output.bias", "output/bias"),
]
