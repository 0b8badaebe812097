"""fashion-mlp in Chainer."""

from chainer import Chain
from chainer import functions as F
from chainer import links as L

from rosetta_worker.optimizers.chainer import Adam
from rosetta_worker.tensors import Tie


class Model(Chain):
    """Images (n, 784) to logits (n, 10)."""

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.hidden = L.Linear(784, 128)
            self.output = L.Linear(128, 10)

    def forward(self, images):
        x = F.relu(self.hidden(images))
        return self.output(x)


def loss(logits, labels):
    return F.softmax_cross_entropy(logits, labels)


def optimizer(model, hyper):
    return Adam(alpha=hyper.learning_rate, beta1=hyper.beta1, beta2=hyper.beta2, eps=hyper.epsilon).setup(model)


TENSORS = [
    Tie("hidden.kernel", "hidden.W"),
    Tie("hidden.bias", "hidden.b"),
    Tie("output.kernel", "output.W"),
    Tie("output.bias", "output.b"),
]
