"""PyTorch's SparseAdam, and its Adam before 1.3, with epsilon where the paper has it; and the two beside each other."""

from math import sqrt

import torch

from rosetta_worker.runtimes.pytorch import RELEASE


class EarlyAdam(torch.optim.Adam):
    """PyTorch's own Adam before 1.3, fed so that its epsilon acts after the bias correction, as it does since then."""

    def step(self, closure=None):
        for group in self.param_groups:
            count = max(self.state[parameter].get("step", 0) for parameter in group["params"]) + 1
            group["given"] = group["eps"]
            group["eps"] *= sqrt(1 - group["betas"][1] ** count)
        super().step(closure)
        for group in self.param_groups:
            group["eps"] = group.pop("given")


def published(optimizer):
    """Return the same optimiser, if it is an Adam as the paper has it, which PyTorch's is since 1.3."""
    if type(optimizer) is torch.optim.Adam and RELEASE < (1, 3):
        return EarlyAdam(optimizer.param_groups)
    return optimizer


class SparseAdam(torch.optim.SparseAdam):
    """PyTorch's own SparseAdam, fed so that its epsilon acts after the bias correction.

    So it is in PyTorch's Adam. SparseAdam adds it to the root *before* the correction ("epsilon hat"); scaled by
    sqrt(1 - beta2^t), the same epsilon acts after it.
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
        super().__init__(adam.param_groups + beside.param_groups, {})  # the groups themselves: a scheduler sees both

    def step(self, closure=None):
        for part in self.parts:
            part.step()


def counting(optimizer):
    """Return the same optimiser; gradient descent counts no updates by itself, and does now, where PyTorch tells it.

    Since 2.0 an optimiser calls hooks behind each of its steps.
    """
    if isinstance(optimizer, torch.optim.SGD) and hasattr(optimizer, "register_step_post_hook"):
        optimizer.updates = 0
        optimizer.register_step_post_hook(count_update)
    return optimizer


def count_update(optimizer, args, kwargs):
    """Count an update that an optimiser has made."""
    optimizer.updates += 1


COUNTING = ("torch.optim", "rosetta_worker")
"""Where the classes lie that count their updates; what an implementation brings itself may count none."""


def updates_of(optimizer):
    """Return how many updates an optimiser has counted; None where it counts none, as gradient descent before 2.0."""
    parts = getattr(optimizer, "parts", [optimizer])
    if isinstance(optimizer, torch.optim.SGD):
        return getattr(optimizer, "updates", None)
    if not all(type(one).__module__.startswith(COUNTING) for one in parts):
        return None
    states = [state for part in parts for state in part.state.values()]
    return int(states[0]["step"]) if states else 0
