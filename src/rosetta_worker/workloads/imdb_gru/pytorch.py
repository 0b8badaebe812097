"""imdb-gru in PyTorch."""

from torch import nn
from torch.nn import functional as F
from torch.optim import Adam

from rosetta_worker.tensors import Tie


class Model(nn.Module):
    """Token ids (n, 150) to logits (n, 2)."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(30000, 125)
        self.gru = nn.GRU(125, 100, batch_first=True)
        self.output = nn.Linear(100, 2)

    def forward(self, tokens):
        x = self.embedding(tokens)
        x, _ = self.gru(x)
        return self.output(x[:, -1])


def loss(logits, labels):
    return F.cross_entropy(logits, labels)


def optimizer(model, hyper):
    return Adam(model.parameters(), lr=hyper.learning_rate, betas=(hyper.beta1, hyper.beta2), eps=hyper.epsilon)


TENSORS = [
    Tie("embedding", "embedding.weight"),
    Tie("gru.kernel", "gru.weight_ih_l0"),  # gates: reset, update, new, as in the canonical form
    Tie("gru.recurrent_kernel", "gru.weight_hh_l0"),
    Tie("gru.bias", "gru.bias_ih_l0"),
    Tie("gru.recurrent_bias", "gru.bias_hh_l0"),
    Tie("output.kernel", "output.weight"),
    Tie("output.bias", "output.bias"),
]
