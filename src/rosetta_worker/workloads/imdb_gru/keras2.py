"""imdb-gru in Keras 2."""

import keras
from keras import backend as K
from keras.layers import GRU, Dense, Embedding, Input

from rosetta_worker.optimizers.keras2 import Adam
from rosetta_worker.tensors import TRANSPOSE, Tie, gates, stack


def Model():
    """Token ids (n, 150) to logits (n, 2)."""
    tokens = Input((150,), dtype="int32")
    x = Embedding(30000, 125, name="embedding")(tokens)
    x = GRU(100, reset_after=True, recurrent_activation="sigmoid", name="gru")(x)  # by default a hard sigmoid
    return keras.Model(tokens, Dense(2, name="output")(x))


def loss(logits, labels):
    # Per sample: Keras itself takes the mean.
    return K.sparse_categorical_crossentropy(labels, logits, from_logits=True)


def optimizer(model, hyper):
    return Adam(hyper.learning_rate, beta_1=hyper.beta1, beta_2=hyper.beta2, epsilon=hyper.epsilon)


GATES = gates("r z n", "z r n")  # Keras: update, reset, new

TENSORS = [
    Tie("embedding", "embedding.embeddings"),
    Tie("gru.kernel", "gru.cell.kernel", GATES, TRANSPOSE),
    Tie("gru.recurrent_kernel", "gru.cell.recurrent_kernel", GATES, TRANSPOSE),
    Tie("gru.bias gru.recurrent_bias", "gru.cell.bias", GATES, stack()),
    Tie("output.kernel", "output.kernel", TRANSPOSE),
    Tie("output.bias", "output.bias"),
]
