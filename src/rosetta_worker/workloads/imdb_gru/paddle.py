"""imdb-gru in PaddlePaddle."""

from paddle import nn
from paddle.nn import functional as F
from paddle.optimizer import Adam

from rosetta_worker.tensors import TRANSPOSE, Tie


class Model(nn.Layer):
    """Token ids (n, 150) to logits (n, 2)."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(30000, 125)
        self.gru = nn.GRU(125, 100)
        self.output = nn.Linear(100, 2)

    def forward(self, tokens):
        x = self.embedding(tokens)
        x, _ = self.gru(x)
        return self.output(x[:, -1])


def loss(logits, labels):
    return F.cross_entropy(logits, labels)


def optimizer(model, hyper):
    return Adam(hyper.learning_rate, hyper.beta1, hyper.beta2, hyper.epsilon, model.parameters())


TENSORS = [
    Tie("embedding", "embedding.weight"),
    Tie("gru.kernel", "gru.weight_ih_l0"),  # gates: reset, update, new, as in the canonical form
    Tie("gru.recurrent_kernel", "gru.weight_hh_l0"),
    Tie("gru.bias", "gru.bias_ih_l0"),
    Tie("gru.recurrent_bias", "gru.bias_hh_l0"),
    Tie("output.kernel", "output.weight", TRANSPOSE),
    Tie("output.bias", "output.bias"),
]
