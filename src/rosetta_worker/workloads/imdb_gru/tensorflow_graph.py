"""imdb-gru in TensorFlow 1."""

import tensorflow as tf
from tensorflow.contrib.cudnn_rnn import CudnnCompatibleGRUCell

from rosetta_worker.optimizers.tensorflow1 import Adam
from rosetta_worker.tensors import TRANSPOSE, Tie, beside, split, tiles


class Model(object):
    """Token ids (n, 150) to logits (n, 2)."""

    inputs = (tf.int32, (None, 150))  # dtype and shape of the placeholder for token ids

    def __call__(self, tokens, training):
        x = tf.nn.embedding_lookup(tf.get_variable("embedding", (30000, 125)), tokens)
        _, last = tf.nn.dynamic_rnn(GRUCell(100), x, dtype=tf.float32)
        return tf.layers.dense(last, 2, name="output")


class GRUCell(CudnnCompatibleGRUCell):
    """TensorFlow's cell that resets after the product, with the second bias that its gates lack.

    In the forward pass only their sum matters. In training, each of the two biases makes its own step
    (docs/findings.md).
    """

    def build(self, shape):
        super().build(shape)
        zeros = tf.zeros_initializer()
        self._gate_bias += self.add_variable("gates/recurrent_bias", (2 * self._num_units,), initializer=zeros)


def loss(logits, labels):
    return tf.losses.sparse_softmax_cross_entropy(labels, logits)


def optimizer(model, hyper):
    return Adam(hyper.learning_rate, beta1=hyper.beta1, beta2=hyper.beta2, epsilon=hyper.epsilon)


TENSORS = [
    Tie("embedding", "embedding"),
    Tie(
        "gru.kernel gru.recurrent_kernel",  # gates: reset and update in one kernel, in this order, and new in two
        "rnn/gru_cell/gates/kernel "
        "rnn/gru_cell/candidate/input_projection/kernel rnn/gru_cell/candidate/hidden_projection/kernel",
        beside(125, 100),
        tiles(((0, 200), (0, 225)), ((200, 300), (0, 125)), ((200, 300), (125, 225))),
        TRANSPOSE,
    ),
    Tie("gru.bias", "rnn/gru_cell/gates/bias rnn/gru_cell/candidate/input_projection/bias", split([200])),
    Tie(
        "gru.recurrent_bias",
        "rnn/gru_cell/gates/recurrent_bias rnn/gru_cell/candidate/hidden_projection/bias",
        split([200]),
    ),
    Tie("output.kernel", "output/kernel", TRANSPOSE),
    Tie("output.bias", "output/bias"),
]
