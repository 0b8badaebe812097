"""fashion-mlp in NumPy."""

import numpy as np

from rosetta_worker.tensors import Tie


class Model(object):
    """Images (n, 784) to logits (n, 10)."""

    def __init__(self):
        self.tensors = {}

    def __call__(self, images):
        self.sum = images @ self.tensors["hidden_kernel"].T + self.tensors["hidden_bias"]
        self.hidden = self.sum * (self.sum > 0)
        return self.hidden @ self.tensors["output_kernel"].T + self.tensors["output_bias"]

    def backward(self, images, slope):
        """Return the gradients for the loss's slope by the logits, (n, 10)."""
        behind = (slope @ self.tensors["output_kernel"]) * (self.sum > 0)
        return {
            "hidden_kernel": behind.T @ images,
            "hidden_bias": behind.sum(0),
            "output_kernel": slope.T @ self.hidden,
            "output_bias": slope.sum(0),
        }


def loss(logits, labels):
    rows = np.arange(len(labels))
    shares = np.exp(logits - logits.max(1, keepdims=True))
    shares /= shares.sum(1, keepdims=True)
    value = -np.log(shares[rows, labels]).mean()
    shares[rows, labels] -= 1
    return value, shares / np.float32(len(labels))


def optimizer(model, hyper):
    return Adam(model, hyper)


TENSORS = [
    Tie("hidden.kernel", "hidden_kernel"),
    Tie("hidden.bias", "hidden_bias"),
    Tie("output.kernel", "output_kernel"),
    Tie("output.bias", "output_bias"),
]


class Adam(object):
    """Kingma and Ba (2015), algorithm 1."""

    def __init__(self, model, hyper):
        self.model, self.hyper, self.count = model, hyper, 0
        self.learning_rate = hyper.learning_rate
        self.moments = {name: (np.zeros_like(value), np.zeros_like(value)) for name, value in model.tensors.items()}

    def update(self, gradients):
        hyper, tensors = self.hyper, self.model.tensors
        self.count += 1
        for name, g in gradients.items():
            m, v = self.moments[name]
            m += (1 - hyper.beta1) * (g - m)
            v += (1 - hyper.beta2) * (g * g - v)
            root = np.sqrt(v / (1 - hyper.beta2**self.count)) + hyper.epsilon
            tensors[name] -= hyper.learning_rate * (m / (1 - hyper.beta1**self.count)) / root
