"""Replacements for an optimiser or a metric of Keras that only record what they receive."""

import keras
from keras import ops

from rosetta_worker.optimizers.keras import in_parts, summed


class Spectator(keras.optimizers.Optimizer):
    """Replaces an optimiser, and reads one number of each gradient: a graph omits what is never read."""

    def __init__(self):
        super().__init__(learning_rate=0.0)

    def build(self, variables):
        super().build(variables)
        self.seen = self.add_variable((), initializer="zeros", name="seen")

    def apply(self, grads, trainable_variables=None):
        parts = [gradient.values if in_parts(gradient) else gradient for gradient in grads]
        self.seen.assign(sum(part[(0,) * len(part.shape)] for part in parts))


class Gradients(keras.optimizers.Optimizer):
    """Replaces an optimiser, and keeps the gradients instead of applying them."""

    def __init__(self):
        super().__init__(learning_rate=0.0)

    def build(self, variables):
        super().build(variables)
        self.seen = self.add_optimizer_variables(variables, "gradient")

    def update_step(self, gradient, variable, learning_rate):
        self.assign(self.seen[self._get_variable_index(variable)], summed(gradient))

    def gradient_of(self, variable):
        """Return the gradient of one of the model's variables, as an array."""
        return ops.convert_to_numpy(self.seen[self._get_variable_index(variable)])


class Logits(keras.metrics.Metric):
    """Replaces a metric, and keeps the model's outputs."""

    def __init__(self, shape):
        super().__init__()
        self.seen = self.add_variable(shape, "zeros")

    def update_state(self, labels, logits, sample_weight=None):
        self.seen.assign(logits)

    def result(self):
        return ops.max(self.seen)
