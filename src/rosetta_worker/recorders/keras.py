"""Keras: its layers are recorded."""

from rosetta_worker.frameworks import keras
from rosetta_worker.recorders.keras_layers import recorded


class Adapter(keras.Adapter):
    """Keras' adapter that records the layers."""

    def gradients(self, dataset, ids):
        logits, loss, _ = keras.Adapter.gradients(self, dataset, ids)
        return logits, loss, recorded(self.model, self.implementation, self.batch(dataset, ids)[0])
