"""Lasagne's Adam, with epsilon added as in the paper."""

import lasagne
import numpy as np
import theano
from theano import tensor


def adam(gradients, parameters, learning_rate, beta1, beta2, epsilon):
    """Return the updates of Lasagne's own Adam, changed to compute algorithm 1 of Kingma and Ba (2015).

    Lasagne adds epsilon to the root *before* the bias correction ("epsilon hat"). Scaled by sqrt(1 - beta2^t), the same
    epsilon acts after it.
    """
    before = theano.shared(np.float32(0))
    step = before + 1
    hat = epsilon * tensor.sqrt(1 - beta2**step)
    updates = lasagne.updates.adam(gradients, parameters, learning_rate, beta1, beta2, hat)
    updates[before] = step
    return updates
