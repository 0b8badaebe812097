"""imdb-lstm in MXNet 1.0.0's Module. Without a fused LSTM on the CPU, cells are unrolled."""

from mxnet import sym
from mxnet.rnn import LSTMCell, RNNParams

from rosetta_worker.optimizers.mxnet import Adam
from rosetta_worker.tensors import Tie


class Model(object):
    """Token ids (n, 500) to logits (n, 2)."""

    shape = (500,)  # of one review: Module allocates memory beforehand

    def __call__(self, tokens):
        x = sym.Embedding(tokens, input_dim=5000, output_dim=32, name="embedding")
        x, _ = LSTMCell(100, params=OneBias("lstm_")).unroll(500, x, layout="NTC", merge_outputs=False)
        return sym.FullyConnected(x[-1], num_hidden=2, name="output")


class OneBias(RNNParams):
    """The recurrent bias stays zero: only one bias is trained (docs/findings.md)."""

    def get(self, name, **given):
        return sym.zeros(400) if name == "h2h_bias" else super().get(name, **given)


def loss(logits, labels):
    # Not softmax_cross_entropy: in this release, the symbol takes no labels.
    return sym.mean(-sym.pick(sym.log_softmax(logits), labels))


def optimizer(model, hyper):
    # rescale_grad stays 1: the loss is already a mean. Module warns that it is not 1/n, which SoftmaxOutput would need.
    return Adam(learning_rate=hyper.learning_rate, beta1=hyper.beta1, beta2=hyper.beta2, epsilon=hyper.epsilon)


TENSORS = [
    Tie("embedding", "embedding_weight"),
    Tie("lstm.kernel", "lstm_i2h_weight"),  # gates: input, forget, cell, output, as in the canonical form
    Tie("lstm.recurrent_kernel", "lstm_h2h_weight"),
    Tie("lstm.bias", "lstm_i2h_bias"),
    Tie("output.kernel", "output_weight"),
    Tie("output.bias", "output_bias"),
]
