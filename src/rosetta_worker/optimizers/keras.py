"""Keras' Adam, corrected in three places, its RMSprop, corrected in one, and helpers for its optimisers."""

import keras
from keras import ops


def shipped(optimizer):
    """Return Keras' variant of an optimiser's class: on PyTorch, one that updates all parameters at once.

    No complete optimiser is made to find out: its variables would start TensorFlow before its threads are set.
    """
    return type(optimizer.__new__(optimizer))


class Adam(shipped(keras.optimizers.Adam)):
    """Keras' own Adam, with arguments that make it compute algorithm 1 of Kingma and Ba (2015).

    - Keras adds epsilon to the root *before* the bias correction ("epsilon hat"). Scaled by sqrt(1 - beta2^t), the same
      epsilon acts after it.
    - On TensorFlow an embedding's gradient contains an id once for each time that it occurs in the batch. Keras 3
      squares these parts separately: its second moment is a sum of squares instead of the square of the sum. Here the
      parts are summed up before the gradient is squared.
    - Keras' weight decay is decoupled, like that of AdamW. `penalty` times the weight is added to the gradient instead.
    """

    def __init__(self, *args, penalty=0.0, **kwargs):
        super().__init__(*args, **kwargs)
        self.penalty = penalty

    def apply(self, grads, trainable_variables=None):
        epsilon = self.epsilon
        step = ops.cast(self.iterations + 1, "float32")
        self.epsilon = epsilon * ops.sqrt(1 - ops.power(self.beta_2, step))
        grads = [summed(gradient) for gradient in grads]
        if self.penalty:
            grads = [gradient + self.penalty * one for gradient, one in zip(grads, trainable_variables)]
        super().apply(grads, trainable_variables)
        self.epsilon = epsilon


class RMSprop(shipped(keras.optimizers.RMSprop)):
    """Keras' own RMSprop, but with epsilon added to the root of the mean square: w - rate·g / (√v + epsilon).

    Keras 3 takes the root of v + epsilon, where Keras 2 added epsilon to the root. No value of epsilon makes the two
    equal, so the update is written out in Keras' form: variable by variable, and on PyTorch for all at once.
    """

    def update_step(self, gradient, variable, learning_rate):
        square = self._velocities[self._get_variable_index(variable)]
        self.assign(square, self.rho * square + (1 - self.rho) * ops.square(gradient))
        self.assign_sub(variable, learning_rate * gradient / (ops.sqrt(square) + self.epsilon))

    def _parallel_update_step(self, grads, variables, learning_rate):
        import torch  # only this back end needs it

        squares = [self._velocities[self._get_variable_index(variable)].value for variable in variables]
        torch._foreach_mul_(squares, self.rho)
        torch._foreach_addcmul_(squares, grads, grads, value=1 - self.rho)
        roots = torch._foreach_sqrt(squares)
        torch._foreach_add_(roots, self.epsilon)
        steps = torch._foreach_mul(grads, ops.convert_to_tensor(learning_rate))
        torch._foreach_addcdiv_([variable.value for variable in variables], steps, roots, value=-1)


def in_parts(gradient):
    """Return whether a gradient holds only the rows of used ids: TensorFlow's tf.IndexedSlices."""
    return type(gradient).__name__ == "IndexedSlices"


def summed(gradient):
    """Return a gradient as one dense tensor, with the parts of a repeated id summed up."""
    if not in_parts(gradient):
        return gradient
    import tensorflow  # only this back end has gradients in parts

    return tensorflow.convert_to_tensor(gradient)


def start_afresh(optimizer, new, variables):
    """Give `optimizer` the state of `new`, one of the same kind for the same `variables`.

    The new one itself would have to be compiled again.
    """
    new.build(variables)
    for variable, fresh in zip(optimizer.variables, new.variables):
        variable.assign(fresh)
