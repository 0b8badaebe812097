"""imdb-lstm in Keras."""

import keras
from keras import layers, ops
from keras.losses import sparse_categorical_crossentropy

from rosetta_worker.optimizers.keras import Adam
from rosetta_worker.tensors import TRANSPOSE, Tie


class Model(keras.Model):
    """Token ids (n, 500) to logits (n, 2)."""

    def __init__(self):
        super().__init__()
        self.embedding = layers.Embedding(5000, 32)
        self.lstm = layers.LSTM(100, unit_forget_bias=False)
        self.logits = layers.Dense(2)  # Keras keeps the name `output` for itself
        self(keras.Input((500,), dtype="int32"))  # creates the weights, whose shapes follow from the input

    def call(self, tokens):
        x = self.embedding(tokens)
        x = self.lstm(x)
        return self.logits(x)


def loss(logits, labels):
    return ops.mean(sparse_categorical_crossentropy(labels, logits, from_logits=True))


def optimizer(model, hyper):
    return Adam(hyper.learning_rate, beta_1=hyper.beta1, beta_2=hyper.beta2, epsilon=hyper.epsilon)


TENSORS = [
    Tie("embedding", "embedding.embeddings"),
    Tie("lstm.kernel", "lstm.cell.kernel", TRANSPOSE),  # gates: input, forget, cell, output, as in the canonical form
    Tie("lstm.recurrent_kernel", "lstm.cell.recurrent_kernel", TRANSPOSE),
    Tie("lstm.bias", "lstm.cell.bias"),
    Tie("output.kernel", "logits.kernel", TRANSPOSE),
    Tie("output.bias", "logits.bias"),
]
