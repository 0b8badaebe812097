"""Keras' batch normalisation, with a variance that keeps its digits on every back end."""

from keras import layers, ops


class BatchNormalization(layers.BatchNormalization):
    """Keras' own. The variance is ops.var: that of ops.moments loses digits on PyTorch (docs/findings.md)."""

    def _moments(self, inputs, mask):
        return ops.mean(inputs, self._reduction_axes), ops.var(inputs, self._reduction_axes)
