"""fashion-mlp in Keras."""

import keras
from keras import layers, ops
from keras.losses import sparse_categorical_crossentropy

from rosetta_worker.optimizers.keras import Adam
from rosetta_worker.tensors import TRANSPOSE, Tie


class Model(keras.Model):
    """Images (n, 784) to logits (n, 10)."""

    def __init__(self):
        super().__init__()
        self.hidden = layers.Dense(128, activation="relu")
        self.logits = layers.Dense(10)  # Keras keeps the name `output` for itself
        self(keras.Input((784,)))  # creates the weights, whose shapes follow from the input

    def call(self, images):
        x = self.hidden(images)
        return self.logits(x)


def loss(logits, labels):
    return ops.mean(sparse_categorical_crossentropy(labels, logits, from_logits=True))


def optimizer(model, hyper):
    return Adam(hyper.learning_rate, beta_1=hyper.beta1, beta_2=hyper.beta2, epsilon=hyper.epsilon)


TENSORS = [
    Tie("hidden.kernel", "hidden.kernel", TRANSPOSE),
    Tie("hidden.bias", "hidden.bias"),
    Tie("output.kernel", "logits.kernel", TRANSPOSE),
    Tie("output.bias", "logits.bias"),
]
