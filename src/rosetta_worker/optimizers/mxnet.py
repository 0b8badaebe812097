"""MXNet's Adam, with epsilon where the paper has it."""

from math import sqrt

import mxnet as mx


class Adam(mx.optimizer.Adam):
    """MXNet's own Adam, fed so that it computes algorithm 1 of Kingma and Ba (2015).

    MXNet adds epsilon to the root *before* the bias correction ("epsilon hat"). Scaled by sqrt(1 - beta2^t), the same
    epsilon acts after it.
    """

    def update(self, index, weight, grad, state):
        epsilon = self.epsilon
        step = self._index_update_count.get(index, self.begin_num_update) + 1
        self.epsilon = epsilon * sqrt(1 - self.beta2**step)
        super().update(index, weight, grad, state)
        self.epsilon = epsilon
