"""The reference in PyTorch: a workload's formulas and the optimiser's, written out, in float64.

In float32 it shows how far honest round-off leads: the noise from which the tolerances follow.
"""

import numpy as np
import torch

from rosetta_worker.framework import Framework

DESCRIPTION = {
    "title": "Reference on PyTorch",
    "modes": {"eager": "formulas written out"},
    "mode": "eager",
    "packages": ["torch"],
    "locks": ["pytorch@2.13.0"],
    "reference": True,
}


class Adapter(Framework):
    """Uses of PyTorch only its array operations and its differentiation: no layer, loss or optimiser of its own."""

    def build(self, weights):
        torch.set_num_threads(self.setting.threads)
        self.dtype = getattr(torch, self.setting.precision)
        self.tensors = {
            name: torch.tensor(array, dtype=self.dtype, requires_grad=True) for name, array in weights.items()
        }
        self.first = {name: torch.zeros_like(tensor) for name, tensor in self.tensors.items()}
        self.second = {name: torch.zeros_like(tensor) for name, tensor in self.tensors.items()}
        self.count = 0
        self.known = None

    def parameters(self):
        return {name: self.array(tensor) for name, tensor in self.tensors.items()}

    def load(self, inputs, labels):
        inputs = torch.from_numpy(inputs)
        return inputs.to(self.dtype) if inputs.is_floating_point() else inputs.long(), torch.from_numpy(labels).long()

    def batch(self, dataset, ids):
        inputs, labels = dataset
        return inputs[ids], labels[ids]

    def train(self, dataset, batches):
        total = 0.0
        for ids in batches:
            _, loss, gradients = self.differentiate(dataset, ids)
            self.adam(gradients)
            self.known = None
            total += float(loss)
        return total / len(batches)

    def differentiate(self, dataset, ids):
        """Logits, loss and gradients; those of the same batch at the same weights are kept for the step after them."""
        if self.known and np.array_equal(self.known[0], ids):
            return self.known[1]
        inputs, labels = self.batch(dataset, ids)
        logits = self.implementation.forward(self.tensors, inputs)
        loss = cross_entropy(logits, labels)
        gradients = torch.autograd.grad(loss, list(self.tensors.values()))
        self.known = ids, (logits, loss, dict(zip(self.tensors, gradients)))
        return self.known[1]

    def adam(self, gradients):
        """Kingma and Ba (2015), algorithm 1: epsilon is added to the bias-corrected root.

        The bias corrections are computed in the precision of the weights, too. In float32 that is the largest error of
        the whole step: 1 - 0.999 keeps four digits (Optax and MXNet compute it so, PyTorch in float64).
        """
        hyper = self.setting.optimizer
        beta1, beta2 = torch.tensor([hyper.beta1, hyper.beta2], dtype=self.dtype)
        self.count += 1
        with torch.no_grad():
            for name, g in gradients.items():
                m = self.first[name] = hyper.beta1 * self.first[name] + (1 - hyper.beta1) * g
                v = self.second[name] = hyper.beta2 * self.second[name] + (1 - hyper.beta2) * g * g
                m_hat = m / (1 - beta1**self.count)
                v_hat = v / (1 - beta2**self.count)
                self.tensors[name] -= hyper.learning_rate * m_hat / (torch.sqrt(v_hat) + hyper.epsilon)

    def gradients(self, dataset, ids):
        logits, loss, gradients = self.differentiate(dataset, ids)
        return logits, loss, {name: self.array(gradient) for name, gradient in gradients.items()}

    def evaluate(self, dataset, batches):
        with torch.no_grad():
            return torch.cat(
                [self.implementation.forward(self.tensors, self.batch(dataset, ids)[0]) for ids in batches]
            )

    def synchronize(self):
        """Nothing to wait for: PyTorch computes on the CPU in the calling thread."""

    def array(self, tensor):
        return tensor.detach().numpy().copy()

    def learning_rate(self):
        return self.setting.optimizer.learning_rate

    def settings(self):
        return {
            "threads": torch.get_num_threads(),
            "device": "cpu",
            "precision": self.setting.precision,
            "mode": "eager",
        }


def cross_entropy(logits, labels):
    """Mean over the batch of -log softmax(logits)[label]."""
    shifted = logits - logits.max(1, keepdim=True)[0].detach()
    picked = shifted[torch.arange(len(labels)), labels]
    return (torch.log(torch.exp(shifted).sum(1)) - picked).mean()
