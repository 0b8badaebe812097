"""NumPy alone, for `rosetta peak`: the rates of this machine's ordinary BLAS, without any framework."""

import numpy as np

from rosetta_worker.framework import Framework


class Adapter(Framework):
    """An adapter that holds no model and trains nothing."""

    def build(self, weights):
        """Do nothing: NumPy reads the number of its threads from the environment."""

    def synchronize(self):
        """Do nothing: NumPy computes in the calling thread."""

    def product(self, matrix, precision):
        if precision not in ("float32", "float64"):
            raise NotImplementedError("NumPy multiplies no %s" % precision)
        right = matrix.astype(precision)

        def multiply(times):
            left = right
            for _ in range(times):
                left = left @ right
            return left

        return multiply

    def copies(self, array):
        target = np.empty_like(array)

        def copy(times):
            for _ in range(times):
                np.copyto(target, array)
            return target

        return {"memory": copy}
