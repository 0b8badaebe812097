"""imdb-gru in Lasagne."""

from functools import partial

import theano
from lasagne.init import Constant, Normal
from lasagne.layers import DenseLayer, EmbeddingLayer, InputLayer, Layer
from lasagne.nonlinearities import sigmoid, tanh
from lasagne.objectives import categorical_crossentropy
from theano import tensor
from theano.tensor.nnet import softmax

from rosetta_worker.optimizers.lasagne import adam
from rosetta_worker.tensors import TRANSPOSE, Tie


class Model(object):
    """Token ids (n, 150) to logits (n, 2)."""

    def __init__(self):
        tokens = InputLayer((None, 150), tensor.imatrix())
        x = EmbeddingLayer(tokens, 30000, 125, name="embedding")
        x = GRU(x, 100, name="gru")
        self.network = DenseLayer(x, 2, nonlinearity=None, name="output")


class GRU(Layer):
    """Sequences (n, time, in) to the last state (n, out).

    Written out because GRULayer has no recurrent biases.
    """

    def __init__(self, incoming, num_units, **kwargs):
        super().__init__(incoming, **kwargs)
        self.num_units = num_units
        gates = 3 * num_units  # reset, update, new
        self.W_in = self.add_param(Normal(), (self.input_shape[2], gates), "W_in")
        self.W_hid = self.add_param(Normal(), (num_units, gates), "W_hid")
        self.b_in = self.add_param(Constant(0), (gates,), "b_in", regularizable=False)
        self.b_hid = self.add_param(Constant(0), (gates,), "b_hid", regularizable=False)

    def get_output_shape_for(self, input_shape):
        return input_shape[0], self.num_units

    def get_output_for(self, input, **kwargs):
        from_input = tensor.dot(input.dimshuffle(1, 0, 2), self.W_in) + self.b_in  # (time, n, gates)
        start = tensor.zeros((input.shape[0], self.num_units))
        states, _ = theano.scan(self.step, from_input, start, [self.W_hid, self.b_hid], strict=True)
        return states[-1]

    def step(self, from_input, state, W_hid, b_hid):
        from_state = tensor.dot(state, W_hid) + b_hid
        reset_x, update_x, new_x = self.gates(from_input)
        reset_h, update_h, new_h = self.gates(from_state)
        reset = sigmoid(reset_x + reset_h)
        update = sigmoid(update_x + update_h)
        new = tanh(new_x + reset * new_h)
        return (1 - update) * new + update * state

    def gates(self, x):
        return [x[:, gate * self.num_units : (gate + 1) * self.num_units] for gate in range(3)]


def loss(logits, labels):
    return categorical_crossentropy(softmax(logits), labels).mean()  # Theano fuses the two


def optimizer(model, hyper):
    return partial(adam, learning_rate=hyper.learning_rate, beta1=hyper.beta1, beta2=hyper.beta2, epsilon=hyper.epsilon)


TENSORS = [
    Tie("embedding", "embedding.W"),
    Tie("gru.kernel", "gru.W_in", TRANSPOSE),  # gates: reset, update, new, as in the canonical form
    Tie("gru.recurrent_kernel", "gru.W_hid", TRANSPOSE),
    Tie("gru.bias", "gru.b_in"),
    Tie("gru.recurrent_bias", "gru.b_hid"),
    Tie("output.kernel", "output.W", TRANSPOSE),
    Tie("output.bias", "output.b"),
]
