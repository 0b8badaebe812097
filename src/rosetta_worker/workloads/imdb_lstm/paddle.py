"""imdb-lstm in PaddlePaddle."""

from paddle import ParamAttr, nn
from paddle.nn import functional as F
from paddle.nn.initializer import Constant
from paddle.optimizer import Adam

from rosetta_worker.tensors import TRANSPOSE, Tie


class Model(nn.Layer):
    """Token ids (n, 500) to logits (n, 2)."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(5000, 32)
        zero = ParamAttr(initializer=Constant(0.0), learning_rate=0.0)  # not trainable=False (docs/findings.md)
        self.lstm = nn.LSTM(32, 100, bias_hh_attr=zero)  # only one bias is trained (docs/findings.md)
        self.output = nn.Linear(100, 2)

    def forward(self, tokens):
        x = self.embedding(tokens)
        x, _ = self.lstm(x)
        return self.output(x[:, -1])


def loss(logits, labels):
    return F.cross_entropy(logits, labels)


def optimizer(model, hyper):
    return Adam(hyper.learning_rate, hyper.beta1, hyper.beta2, hyper.epsilon, model.parameters())


TENSORS = [
    Tie("embedding", "embedding.weight"),
    Tie("lstm.kernel", "lstm.weight_ih_l0"),  # gates: input, forget, cell, output, as in the canonical form
    Tie("lstm.recurrent_kernel", "lstm.weight_hh_l0"),
    Tie("lstm.bias", "lstm.bias_ih_l0"),
    Tie("output.kernel", "output.weight", TRANSPOSE),
    Tie("output.bias", "output.bias"),
]
