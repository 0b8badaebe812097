"""MXNet's Adam, with epsilon where the paper has it, and its RMSprop, with epsilon where other frameworks have it."""

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


class RMSProp(mx.optimizer.RMSProp):
    """MXNet's own RMSprop, but with epsilon added to the root of the mean square: w - rate·g / (√n + epsilon).

    MXNet takes the root of n + epsilon, in one operation that no epsilon could make do the other. It is written out.
    """

    def update(self, index, weight, grad, state):
        self._update_count(index)
        grad = self.rescale_grad * grad
        (square,) = state
        square *= self.gamma1
        square += (1 - self.gamma1) * mx.nd.square(grad)
        weight -= self._get_lr(index) * grad / (mx.nd.sqrt(square) + self.epsilon)
