"""Chainer's Adam, with epsilon added as in the paper."""

from math import sqrt

from chainer import optimizers
from chainer.optimizers.adam import AdamRule


class Adam(optimizers.Adam):
    """Chainer's own Adam, with arguments that make it compute algorithm 1 of Kingma and Ba (2015).

    Chainer adds epsilon to the root *before* the bias correction ("epsilon hat"). Scaled by sqrt(1 - beta2^t), the same
    epsilon acts after it.
    """

    def create_update_rule(self):
        return Rule(self.hyperparam)


class Rule(AdamRule):
    """Adam for one parameter. Its own epsilon overrides the optimiser's, which stays as given."""

    def update_core(self, param):
        given = self.hyperparam.parent
        self.hyperparam.eps = given.eps * sqrt(1 - given.beta2**self.t)
        super(Rule, self).update_core(param)
