"""TensorFlow: its models are made of Keras' layers, which are recorded."""

from rosetta_worker.frameworks import tensorflow
from rosetta_worker.recorders.keras_layers import recorded


class Adapter(tensorflow.Adapter):
    """TensorFlow's adapter that records the layers."""

    def gradients(self, dataset, ids):
        logits, loss, _ = tensorflow.Adapter.gradients(self, dataset, ids)
        return logits, loss, recorded(self.model, self.implementation, self.batch(dataset, ids)[0])
