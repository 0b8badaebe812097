"""AdamW for MXNet 1.9, which has the update alone (``contrib.adamw_update``) and no optimiser that calls it."""

from rosetta_worker.optimizers.mxnet import Adam


class AdamW(Adam):
    """MXNet's own Adam beside a weight that shrinks: Loshchilov and Hutter (2019), algorithm 2.

    `wd` times the rate of the step is the share of itself that a weight loses; a parameter's `wd_mult` acts on it.
    """

    def update(self, index, weight, grad, state):
        decay = super()._get_wd(index)
        if decay:
            weight *= 1 - self._get_lr(index) * decay
        super().update(index, weight, grad, state)

    def _get_wd(self, index):
        return 0.0  # nothing is added to the gradient
