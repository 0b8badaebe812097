"""imdb-gru in MXNet's Module."""

from mxnet import sym
from mxnet.rnn import FusedRNNCell

from rosetta_worker.optimizers.mxnet import Adam
from rosetta_worker.tensors import Tie, join


class Model(object):
    """Token ids (n, 150) to logits (n, 2)."""

    shape = (150,)  # of one review: Module allocates memory beforehand

    def __call__(self, tokens):
        x = sym.Embedding(tokens, input_dim=30000, output_dim=125, name="embedding")
        x, _ = FusedRNNCell(100, mode="gru").unroll(150, x, layout="NTC", merge_outputs=True)
        x = sym.slice_axis(x, axis=1, begin=-1, end=None)
        return sym.FullyConnected(x, num_hidden=2, name="output")


def loss(logits, labels):
    # Not SoftmaxOutput: it returns no loss, and sums gradients, which the optimiser's rescale_grad must divide.
    return sym.softmax_cross_entropy(logits, labels) / sym.size_array(labels).astype("float32")


def optimizer(model, hyper):
    # rescale_grad stays 1: the loss is already a mean. Module warns that it is not 1/n, which SoftmaxOutput would need.
    return Adam(learning_rate=hyper.learning_rate, beta1=hyper.beta1, beta2=hyper.beta2, epsilon=hyper.epsilon)


TENSORS = [
    Tie("embedding", "embedding_weight"),
    Tie(
        "gru.kernel gru.recurrent_kernel gru.bias gru.recurrent_bias",  # gates: reset, update, new, as canonical
        "gru_parameters",
        join((300, 125), (300, 100), (300,), (300,)),
    ),
    Tie("output.kernel", "output_weight"),
    Tie("output.bias", "output_bias"),
]
