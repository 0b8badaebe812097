"""fashion-cnn in MXNet Gluon."""

from mxnet import gluon, nd
from mxnet.gluon import nn

from rosetta_worker.optimizers.mxnet import Adam
from rosetta_worker.tensors import Tie


class Model(gluon.HybridBlock):
    """Images (n, 1, 28, 28) to logits (n, 10)."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2D(64, kernel_size=3, in_channels=1)
        self.conv2 = nn.Conv2D(32, kernel_size=3, in_channels=64)
        self.output = nn.Dense(10, in_units=18432)

    def hybrid_forward(self, F, images):
        # Not F.relu: after a convolution it makes oneDNN convert the layout back (docs/explanation/measurement.md).
        x = F.Activation(self.conv1(images), act_type="relu")
        x = F.Activation(self.conv2(x), act_type="relu")
        x = F.flatten(x)
        return self.output(x)


def loss(logits, labels):
    # Not gluon.loss.SoftmaxCrossEntropyLoss: on the CPU its log_softmax is inexact (docs/findings.md).
    return nd.softmax_cross_entropy(logits, labels) / len(logits)


def optimizer(model, hyper):
    adam = Adam(learning_rate=hyper.learning_rate, beta1=hyper.beta1, beta2=hyper.beta2, epsilon=hyper.epsilon)
    return gluon.Trainer(model.collect_params(), adam)


TENSORS = [
    Tie("conv1.kernel", "conv1.weight"),
    Tie("conv1.bias", "conv1.bias"),
    Tie("conv2.kernel", "conv2.weight"),
    Tie("conv2.bias", "conv2.bias"),
    Tie("output.kernel", "output.weight"),
    Tie("output.bias", "output.bias"),
]
