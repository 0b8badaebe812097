"""cifar-vgg in Chainer."""

from chainer import Chain
from chainer import functions as F
from chainer import links as L
from chainer.optimizers import MomentumSGD

from rosetta_worker.tensors import Tie


class Model(Chain):
    """Images (n, 3, 32, 32) to logits (n, 10)."""

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.conv1 = L.Convolution2D(3, 50, ksize=3, pad=1)
            self.conv2 = L.Convolution2D(50, 50, ksize=3, pad=1)
            self.conv3 = L.Convolution2D(50, 100, ksize=3, pad=1)
            self.conv4 = L.Convolution2D(100, 100, ksize=3, pad=1)
            self.hidden = L.Linear(6400, 512)
            self.output = L.Linear(512, 10)

    def forward(self, images):
        x = F.relu(self.conv1(images))
        x = F.relu(F.max_pooling_2d(self.conv2(x), 2))
        x = F.dropout(x, 0.25)
        x = F.relu(self.conv3(x))
        x = F.relu(F.max_pooling_2d(self.conv4(x), 2))
        x = F.dropout(x, 0.25)
        x = F.relu(self.hidden(x))  # flattens its input, channel by channel
        x = F.dropout(x, 0.5)
        return self.output(x)


def loss(logits, labels):
    return F.softmax_cross_entropy(logits, labels)


def optimizer(model, hyper):
    # v includes the rate: equivalent while the rate is constant
    return MomentumSGD(lr=hyper.learning_rate, momentum=hyper.momentum).setup(model)


TENSORS = [
    Tie("conv1.kernel", "conv1.W"),
    Tie("conv1.bias", "conv1.b"),
    Tie("conv2.kernel", "conv2.W"),
    Tie("conv2.bias", "conv2.b"),
    Tie("conv3.kernel", "conv3.W"),
    Tie("conv3.bias", "conv3.b"),
    Tie("conv4.kernel", "conv4.W"),
    Tie("conv4.bias", "conv4.b"),
    Tie("hidden.kernel", "hidden.W"),
    Tie("hidden.bias", "hidden.b"),
    Tie("output.kernel", "output.W"),
    Tie("output.bias", "output.b"),
]
