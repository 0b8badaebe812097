"""Chainer's Adam, with epsilon where the paper has it."""

from math import sqrt

from chainer import optimizers
from chainer.optimizers.adam import AdamRule


class Adam(optimizers.Adam):
    """Chainer's own Adam, fed so that it computes algorithm 1 of Kingma and Ba (2015).

    Chainer adds epsilon to the root *before* the bias correction ("epsilon hat"). Scaled by sqrt(1 - beta2^t), the same
    epsilon acts after it.
    """

    def create_update_rule(self):
        return Rule(self.hyperparam)


class Rule(AdamRule):
    """Adam for one parameter: its own epsilon hides the optimiser's, which stays as it was given."""

    def update_core(self, param):
        given = self.hyperparam.parent
        self.hyperparam.eps = given.eps * sqrt(1 - given.beta2**self.t)
        super(Rule, self).update_core(param)
