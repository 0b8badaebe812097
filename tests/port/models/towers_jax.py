from flax import nnx


class Tower(nnx.Module):
    def __init__(self, number, rngs):
        self.embedding = nnx.Embed(number, 16, rngs=rngs)
        self.hidden = nnx.Linear(16, 32, rngs=rngs)
        self.output = nnx.Linear(32, 8, rngs=rngs)

    def __call__(self, ids):
        return self.output(nnx.relu(self.hidden(self.embedding(ids))))


class Model(nnx.Module):
    def __init__(self, rngs):
        self.user = Tower(100, rngs)
        self.item = Tower(100, rngs)

    def __call__(self, inputs):
        return (self.user(inputs[:, 0]) * self.item(inputs[:, 1])).sum(-1, keepdims=True)
