"""Floating-point operations of a workload, counted from its statement alone: no framework is asked.

Only products are counted: matrix products and convolutions. A multiplication and an addition are two operations, as in
the literature on rooflines (Williams, Waterman and Patterson, "Roofline: an insightful visual performance model for
multicore architectures", Communications of the ACM 52(4), 2009). Activations, softmax, pooling, biases, embedding
look-ups and the optimiser are not counted. docs/explanation/ceilings.md gives the formulas.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from rosettabench.catalogue.workload import Attention, Product, Tensor, Workload


@dataclass(frozen=True)
class Operations:
    """Floating-point operations of the products for one sample: forward, weight gradients, input gradients."""

    forward: int
    by_weights: int
    by_inputs: int

    @property
    def training(self) -> int:
        """The operations of a training step, per sample."""
        return self.forward + self.by_weights + self.by_inputs


def operations_of_step(workload: Workload) -> int | None:
    """Return the operations per sample of a workload's step, training or forward pass; None if they are not stated."""
    counted = operations(workload)
    if counted is None:
        return None
    return counted.training if workload.inference is None else counted.forward


def operations(workload: Workload) -> Operations | None:
    """Return the operations of a workload for one sample; None if its statement has no section `operations`."""
    if not workload.operations:
        return None
    tensors = {tensor.name: tensor for tensor in workload.tensors}
    counts = [count(tensors[name], product) for name, product in workload.operations.items()]
    counts += [count_attention(workload.attention)] if workload.attention else []
    return Operations(
        sum(one.forward for one in counts), sum(one.by_weights for one in counts), sum(one.by_inputs for one in counts)
    )


def count(tensor: Tensor, product: Product) -> Operations:
    """Return the operations of the products with one tensor, for one sample.

    At each position every element of the tensor is multiplied once, and the result added. Each of the two gradients
    multiplies the same pairs in another grouping, so it has as many operations. No gradient is computed for the data,
    nor for the initial state of a recurrence.
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
    forward = attention.layers * 2 * 2 * attention.products * attention.width
    return Operations(forward, 0, 2 * forward)
