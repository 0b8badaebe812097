"""imdb-gru in MLX."""

import mlx.core as mx
from mlx import nn
from mlx.optimizers import Adam

from rosetta_worker.tensors import Tie, split


class Model(nn.Module):
    """Token ids (n, 150) to logits (n, 2)."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(30000, 125)
        self.gru = GRU(125, 100)
        self.output = nn.Linear(100, 2)

    def __call__(self, tokens):
        x = self.embedding(tokens)
        x = self.gru(x)
        return self.output(x[:, -1])


class GRU(nn.GRU):
    """MLX's own GRU, which has a recurrent bias in its new gate alone, with one in the others, too."""

    def __init__(self, input_size, hidden_size):
        super().__init__(input_size, hidden_size)
        self.bhrz = mx.zeros([2 * hidden_size])

    def __call__(self, x):
        own = self.b
        self.b = own + mx.pad(self.bhrz, (0, self.hidden_size))
        states = super().__call__(x)
        self.b = own
        return states


def loss(logits, labels):
    return nn.losses.cross_entropy(logits, labels, reduction="mean")


def optimizer(model, hyper):
    return Adam(hyper.learning_rate, [hyper.beta1, hyper.beta2], hyper.epsilon, bias_correction=True)


TENSORS = [
    Tie("embedding", "embedding.weight"),
    Tie("gru.kernel", "gru.Wx"),  # gates: reset, update, new, as in the canonical form
    Tie("gru.recurrent_kernel", "gru.Wh"),
    Tie("gru.bias", "gru.b"),
    Tie("gru.recurrent_bias", "gru.bhrz gru.bhn", split([200])),
    Tie("output.kernel", "output.weight"),
    Tie("output.bias", "output.bias"),
]
