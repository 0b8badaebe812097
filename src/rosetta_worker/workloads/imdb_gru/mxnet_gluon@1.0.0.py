"""imdb-gru in MXNet Gluon 1.0.0, whose recurrent layers are not HybridBlocks; they unroll cells on the CPU."""

from mxnet import gluon, nd
from mxnet.gluon import nn, rnn

from rosetta_worker.optimizers.mxnet import Adam
from rosetta_worker.tensors import Tie


class Model(gluon.HybridBlock):
    """Token ids (n, 150) to logits (n, 2)."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(30000, 125)
        self.gru = rnn.GRUCell(100, input_size=125)
        self.output = nn.Dense(2, in_units=100)

    def hybrid_forward(self, F, tokens):
        x = self.embedding(tokens)
        x, _ = self.gru.unroll(150, x, layout="NTC", merge_outputs=False)
        return self.output(x[-1])


def loss(logits, labels):
    # Not gluon.loss.SoftmaxCrossEntropyLoss: on the CPU its log_softmax is inexact (docs/findings.md).
    return nd.softmax_cross_entropy(logits, labels) / len(logits)


def optimizer(model, hyper):
    adam = Adam(learning_rate=hyper.learning_rate, beta1=hyper.beta1, beta2=hyper.beta2, epsilon=hyper.epsilon)
    return gluon.Trainer(model.collect_params(), adam)


TENSORS = [
    Tie("embedding", "embedding.weight"),
    Tie("gru.kernel", "gru.i2h_weight"),  # gates: reset, update, new, as in the canonical form
    Tie("gru.recurrent_kernel", "gru.h2h_weight"),
    Tie("gru.bias", "gru.i2h_bias"),
    Tie("gru.recurrent_bias", "gru.h2h_bias"),
    Tie("output.kernel", "output.weight"),
    Tie("output.bias", "output.bias"),
]
