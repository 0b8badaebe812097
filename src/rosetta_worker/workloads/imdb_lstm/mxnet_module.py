"""imdb-lstm in MXNet's Module."""

from mxnet import sym

from rosetta_worker.optimizers.mxnet import Adam
from rosetta_worker.tensors import Tie


class Model(object):
    """Token ids (n, 500) to logits (n, 2)."""

    shape = (500,)  # of one review: Module allocates memory beforehand

    def __call__(self, tokens):
        x = sym.Embedding(tokens, input_dim=5000, output_dim=32, name="embedding")
        x = sym.SwapAxis(x, dim1=0, dim2=1)  # time is axis 0
        start = sym.zeros((1, 0, 100))  # 0: the number of samples
        x = sym.RNN(x, parameters(), start, start, mode="lstm", state_size=100, num_layers=1, name="lstm")
        x = sym.reshape(sym.slice_axis(x, axis=0, begin=-1, end=None), (-1, 100))
        return sym.FullyConnected(x, num_hidden=2, name="output")


def parameters():
    """All parameters in one row. The recurrent bias stays zero: only one bias is trained (docs/findings.md)."""
    kernel = sym.Variable("lstm_kernel_weight", shape=(400, 32))
    recurrent = sym.Variable("lstm_recurrent_weight", shape=(400, 100))
    bias = sym.Variable("lstm_bias", shape=(400,))
    return sym.concat(sym.reshape(kernel, (-1,)), sym.reshape(recurrent, (-1,)), bias, sym.zeros(400), dim=0)


def loss(logits, labels):
    # Not SoftmaxOutput: it returns no loss, and sums gradients, which the optimiser's rescale_grad must divide.
    return sym.softmax_cross_entropy(logits, labels) / sym.size_array(labels).astype("float32")


def optimizer(model, hyper):
    # rescale_grad stays 1: the loss is already a mean. Module warns that it is not 1/n, which SoftmaxOutput would need.
    return Adam(learning_rate=hyper.learning_rate, beta1=hyper.beta1, beta2=hyper.beta2, epsilon=hyper.epsilon)


TENSORS = [
    Tie("embedding", "embedding_weight"),
    Tie("lstm.kernel", "lstm_kernel_weight"),  # gates: input, forget, cell, output, as in the canonical form
    Tie("lstm.recurrent_kernel", "lstm_recurrent_weight"),
    Tie("lstm.bias", "lstm_bias"),
    Tie("output.kernel", "output_weight"),
    Tie("output.bias", "output_bias"),
]
