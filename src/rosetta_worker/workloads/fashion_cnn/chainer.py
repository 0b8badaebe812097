"""fashion-cnn in Chainer."""

from chainer import Chain
from chainer import functions as F
from chainer import links as L

from rosetta_worker.optimizers.chainer import Adam
from rosetta_worker.tensors import Tie


class Model(Chain):
    """Images (n, 1, 28, 28) to logits (n, 10)."""

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.conv1 = L.Convolution2D(1, 64, ksize=3)
            self.conv2 = L.Convolution2D(64, 32, ksize=3)
            self.output = L.Linear(18432, 10)

    def forward(self, images):
        x = F.relu(self.conv1(images))
        x = F.relu(self.conv2(x))
        return self.output(x)  # flattens its input, channel by channel


def loss(logits, labels):
    return F.softmax_cross_entropy(logits, labels)


def optimizer(model, hyper):
    return Adam(alpha=hyper.learning_rate, beta1=hyper.beta1, beta2=hyper.beta2, eps=hyper.epsilon).setup(model)


TENSORS = [
    Tie("conv1.kernel", "conv1.W"),
    Tie("conv1.bias", "conv1.b"),
    Tie("conv2.kernel", "conv2.W"),
    Tie("conv2.bias", "conv2.b"),
    Tie("output.kernel", "output.W"),
    Tie("output.bias", "output.b"),
]
