"""A recommender of two towers."""

from torch import nn


class Tower(nn.Module):
    def __init__(self, number):
        super().__init__()
        self.embedding = nn.Embedding(number, 16)
        self.hidden = nn.Linear(16, 32)
        self.output = nn.Linear(32, 8)

    def forward(self, ids):
        return self.output(self.hidden(self.embedding(ids)).relu())


class TwoTowers(nn.Module):
    def __init__(self):
        super().__init__()
        self.user = Tower(100)
        self.item = Tower(100)

    def forward(self, user, item):
        return (self.user(user) * self.item(item)).sum(-1, keepdim=True)
