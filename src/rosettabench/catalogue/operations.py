"""Floating-point operations of a workload, counted from its statement: no framework is asked, and none can be wrong.

Counted are the products (matrix products and convolutions), a multiplication and an addition as two operations, as the
literature on rooflines does (Williams, Waterman and Patterson, "Roofline: an insightful visual performance model for
multicore architectures", Communications of the ACM 52(4), 2009). Everything else is left out: activations, softmax,
pooling, biases, gathering from an embedding, the optimiser. docs/explanation/ceilings.md gives the formulas.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from rosettabench.catalogue.workload import Attention, Product, Tensor, Workload


@dataclass(frozen=True)
class Operations:
    """Floating-point operations of the products for one sample: forward, gradient by weights, gradient by inputs."""

    forward: int
    by_weights: int
    by_inputs: int

    @property
    def training(self) -> int:
        """Operations of one sample's share of a training step."""
        return self.forward + self.by_weights + self.by_inputs


def operations_of_step(workload: Workload) -> int | None:
    """Return the operations of one sample's share of what a block does: a training step, or the forward pass alone."""
    counted = operations(workload)
    if counted is None:
        return None
    return counted.training if workload.inference is None else counted.forward


def operations(workload: Workload) -> Operations | None:
    """Return the operations of a workload for one sample; None where its statement has no section `operations`."""
    if not workload.operations:
        return None
    tensors = {tensor.name: tensor for tensor in workload.tensors}
    counts = [count(tensors[name], product) for name, product in workload.operations.items()]
    counts += [count_attention(workload.attention)] if workload.attention else []
    return Operations(
        sum(one.forward for one in counts), sum(one.by_weights for one in counts), sum(one.by_inputs for one in counts)
    )


def count(tensor: Tensor, product: Product) -> Operations:
    """Return the operations of the products with one tensor.

    In each position every number of the tensor is multiplied once and the result added. Both gradients consist of the
    same pairs as the forward product, grouped otherwise, so each has as many; but nobody differentiates by the data,
    nor by the state that a recurrence begins with.
    """
    if product.kind == "embedding":
        return Operations(0, 0, 0)
    positions = prod(product.positions)
    once = 2 * prod(tensor.shape)
    differentiated = 0 if product.first else positions - (product.kind == "recurrent")
    return Operations(positions * once, positions * once, differentiated * once)


def count_attention(attention: Attention) -> Operations:
    """Return the operations of attention's two products: scores from queries and keys, results from shares and values.

    Both gradients of each are products of the same size. All pairs of tokens count, those behind a mask as well: that
    is what most libraries compute.
    """
    forward = attention.layers * 2 * 2 * attention.tokens**2 * attention.width
    return Operations(forward, 0, 2 * forward)
