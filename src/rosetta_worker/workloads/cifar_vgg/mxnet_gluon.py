"""cifar-vgg in MXNet Gluon."""

from mxnet import gluon, nd
from mxnet.gluon import nn
from mxnet.optimizer import SGD

from rosetta_worker.tensors import Tie


class Model(gluon.HybridBlock):
    """Images (n, 3, 32, 32) to logits (n, 10)."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2D(50, kernel_size=3, padding=1, in_channels=3)
        self.conv2 = nn.Conv2D(50, kernel_size=3, padding=1, in_channels=50)
        self.dropout1 = nn.Dropout(0.25)
        self.conv3 = nn.Conv2D(100, kernel_size=3, padding=1, in_channels=50)
        self.conv4 = nn.Conv2D(100, kernel_size=3, padding=1, in_channels=100)
        self.dropout2 = nn.Dropout(0.25)
        self.pool = nn.MaxPool2D(2)
        self.hidden = nn.Dense(512, in_units=6400)
        self.dropout3 = nn.Dropout(0.5)
        self.output = nn.Dense(10, in_units=512)

    def hybrid_forward(self, F, images):
        # Not F.relu: after a convolution it makes oneDNN convert the layout back (docs/explanation/measurement.md).
        x = F.Activation(self.conv1(images), act_type="relu")
        x = F.Activation(self.pool(self.conv2(x)), act_type="relu")
        x = self.dropout1(x)
        x = F.Activation(self.conv3(x), act_type="relu")
        x = F.Activation(self.pool(self.conv4(x)), act_type="relu")
        x = self.dropout2(x)
        x = F.flatten(x)
        x = F.Activation(self.hidden(x), act_type="relu")
        x = self.dropout3(x)
        return self.output(x)


def loss(logits, labels):
    # Not gluon.loss.SoftmaxCrossEntropyLoss: on the CPU its log_softmax is inexact (docs/findings.md).
    return nd.softmax_cross_entropy(logits, labels) / len(logits)


def optimizer(model, hyper):
    sgd = SGD(learning_rate=hyper.learning_rate, momentum=hyper.momentum)
    return gluon.Trainer(model.collect_params(), sgd)


TENSORS = [
    Tie("conv1.kernel", "conv1.weight"),
    Tie("conv1.bias", "conv1.bias"),
    Tie("conv2.kernel", "conv2.weight"),
    Tie("conv2.bias", "conv2.bias"),
    Tie("conv3.kernel", "conv3.weight"),
    Tie("conv3.bias", "conv3.bias"),
    Tie("conv4.kernel", "conv4.weight"),
    Tie("conv4.bias", "conv4.bias"),
    Tie("hidden.kernel", "hidden.weight"),
    Tie("hidden.bias", "hidden.bias"),
    Tie("output.kernel", "output.weight"),
    Tie("output.bias", "output.bias"),
]
