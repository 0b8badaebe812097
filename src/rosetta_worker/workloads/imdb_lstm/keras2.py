"""imdb-lstm in Keras 2."""

import keras
from keras import backend as K
from keras.layers import LSTM, Dense, Embedding, Input

from rosetta_worker.optimizers.keras2 import Adam
from rosetta_worker.tensors import TRANSPOSE, Tie


def Model():
    """Token ids (n, 500) to logits (n, 2)."""
    tokens = Input((500,), dtype="int32")
    x = Embedding(5000, 32, name="embedding")(tokens)
    # One product for all gates: with one for each, Keras on MXNet gives all of them the bias of the input gate. The
    # hidden state is taken from the list of states, since the first one is the cell state on CNTK.
    lstm = LSTM(
        100, recurrent_activation="sigmoid", unit_forget_bias=False, implementation=2, return_state=True, name="lstm"
    )
    _, x, _ = lstm(x)
    return keras.Model(tokens, Dense(2, name="output")(x))


def loss(logits, labels):
    # Per sample: Keras itself takes the mean.
    return K.sparse_categorical_crossentropy(labels, logits, from_logits=True)


def optimizer(model, hyper):
    return Adam(hyper.learning_rate, beta_1=hyper.beta1, beta_2=hyper.beta2, epsilon=hyper.epsilon)


TENSORS = [
    Tie("embedding", "embedding.embeddings"),
    Tie("lstm.kernel", "lstm.cell.kernel", TRANSPOSE),  # gates: input, forget, cell, output, as in the canonical form
    Tie("lstm.recurrent_kernel", "lstm.cell.recurrent_kernel", TRANSPOSE),
    Tie("lstm.bias", "lstm.cell.bias"),
    Tie("output.kernel", "output.kernel", TRANSPOSE),
    Tie("output.bias", "output.bias"),
]
