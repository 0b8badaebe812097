"""PyTorch's SparseAdam, and its Adam before 1.3, with epsilon added as in the paper; and both in one optimiser."""

from math import sqrt

import torch

from rosetta_worker.runtimes.pytorch import RELEASE


class EarlyAdam(torch.optim.Adam):
    """PyTorch's own Adam before 1.3, changed so that its epsilon acts after the bias correction, as since then."""

    def step(self, closure=None):
        for group in self.param_groups:
            count = max(self.state[parameter].get("step", 0) for parameter in group["params"]) + 1
            group["given"] = group["eps"]
            group["eps"] *= sqrt(1 - group["betas"][1] ** count)
        super().step(closure)
        for group in self.param_groups:
            group["eps"] = group.pop("given")


def published(optimizer):
    """Return the same optimiser if it is an Adam as in the paper, which PyTorch's is since 1.3."""
    if type(optimizer) is torch.optim.Adam and RELEASE < (1, 3):
        return EarlyAdam(optimizer.param_groups)
    return optimizer


class SparseAdam(torch.optim.SparseAdam):
    """PyTorch's own SparseAdam, changed so that its epsilon acts after the bias correction.

    That is the behaviour of PyTorch's Adam. SparseAdam adds epsilon to the root *before* the correction ("epsilon
    hat"). Scaled by sqrt(1 - beta2^t), the same epsilon acts after it.
    """

    def step(self, closure=None):
        for group in self.param_groups:
            count = self.state[group["params"][0]].get("step", 0) + 1
            group["given"] = group["eps"]
            group["eps"] *= sqrt(1 - group["betas"][1] ** count)
        super().step(closure)
        for group in self.param_groups:
            group["eps"] = group.pop("given")


class AdamBesideSparse(torch.optim.Optimizer):
    """An Adam for dense gradients and a SparseAdam for sparse ones, as one optimiser.

    Parameters
    ----------
    adam : torch.optim.Adam
        Holds all parameters in one group; those with sparse gradients are taken out of it.
    sparse : list of torch.nn.Parameter
        The parameters whose gradients are sparse.

    """

    def __init__(self, adam, sparse):
        [group] = adam.param_groups
        others = {id(parameter) for parameter in sparse}
        group["params"] = [parameter for parameter in group["params"] if id(parameter) not in others]
        beside = SparseAdam(sparse, lr=group["lr"], betas=group["betas"], eps=group["eps"])
        self.parts = (adam, beside)
        super().__init__(adam.param_groups + beside.param_groups, {})  # the same groups, for a scheduler

    def step(self, closure=None):
        for part in self.parts:
            part.step()


def counting(optimizer):
    """Return the same optimiser, with a counter of updates if PyTorch supports it, since SGD has none of its own.

    Since 2.0, an optimiser calls hooks after each of its steps.
    """
    if isinstance(optimizer, torch.optim.SGD) and hasattr(optimizer, "register_step_post_hook"):
        optimizer.updates = 0
        optimizer.register_step_post_hook(count_update)
    return optimizer


def count_update(optimizer, args, kwargs):
    """Count an update of an optimiser."""
    optimizer.updates += 1


COUNTING = ("torch.optim", "rosetta_worker")
"""The packages of optimisers that count their updates. An implementation's own optimiser may not."""


def updates_of(optimizer):
    """Return the number of updates that an optimiser has counted; None if it does not count, as SGD before 2.0."""
    parts = getattr(optimizer, "parts", [optimizer])
    if isinstance(optimizer, torch.optim.SGD):
        return getattr(optimizer, "updates", None)
    if not all(type(one).__module__.startswith(COUNTING) for one in parts):
        return None
    states = [state for part in parts for state in part.state.values()]
    return int(states[0]["step"]) if states else 0
