"""fashion-mlp in Keras 2."""

import keras
from keras import backend as K
from keras.layers import Dense, Input

from rosetta_worker.layers.keras2 import RELU
from rosetta_worker.optimizers.keras2 import Adam
from rosetta_worker.tensors import TRANSPOSE, Tie


def Model():
    """Images (n, 784) to logits (n, 10)."""
    images = Input((784,))
    x = Dense(128, activation=RELU, name="hidden")(images)
    return keras.Model(images, Dense(10, name="output")(x))


def loss(logits, labels):
    # Per sample: Keras itself takes the mean.
    return K.sparse_categorical_crossentropy(labels, logits, from_logits=True)


def optimizer(model, hyper):
    return Adam(hyper.learning_rate, beta_1=hyper.beta1, beta_2=hyper.beta2, epsilon=hyper.epsilon)


TENSORS = [
    Tie("hidden.kernel", "hidden.kernel", TRANSPOSE),
    Tie("hidden.bias", "hidden.bias"),
    Tie("output.kernel", "output.kernel", TRANSPOSE),
    Tie("output.bias", "output.bias"),
]
