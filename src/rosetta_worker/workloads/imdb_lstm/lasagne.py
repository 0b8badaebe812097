"""imdb-lstm in Lasagne."""

from functools import partial

from lasagne.layers import DenseLayer, EmbeddingLayer, InputLayer, LSTMLayer, SliceLayer
from lasagne.objectives import categorical_crossentropy
from theano.tensor import imatrix
from theano.tensor.nnet import softmax

from rosetta_worker.optimizers.lasagne import adam
from rosetta_worker.tensors import TRANSPOSE, Tie, split


class Model(object):
    """Token ids (n, 500) to logits (n, 2)."""

    def __init__(self):
        tokens = InputLayer((None, 500), imatrix())
        x = EmbeddingLayer(tokens, 5000, 32, name="embedding")
        x = LSTMLayer(x, 100, peepholes=False, name="lstm")
        x = SliceLayer(x, -1, axis=1)
        self.network = DenseLayer(x, 2, nonlinearity=None, name="output")


def loss(logits, labels):
    return categorical_crossentropy(softmax(logits), labels).mean()  # Theano fuses the two


def optimizer(model, hyper):
    return partial(adam, learning_rate=hyper.learning_rate, beta1=hyper.beta1, beta2=hyper.beta2, epsilon=hyper.epsilon)


TENSORS = [
    Tie("embedding", "embedding.W"),
    Tie(
        "lstm.kernel",  # one tensor for each gate: input, forget, cell, output
        "lstm.W_in_to_ingate lstm.W_in_to_forgetgate lstm.W_in_to_cell lstm.W_in_to_outgate",
        split(4),
        TRANSPOSE,
    ),
    Tie(
        "lstm.recurrent_kernel",
        "lstm.W_hid_to_ingate lstm.W_hid_to_forgetgate lstm.W_hid_to_cell lstm.W_hid_to_outgate",
        split(4),
        TRANSPOSE,
    ),
    Tie("lstm.bias", "lstm.b_ingate lstm.b_forgetgate lstm.b_cell lstm.b_outgate", split(4)),
    Tie("output.kernel", "output.W", TRANSPOSE),
    Tie("output.bias", "output.b"),
]
