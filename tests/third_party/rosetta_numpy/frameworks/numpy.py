"""NumPy: forward and backward written by hand in each implementation, eager by its nature."""

import numpy as np

from rosetta_worker.framework import Framework

DESCRIPTION = {
    "title": "NumPy",
    "modes": {"eager": "op by op"},
    "mode": "eager",
    "packages": ["numpy"],
    "locks": ["numpy@any"],
}


class Adapter(Framework):
    """NumPy on the CPU. It computes in the calling thread: there is never anything to wait for."""

    def build(self, weights):
        self.model = self.implementation.Model()
        self.set_parameters(weights)
        if self.trains:
            self.optimizer = self.implementation.optimizer(self.model, self.setting.optimizer)

    def get(self, own):
        return self.model.tensors[own].copy()

    def set(self, own, array):
        self.model.tensors[own] = array.astype(self.setting.precision)

    def load(self, inputs, labels):
        return inputs, labels

    def batch(self, dataset, ids):
        inputs, labels = dataset
        return inputs[ids], labels[ids]

    def step(self, dataset, ids):
        inputs, labels = self.batch(dataset, ids)
        logits = self.model(inputs)
        loss, slope = self.implementation.loss(logits, labels)
        return logits, loss, self.model.backward(inputs, slope)

    def train(self, dataset, batches):
        total = 0.0
        for ids in batches:
            _, loss, gradients = self.step(dataset, ids)
            self.optimizer.update(gradients)
            total += loss
        return total / len(batches)

    def gradients(self, dataset, ids):
        logits, loss, gradients = self.step(dataset, ids)
        return logits, loss, self.canonical(gradients.__getitem__)

    def evaluate(self, dataset, batches):
        return np.concatenate([self.model(self.batch(dataset, ids)[0]) for ids in batches])

    def infer(self, batches):
        return np.concatenate([self.model(batch) for batch in batches])

    def synchronize(self):
        """Nothing to wait for."""

    def linger(self, size, repeats):
        matrix = np.full((size, size), 1.0 / size)
        product = matrix
        for _ in range(repeats):
            product = product @ matrix
        return product

    def learning_rate(self):
        return self.optimizer.learning_rate

    def settings(self):
        return {"device": "cpu", "precision": str(next(iter(self.model.tensors.values())).dtype), "mode": "eager"}
