"""Keras 2's optimisers, corrected on TensorFlow and on MXNet, and its Adam, corrected everywhere."""

import keras
from keras import backend as K


class Gated(object):
    """A base class for Keras' optimisers: weights are overwritten only after all gradients are computed.

    On TensorFlow nothing defines the order, so that the backward pass through a layer may read weights that the same
    step has changed already (docs/findings.md). The optimisers of tf.train wait in the same way, with `tf.tuple`
    (GATE_GRAPH).
    """

    def get_gradients(self, loss, params):
        gradients = super(Gated, self).get_gradients(loss, params)
        if K.backend() != "tensorflow":
            return gradients
        import tensorflow as tf

        return tf.tuple(gradients)


def counted(iterations, updates):
    """Return TensorFlow's update that counts a step, to run after the others."""
    import tensorflow as tf

    with tf.control_dependencies(updates):
        return tf.assign_add(iterations, 1)


class SGD(Gated, keras.optimizers.SGD):
    """Keras' own."""


class RMSprop(Gated, keras.optimizers.RMSprop):
    """Keras' own."""


class Adam(Gated, keras.optimizers.Adam):
    """Keras' own Adam, with arguments that make it compute algorithm 1 of Kingma and Ba (2015).

    - Keras adds epsilon to the root *before* the bias correction ("epsilon hat"). Scaled by sqrt(1 - beta2^t), the same
      epsilon acts after it.
    - On TensorFlow nothing defines whether t is read before or after it is counted up, either; mostly it is after. Here
      it is counted up after everything else.
    """

    def get_updates(self, loss, params):
        epsilon = self.epsilon
        step = K.cast(self.iterations, K.floatx()) + 1
        self.epsilon = epsilon * K.sqrt(1.0 - K.pow(self.beta_2, step))
        updates = super(Adam, self).get_updates(loss=loss, params=params)
        self.epsilon = epsilon
        return updates if K.backend() != "tensorflow" else [counted(self.iterations, updates[1:])] + updates[1:]


if K.backend() == "mxnet":  # there Keras' optimisers are MXNet's own, and use the corrected updates for MXNet
    from rosetta_worker.optimizers import mxnet

    SGD = keras.optimizers.SGD

    class Adam(keras.optimizers.Adam, mxnet.Adam):
        """Keras' own Adam on MXNet, with the update of `mxnet.Adam`."""

    class RMSprop(keras.optimizers.RMSprop, mxnet.RMSProp):
        """Keras' own RMSprop on MXNet, with the update of `mxnet.RMSProp`: epsilon is added to the root."""
