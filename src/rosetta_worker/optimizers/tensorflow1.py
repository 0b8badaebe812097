"""TensorFlow 1's Adam, with epsilon added as in the paper."""

import tensorflow as tf


class Adam(tf.train.AdamOptimizer):
    """TensorFlow's own Adam, with arguments that make it compute algorithm 1 of Kingma and Ba (2015).

    TensorFlow adds epsilon to the root *before* the bias correction ("epsilon hat", as its documentation says). Scaled
    by sqrt(1 - beta2^t), the same epsilon acts after it.
    """

    def _prepare(self):
        super(Adam, self)._prepare()
        _, beta2_power = self._get_beta_accumulators()
        self._epsilon_t *= tf.sqrt(1 - beta2_power)
