"""imdb-gru:reset-before in Keras."""

import keras
from keras import layers, ops
from keras.losses import sparse_categorical_crossentropy

from rosetta_worker.optimizers.keras import Adam
from rosetta_worker.tensors import TRANSPOSE, Tie, gates


class Model(keras.Model):
    """Token ids (n, 150) to logits (n, 2)."""

    def __init__(self):
        super().__init__()
        self.embedding = layers.Embedding(30000, 125)
        self.gru = layers.GRU(100, reset_after=False)
        self.logits = layers.Dense(2)  # Keras keeps the name `output` for itself
        self(keras.Input((150,), dtype="int32"))  # creates the weights, whose shapes follow from the input

    def call(self, tokens):
        x = self.embedding(tokens)
        x = self.gru(x)
        return self.logits(x)


def loss(logits, labels):
    return ops.mean(sparse_categorical_crossentropy(labels, logits, from_logits=True))


def optimizer(model, hyper):
    return Adam(hyper.learning_rate, beta_1=hyper.beta1, beta_2=hyper.beta2, epsilon=hyper.epsilon)


GATES = gates("r z n", "z r n")  # Keras: update, reset, new

TENSORS = [
    Tie("embedding", "embedding.embeddings"),
    Tie("gru.kernel", "gru.cell.kernel", GATES, TRANSPOSE),
    Tie("gru.recurrent_kernel", "gru.cell.recurrent_kernel", GATES, TRANSPOSE),
    Tie("gru.bias", "gru.cell.bias", GATES),
    Tie("output.kernel", "logits.kernel", TRANSPOSE),
    Tie("output.bias", "logits.bias"),
]
