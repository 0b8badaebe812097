"""fashion-mlp in PaddlePaddle."""

from paddle import nn
from paddle.nn import functional as F
from paddle.optimizer import Adam

from rosetta_worker.tensors import TRANSPOSE, Tie


class Model(nn.Layer):
    """Images (n, 784) to logits (n, 10)."""

    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(784, 128)
        self.output = nn.Linear(128, 10)

    def forward(self, images):
        x = F.relu(self.hidden(images))
        return self.output(x)


def loss(logits, labels):
    return F.cross_entropy(logits, labels)


def optimizer(model, hyper):
    return Adam(hyper.learning_rate, hyper.beta1, hyper.beta2, hyper.epsilon, model.parameters())


TENSORS = [
    Tie("hidden.kernel", "hidden.weight", TRANSPOSE),
    Tie("hidden.bias", "hidden.bias"),
    Tie("output.kernel", "output.weight", TRANSPOSE),
    Tie("output.bias", "output.bias"),
]
