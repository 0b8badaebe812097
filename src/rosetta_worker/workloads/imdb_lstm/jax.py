"""imdb-lstm in JAX: Flax NNX and Optax."""

import optax
from flax import nnx
from optax import softmax_cross_entropy_with_integer_labels

from rosetta_worker.tensors import TRANSPOSE, Tie


class Model(nnx.Module):
    """Token ids (n, 500) to logits (n, 2)."""

    def __init__(self, rngs):
        self.embedding = nnx.Embed(5000, 32, rngs=rngs)
        self.lstm = nnx.RNN(nnx.OptimizedLSTMCell(32, 100, rngs=rngs))
        self.output = nnx.Linear(100, 2, rngs=rngs)

    def __call__(self, tokens):
        x = self.embedding(tokens)
        x = self.lstm(x)
        return self.output(x[:, -1])


def loss(logits, labels):
    return softmax_cross_entropy_with_integer_labels(logits, labels).mean()


def optimizer(model, hyper):
    adam = optax.adam(hyper.learning_rate, hyper.beta1, hyper.beta2, hyper.epsilon)
    return nnx.Optimizer(model, adam, wrt=nnx.Param)


TENSORS = [
    Tie("embedding", "embedding.embedding"),
    Tie("lstm.kernel", "lstm.cell.dense_i.kernel", TRANSPOSE),  # gates: input, forget, cell, output, as in the
    Tie("lstm.recurrent_kernel", "lstm.cell.dense_h.kernel", TRANSPOSE),  # canonical form
    Tie("lstm.bias", "lstm.cell.dense_h.bias"),
    Tie("output.kernel", "output.kernel", TRANSPOSE),
    Tie("output.bias", "output.bias"),
]
