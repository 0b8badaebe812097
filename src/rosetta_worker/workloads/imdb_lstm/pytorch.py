"""imdb-lstm in PyTorch."""

from torch import nn
from torch.nn import functional as F
from torch.optim import Adam

from rosetta_worker.tensors import Tie


class Model(nn.Module):
    """Token ids (n, 500) to logits (n, 2)."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(5000, 32)
        self.lstm = nn.LSTM(32, 100, batch_first=True)
        nn.init.zeros_(self.lstm.bias_hh_l0).requires_grad_(False)  # only one bias is trained (docs/findings.md)
        self.output = nn.Linear(100, 2)

    def forward(self, tokens):
        x = self.embedding(tokens)
        x, _ = self.lstm(x)
        return self.output(x[:, -1])


def loss(logits, labels):
    return F.cross_entropy(logits, labels)


def optimizer(model, hyper):
    return Adam(model.parameters(), lr=hyper.learning_rate, betas=(hyper.beta1, hyper.beta2), eps=hyper.epsilon)


TENSORS = [
    Tie("embedding", "embedding.weight"),
    Tie("lstm.kernel", "lstm.weight_ih_l0"),  # gates: input, forget, cell, output, as in the canonical form
    Tie("lstm.recurrent_kernel", "lstm.weight_hh_l0"),
    Tie("lstm.bias", "lstm.bias_ih_l0"),
    Tie("output.kernel", "output.weight"),
    Tie("output.bias", "output.bias"),
]
