"""fashion-mlp in TensorFlow 2."""

import tensorflow as tf
from tensorflow.keras import layers

from rosetta_worker.optimizers.keras import Adam
from rosetta_worker.tensors import TRANSPOSE, Tie


class Model(tf.keras.Model):
    """Images (n, 784) to logits (n, 10)."""

    def __init__(self):
        super().__init__()
        self.hidden = layers.Dense(128, activation="relu")
        self.logits = layers.Dense(10)  # Keras keeps the name `output` for itself
        self(tf.keras.Input((784,)))  # creates the weights, whose shapes follow from the input

    def call(self, images):
        x = self.hidden(images)
        return self.logits(x)


def loss(logits, labels):
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))


def optimizer(model, hyper):
    return Adam(hyper.learning_rate, beta_1=hyper.beta1, beta_2=hyper.beta2, epsilon=hyper.epsilon)


TENSORS = [
    Tie("hidden.kernel", "hidden.kernel", TRANSPOSE),
    Tie("hidden.bias", "hidden.bias"),
    Tie("output.kernel", "logits.kernel", TRANSPOSE),
    Tie("output.bias", "logits.bias"),
]
