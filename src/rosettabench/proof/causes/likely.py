"""Find the likely cause of a failed proof: test suspicions, and report only one that fits."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rosettabench.proof.causes.activation import other_activation
from rosettabench.proof.causes.batch import (
    another_batch,
    rearranged_inputs,
    repeated_share,
    rounded_inputs,
    sample_count,
)
from rosettabench.proof.causes.case import UNKNOWN_CAUSE, Case
from rosettabench.proof.causes.devices import not_averaged, not_updated
from rosettabench.proof.causes.forecast import other_parameters, other_windows
from rosettabench.proof.causes.gradient import gradient_scale, missing_rows
from rosettabench.proof.causes.loss import loss_scale
from rosettabench.proof.causes.misdrawn import drawing
from rosettabench.proof.causes.model import (
    dropping,
    evaluation_mode,
    not_alike,
    other_weights,
    random_forward,
    softmax_in_model,
    structure,
)
from rosettabench.proof.causes.pictures import augmenting, no_crop
from rosettabench.proof.causes.precision import half_numbers, half_precision, too_exact
from rosettabench.proof.causes.state import running_average
from rosettabench.proof.causes.update import block_loop, other_optimizer, own_way, rate

BY_QUANTITY: dict[str, tuple[Callable[[Case], Iterator[str]], ...]] = {
    "device gradient": (not_averaged,),
    "device parameter": (not_updated,),
    "batch": (rounded_inputs, rearranged_inputs, repeated_share, another_batch),
    "samples": (sample_count,),
    "learning rate": (rate,),
    "logits": (
        not_alike,
        random_forward,
        softmax_in_model,
        other_parameters,
        other_activation,
        other_weights,
        other_windows,
        half_precision,
        structure,
    ),
    "loss": (loss_scale,),
    "gradient": (gradient_scale, missing_rows, half_numbers),
    "state": (running_average,),
    "parameter": (other_optimizer, half_numbers),
    "update": (other_optimizer, half_numbers),
    "reduced precision": (too_exact,),
    "unguided loss": (own_way,),
    "unguided logits": (own_way,),
    "block parameter": (block_loop,),
    "evaluation logits": (evaluation_mode,),
    "accuracy": (evaluation_mode,),
    "dropout evaluation": (dropping,),
    "dropout repeats": (dropping,),
    "dropout scale": (dropping,),
    "dropout share": (dropping,),
    "dropout together": (dropping,),
    "dropout loss": (dropping,),
    "sampling values": (drawing,),
    "sampling distribution": (drawing,),
    "sampling steps": (drawing,),
    "sampling paths": (drawing,),
    "sampling series": (drawing,),
    "sampling batches": (drawing,),
    "sampling succession": (drawing,),
    "augmentation pictures": (no_crop,),
    "augmentation flips": (augmenting,),
    "augmentation places": (augmenting,),
    "augmentation repeats": (augmenting,),
    "augmentation drawn": (augmenting,),
}
"""First quantity that diverges → the suspicions, the most specific first."""


def likely_cause(case: Case) -> str:
    """Return a sentence that explains the first divergence; UNKNOWN_CAUSE if no suspicion fits."""
    suspicions = BY_QUANTITY.get(case.divergence.quantity, ())
    return next((sentence for suspicion in suspicions for sentence in suspicion(case)), UNKNOWN_CAUSE)
