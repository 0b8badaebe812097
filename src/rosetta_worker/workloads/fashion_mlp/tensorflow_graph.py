"""fashion-mlp in TensorFlow 1."""

import tensorflow as tf

from rosetta_worker.optimizers.tensorflow1 import Adam
from rosetta_worker.tensors import TRANSPOSE, Tie


class Model(object):
    """Images (n, 784) to logits (n, 10)."""

    inputs = (tf.float32, (None, 784))  # dtype and shape of the placeholder for images

    def __call__(self, images, training):
        x = tf.layers.dense(images, 128, activation=tf.nn.relu, name="hidden")
        return tf.layers.dense(x, 10, name="output")


def loss(logits, labels):
    return tf.losses.sparse_softmax_cross_entropy(labels, logits)


def optimizer(model, hyper):
    return Adam(hyper.learning_rate, beta1=hyper.beta1, beta2=hyper.beta2, epsilon=hyper.epsilon)


TENSORS = [
    Tie("hidden.kernel", "hidden/kernel", TRANSPOSE),
    Tie("hidden.bias", "hidden/bias"),
    Tie("output.kernel", "output/kernel", TRANSPOSE),
    Tie("output.bias", "output/bias"),
]
