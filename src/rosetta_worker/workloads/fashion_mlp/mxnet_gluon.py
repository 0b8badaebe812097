"""fashion-mlp in MXNet Gluon."""

from mxnet import gluon, nd
from mxnet.gluon import nn

from rosetta_worker.optimizers.mxnet import Adam
from rosetta_worker.tensors import Tie


class Model(gluon.HybridBlock):
    """Images (n, 784) to logits (n, 10)."""

    def __init__(self):
        super().__init__()
        self.hidden = nn.Dense(128, in_units=784)
        self.output = nn.Dense(10, in_units=128)

    def hybrid_forward(self, F, images):
        x = F.Activation(self.hidden(images), act_type="relu")
        return self.output(x)


def loss(logits, labels):
    # Not gluon.loss.SoftmaxCrossEntropyLoss: on the CPU its log_softmax is inexact (docs/findings.md).
    return nd.softmax_cross_entropy(logits, labels) / len(logits)


def optimizer(model, hyper):
    adam = Adam(learning_rate=hyper.learning_rate, beta1=hyper.beta1, beta2=hyper.beta2, epsilon=hyper.epsilon)
    return gluon.Trainer(model.collect_params(), adam)


TENSORS = [
    Tie("hidden.kernel", "hidden.weight"),
    Tie("hidden.bias", "hidden.bias"),
    Tie("output.kernel", "output.weight"),
    Tie("output.bias", "output.bias"),
]
