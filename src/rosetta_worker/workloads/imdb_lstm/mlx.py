"""imdb-lstm in MLX."""

from mlx import nn
from mlx.optimizers import Adam

from rosetta_worker.tensors import Tie


class Model(nn.Module):
    """Token ids (n, 500) to logits (n, 2)."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(5000, 32)
        self.lstm = nn.LSTM(32, 100)
        self.output = nn.Linear(100, 2)

    def __call__(self, tokens):
        x = self.embedding(tokens)
        x, _ = self.lstm(x)
        return self.output(x[:, -1])


def loss(logits, labels):
    return nn.losses.cross_entropy(logits, labels, reduction="mean")


def optimizer(model, hyper):
    return Adam(hyper.learning_rate, [hyper.beta1, hyper.beta2], hyper.epsilon, bias_correction=True)


TENSORS = [
    Tie("embedding", "embedding.weight"),
    Tie("lstm.kernel", "lstm.Wx"),  # gates: input, forget, cell, output, as in the canonical form
    Tie("lstm.recurrent_kernel", "lstm.Wh"),
    Tie("lstm.bias", "lstm.bias"),
    Tie("output.kernel", "output.weight"),
    Tie("output.bias", "output.bias"),
]
