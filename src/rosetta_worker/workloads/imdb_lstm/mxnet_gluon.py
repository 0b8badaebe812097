"""imdb-lstm in MXNet Gluon."""

from mxnet import gluon, nd
from mxnet.gluon import nn, rnn

from rosetta_worker.optimizers.mxnet import Adam
from rosetta_worker.tensors import Tie


class Model(gluon.HybridBlock):
    """Token ids (n, 500) to logits (n, 2)."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(5000, 32)
        self.lstm = rnn.LSTM(100, layout="NTC", input_size=32)
        self.lstm.l0_h2h_bias.grad_req = "null"  # stays zero: only one bias is trained (docs/findings.md)
        self.output = nn.Dense(2, in_units=100)

    def hybrid_forward(self, F, tokens):
        x = self.embedding(tokens)
        x = self.lstm(x)
        return self.output(F.slice_axis(x, axis=1, begin=-1, end=None))


def loss(logits, labels):
    # Not gluon.loss.SoftmaxCrossEntropyLoss: on the CPU its log_softmax is inexact (docs/findings.md).
    return nd.softmax_cross_entropy(logits, labels) / len(logits)


def optimizer(model, hyper):
    adam = Adam(learning_rate=hyper.learning_rate, beta1=hyper.beta1, beta2=hyper.beta2, epsilon=hyper.epsilon)
    return gluon.Trainer(model.collect_params(), adam)


TENSORS = [
    Tie("embedding", "embedding.weight"),
    Tie("lstm.kernel", "lstm.l0_i2h_weight"),  # gates: input, forget, cell, output, as in the canonical form
    Tie("lstm.recurrent_kernel", "lstm.l0_h2h_weight"),
    Tie("lstm.bias", "lstm.l0_i2h_bias"),
    Tie("output.kernel", "output.weight"),
    Tie("output.bias", "output.bias"),
]
