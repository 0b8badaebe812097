"""MXNet's Adam, with epsilon added as in the paper, and its RMSprop, with epsilon added as in other frameworks."""

from math import sqrt

import mxnet as mx


class Adam(mx.optimizer.Adam):
    """MXNet's own Adam, with arguments that make it compute algorithm 1 of Kingma and Ba (2015).

    MXNet adds epsilon to the root *before* the bias correction ("epsilon hat"). Scaled by sqrt(1 - beta2^t), the same
    epsilon acts after it.
    """

    def update(self, index, weight, grad, state):
        epsilon = self.epsilon
        step = self._index_update_count.get(index, self.begin_num_update) + 1
        self.epsilon = epsilon * sqrt(1 - self.beta2**step)
        super().update(index, weight, grad, state)
        self.epsilon = epsilon


class RMSProp(mx.optimizer.RMSProp):
    """MXNet's own RMSprop, but with epsilon added to the root of the mean square: w - rate·g / (√n + epsilon).

    MXNet takes the root of n + epsilon, in one operation, which no value of epsilon can correct. The operation of its
    Adam can serve instead: with beta1 = 0, and without the bias corrections, which MXNet includes in the rate, it is
    this RMSprop.
    """

    def create_state(self, index, weight):
        return mx.nd.zeros_like(weight), mx.nd.zeros_like(weight)

    def update(self, index, weight, grad, state):
        self._update_count(index)
        gradient, square = state
        constants = {"beta1": 0.0, "beta2": self.gamma1, "epsilon": self.epsilon, "wd": 0.0}
        rate, scale = self._get_lr(index), self.rescale_grad
        mx.nd.adam_update(weight, grad, gradient, square, out=weight, lr=rate, rescale_grad=scale, **constants)
