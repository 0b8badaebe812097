"""The likely cause of a failed proof: suspicions that can be tested are tested, and only what fits is said."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import permutations
from math import isclose, isqrt
from typing import Any

import numpy as np

from rosettabench.catalogue.workload import Normalisation, Optimizer
from rosettabench.proof.augmentation import Seen, crops_like
from rosettabench.proof.comparison import Deviation, canonical_form, relative
from rosettabench.proof.forecast import forecast_loss, other_parameters, other_windows
from rosettabench.proof.misdrawn import Suspect, misdrawn
from rosettabench.proof.optimizers import CLIPPINGS, TRAJECTORIES, clipped, given, suspects
from rosettabench.proof.reference import Reference
from rosettabench.proof.tolerance import MIXED
from rosettabench.proof.updates import OwnUpdates
from rosettabench.proof.walk import Array, Files, Walked, read
from rosettabench.proof.weights import Weights

FITS = 1e-3
"""A suspicion fits when it explains the contender's numbers to this relative deviation: a thousand times float32
round-off, and a hundred times less than the mistakes that it tells apart."""

ALIKE = 1.5
"""How many times as far off as the best one another suspicion may be and still be as good: both leave round-off."""


@dataclass(frozen=True)
class Case:
    """What there is to go by: the first divergence, the contender's step, the reference, and the same batch once more.

    `again` returns the contender's logits of one batch, computed anew at each call. Of the tensors `lazy` only the rows
    that a batch names are updated. `own` is there where the update was held against the contender's own gradients.
    """

    divergence: Deviation
    found: Walked | None
    reference: Reference
    optimizer: Optimizer
    again: Callable[[], Array]
    normalisation: Normalisation | None = None
    lazy: tuple[str, ...] = ()
    own: OwnUpdates | None = None
    seen: Seen | None = None
    drawn: Suspect | None = None

    @property
    def exact(self) -> Walked:
        """The reference's step."""
        return self.reference.steps[self.divergence.step or 0]

    @property
    def fits(self) -> float:
        """FITS; in mixed precision, how far off a gradient may be."""
        return MIXED[self.own.precision]["gradient"] if self.own else FITS

    def weights(self) -> Weights:
        """The reference's parameters before this step."""
        step = self.divergence.step or 0
        files = self.reference.start if step == 0 else self.reference.steps[step - 1].parameters
        return {name: np.array(read(files, name)) for name in self.reference.start}


def likely_cause(case: Case) -> str | None:
    """Return a sentence on what explains the first divergence, or None where no suspicion fits."""
    suspicions = BY_QUANTITY.get(case.divergence.quantity, ())
    return next((sentence for suspicion in suspicions for sentence in suspicion(case)), None)


def numbers(case: Case, name: str) -> tuple[Array, Array]:
    """Return the contender's array and the reference's: a gradient, or ``logits``."""
    assert case.found is not None
    return read(case.found.gradients, name), read(case.exact.gradients, name)


# -- the batch ------------------------------------------------------------------------------------------------------


def rounded_inputs(case: Case) -> Iterator[str]:
    """Inputs that went through half precision on their way."""
    assert case.found is not None
    exact = read(case.exact.batch, "inputs")
    found = canonical_form(read(case.found.batch, "inputs"), exact)
    if found.shape == exact.shape and np.array_equal(found, exact.astype(np.float16)):
        yield "the inputs are rounded to float16"


def rearranged_inputs(case: Case) -> Iterator[str]:
    """The right samples, each with its values in another order."""
    assert case.found is not None
    exact = read(case.exact.batch, "inputs")
    found = canonical_form(read(case.found.batch, "inputs"), exact)
    if found.shape == exact.shape and np.array_equal(np.sort(found, axis=-1), np.sort(exact, axis=-1)):
        yield "the samples are right, and the values within them in another order: padded at the other end, or mirrored"


def another_batch(case: Case) -> Iterator[str]:
    """The batch of another step, or none of them."""
    assert case.found is not None
    found = read(case.found.batch, "labels")
    for step in case.reference.steps:
        if np.array_equal(found, read(step.batch, "labels")) and step.step != case.found.step:
            yield f"step {case.found.step} was fed the batch of step {step.step}: batches are repeated or out of order"
    yield "the samples are not those of the project's order: unshuffled, or shuffled by the framework itself"


# -- the forward pass -----------------------------------------------------------------------------------------------


def softmax_in_model(case: Case) -> Iterator[str]:
    """Probabilities where logits are due."""
    found, exact = numbers(case, "logits")
    if found.shape == exact.shape and relative(found, softmax(exact)) < case.fits:
        yield "the model ends in a softmax, and the loss applies it again: it must return logits"


def random_forward(case: Case) -> Iterator[str]:
    """Two passes over one batch that differ."""
    first, second = case.again(), case.again()
    if relative(first, second) > FITS:
        yield "two passes over the same batch differ: dropout, or another random layer, is active"


def other_weights(case: Case) -> Iterator[str]:
    """The reference under rearranged weights says what the contender says: the ties, or the layer, rearrange them."""
    found, _ = numbers(case, "logits")
    weights = case.weights()
    for sentence, changed in rearrangements(weights):
        if relative(found, case.reference.logits(case.divergence.step or 0, weights | changed)) < FITS:
            yield sentence


def rearrangements(weights: Weights) -> Iterator[tuple[str, Weights]]:
    """Yield ways in which weights get mixed up: gates, biases, flipped kernels, flatten order, biases left out."""
    for layer in GATES:
        yield from gate_orders(weights, layer)
    yield from lstm_biases(weights)
    kernels = {name: array for name, array in weights.items() if array.ndim == 4}
    if kernels:
        flipped = {name: array[:, :, ::-1, ::-1] for name, array in kernels.items()}
        yield "the convolution kernels are flipped: true convolution where cross-correlation is meant", flipped
        yield from flatten_orders(weights, list(kernels.values())[-1].shape[0])
    for name, array in weights.items():
        if name.endswith("bias") and array.any():
            yield f"the bias {name} is missing from the model", {name: np.zeros_like(array)}


GATES = {"gru": "reset update new", "lstm": "input forget cell output"}
"""The canonical order of gates, by the recurrent layer's name."""


def kind_of_layer(name: str) -> str:
    """Return what layer a tensor belongs to, by its name, whichever of several it is: ``lstm`` of lstm2.kernel."""
    return name.partition(".")[0].rstrip("0123456789")


LSTM_ORDERS = ((0, 1, 3, 2), (0, 2, 1, 3), (0, 3, 1, 2), (1, 0, 2, 3))
"""Orders of other libraries, as places in the canonical one: Chainer's, TensorFlow 1's, ONNX's, and one slip. The
reference is run for each, so that all 23 would take too long."""


def gate_orders(weights: Weights, layer: str) -> Iterator[tuple[str, Weights]]:
    """Yield the weights of a recurrent layer with their gates in another order."""
    gated = [name for name in weights if kind_of_layer(name) == layer]
    canonical = GATES[layer].split()
    orders = LSTM_ORDERS if layer == "lstm" else list(permutations(range(3)))[1:]
    for order in orders if gated else ():
        names = " ".join(canonical[gate] for gate in order)
        yield (
            f"the gates of the {layer.upper()} are in the order {names}; canonical is {GATES[layer]}",
            {name: np.concatenate([np.split(weights[name], len(order))[gate] for gate in order]) for name in gated},
        )


def lstm_biases(weights: Weights) -> Iterator[tuple[str, Weights]]:
    """Yield what frameworks do to an LSTM's bias: one more for the forget gate, and a second bias beside it."""
    bias = weights.get("lstm.bias")
    if bias is None:
        return
    enter, forget, cell, output = np.split(bias, 4)
    opened = np.concatenate([enter, forget + 1, cell, output])
    yield "the forget gate has a bias of 1 on top: it must start at 0", {"lstm.bias": opened}
    yield "the LSTM trains two biases where the workload has one: their sum moves twice as far", {"lstm.bias": 2 * bias}


def flatten_orders(weights: Weights, channels: int) -> Iterator[tuple[str, Weights]]:
    """Yield the dense kernel behind the last convolution with its columns in the other order."""
    for name, array in weights.items():
        side = isqrt(array.shape[1] // channels) if array.ndim == 2 else 0
        if side > 1 and channels * side * side == array.shape[1]:
            image = array.reshape(len(array), side, side, channels).transpose(0, 3, 1, 2)
            yield (
                f"{name} reads the image flattened channels-last; canonical is channel-major",
                {name: image.reshape(array.shape)},
            )


def half_precision(case: Case) -> Iterator[str]:
    """An error as large as the one that weights rounded to float16 or bfloat16 would make."""
    if case.own is not None:
        return
    found, exact = numbers(case, "logits")
    for name in ("float16", "bfloat16"):
        rounded = {tensor: round_mantissa(array, MANTISSAS[name]) for tensor, array in case.weights().items()}
        expected = relative(case.reference.logits(case.divergence.step or 0, rounded), exact)
        if expected / 4 < relative(found, exact) < 4 * expected:
            other = " or ".join(structure(case))  # the size alone tells no more
            yield f"the deviation is as large as {name} would make it: something is in half precision, or {other}"


MANTISSAS = {"float16": 11, "bfloat16": 8, "tf32": 11}
"""Bits of the mantissa, the leading one included."""


def round_mantissa(array: Array, bits: int) -> Array:
    """Return an array with its mantissas rounded to so many bits."""
    mantissa, exponent = np.frexp(array)
    rounded: Array = np.ldexp(np.round(mantissa * 2**bits) / 2**bits, exponent)
    return rounded


def size_of_half(case: Case) -> Iterator[str]:
    """Errors of the size that 8 to 11 bits of mantissa leave: 2⁻¹¹ = 5e-4 and 2⁻⁸ = 4e-3 for one rounding."""
    if 5e-5 < case.divergence.value < 3e-2 and case.own is None:
        yield "the deviation has the size of half-precision round-off: float16, bfloat16 or TF32 in this part of a step"


def structure(case: Case) -> Iterator[str]:
    """Nothing that can be tested fits: say what differs in practice."""
    yield from layer_causes(case.reference.start, normalised=bool(case.normalisation))


def layer_causes(tensors: Files, *, normalised: bool) -> Iterator[str]:
    """Yield what usually differs in a model with these tensors, and with a normalisation or none."""
    layers = {name.partition(".")[0] for name in tensors}
    conv = any(read(tensors, name).ndim == 4 for name in tensors)
    usual = ["another activation", "a layer too many or too few"]
    if "gru" in layers:  # the form that resets before the product has one bias set
        there, here = ("before", "after") if "gru.recurrent_bias" in tensors else ("after", "before")
        usual.append(f"the reset gate applied {there} the recurrent product instead of {here}")
    usual += ["another last step"] if layers & GATES.keys() else []
    usual += ["padding on the other side", "another stride"] if conv else []
    usual += ["another epsilon of a normalisation"] if normalised else []
    yield "the model itself differs; usual causes are " + ", ".join(usual)


# -- loss and gradients ---------------------------------------------------------------------------------------------


def loss_scale(case: Case) -> Iterator[str]:
    """A loss that is a multiple of the reference's, or one over probabilities."""
    found, exact = case.found.turn.loss if case.found else None, case.exact.turn.loss
    labels = read(case.exact.batch, "labels")
    if found is None or exact is None:
        yield "the loss is not a finite number"
        return
    if isclose(found / exact, len(labels), rel_tol=FITS):
        yield "the loss is the sum over the batch; the mean is meant"
    logits = read(case.exact.gradients, "logits")
    if logits.ndim == 3:
        yield from forecast_loss(found, logits, labels)
        return
    probabilities = softmax(logits)
    if labels.ndim > 1:
        yield from multi_label_loss(found, exact, probabilities, labels)
    elif isclose(found, float(-np.log(softmax(probabilities)[np.arange(len(labels)), labels]).mean()), rel_tol=FITS):
        yield "softmax is applied twice: the loss takes the logits for probabilities"
    if found > exact:
        yield "the logits are right and the loss too large: a penalty on the weights is added, or labels are smoothed"


def multi_label_loss(found: float, exact: float, probabilities: Array, labels: Array) -> Iterator[str]:
    """A loss over several labels of a sample that is added up, or made as if a sample had one of them.

    `probabilities` are the softmax of the logits; like the labels, (samples, labels).
    """
    if isclose(found / exact, labels.shape[1], rel_tol=FITS):
        yield "the loss is the sum over the labels; the mean is meant"
    categorical = -(labels * np.log(probabilities)).sum(1).mean()
    binary = -np.where(labels > 0, np.log(probabilities), np.log1p(-probabilities)).mean()
    if any(isclose(found, float(one), rel_tol=FITS) for one in (categorical, binary)):
        yield "a softmax over the labels: each needs a sigmoid of its own"


def gradient_scale(case: Case) -> Iterator[str]:
    """A gradient that is missing, zero, or a multiple of the reference's."""
    name = str(case.divergence.tensor)
    if case.found is None or name not in case.found.gradients:
        yield f"{name} has no gradient: it is not part of the model, or not trained"
        return
    found, exact = numbers(case, name)
    if not found.any():
        yield f"the gradient of {name} is zero: it is cut off from the loss"
        return
    batch = len(read(case.exact.batch, "labels"))
    factor = float(np.vdot(exact, found) / np.vdot(exact, exact))
    if relative(found, factor * exact) < FITS and not isclose(factor, 1, rel_tol=FITS):
        meant = (
            "the sum over the batch; the mean is meant"
            if isclose(factor, batch, rel_tol=FITS)
            else "rescaled or clipped"
        )
        yield f"the gradient is {factor:.4g} times what it should be: {meant}"


# -- what is kept beside the parameters -----------------------------------------------------------------------------


def running_average(case: Case) -> Iterator[str]:
    """A running mean or variance that keeps another share of itself, or takes up another variance."""
    assert case.found is not None and case.normalisation is not None
    name = str(case.divergence.tensor)
    if name not in case.found.parameters:
        yield f"{name} is not among what the framework keeps"
        return
    momentum, old = case.normalisation.momentum, case.weights()[name].astype(np.float64)
    found, exact = (read(step.parameters, name).astype(np.float64) for step in (case.found, case.exact))
    if np.array_equal(found, old.astype(np.float32)):
        yield f"{name} does not move: training passes do not update it"
    shares = {
        share: best_factor(found - share * old, exact - share * old, float(np.linalg.norm(exact - old)))
        for share in (1.0, momentum)
    }
    factor, off = shares[1.0]
    kept = f"{1 - factor * (1 - momentum):.3g}"
    if off < case.divergence.value / 5 and kept != f"{momentum:.3g}":
        yield f"running averages keep {kept} of themselves in a step, not {momentum}"
    factor, off = shares[momentum]
    if off < case.divergence.value / 5:
        samples = "" if factor <= 1 else f": the unbiased one, n / (n - 1) times, of n = {factor / (factor - 1):.0f}"
        yield f"{name} takes up {factor:.6g} times what the batch has{samples}"


def best_factor(found: Array, exact: Array, scale: float) -> tuple[float, float]:
    """Return the number by which `exact` comes closest to `found`, and how far off it is then, relative to `scale`."""
    factor = float(np.vdot(exact, found) / (np.vdot(exact, exact) or 1.0))
    return factor, relative(found, factor * exact, scale)


# -- the update -----------------------------------------------------------------------------------------------------


def other_optimizer(case: Case) -> Iterator[str]:
    """An optimiser with other values, or another one, that ends where the contender did."""
    assert case.found is not None
    name = str(case.divergence.tensor)
    if name not in case.found.parameters:
        yield f"{name} is not among the framework's parameters"
        return
    found = read(case.found.parameters, name)
    start = np.array(read(case.reference.start, name), np.float64)
    if np.array_equal(found, start.astype(found.dtype)):
        yield f"{name} does not move: the optimiser does not hold it"
        return
    steps = case.reference.steps[: case.found.step + 1]
    longest = getattr(case.optimizer, "clip_norm", None)
    needed = [one for one in steps[0].gradients if one != "logits"] if longest else [name]
    gradients = [{one: np.array(read(step.gradients, one), np.float64) for one in needed} for step in steps]
    moved = float(np.linalg.norm(read(case.exact.parameters, name) - start))
    rates = [float(step.turn.learning_rate or 0.0) for step in steps]
    stated = given(case.optimizer) | ({"lazy": True} if name in case.lazy else {})
    trajectory, _ = TRAJECTORIES[case.optimizer.name]
    own = [clipped(case.optimizer, step)[name] for step in gradients]
    ends = {
        sentence: partial(trajectory, start, own, rates, **{**stated, **change})
        for sentence, change in suspects(case.optimizer).items()
    }
    if longest is not None:
        for sentence, clip in CLIPPINGS.items():
            other = [clip(step, longest)[name] for step in gradients]
            ends[sentence] = partial(trajectory, start, other, rates, **stated)
    yield from best_fit(case, ends, found, moved)


def other_update(case: Case) -> Iterator[str]:
    """The same, fed with the contender's own gradients; or parameters that are no float32."""
    assert case.found is not None
    assert case.own is not None
    name, own = str(case.divergence.tensor), case.own
    found = read(case.found.parameters, name)
    if np.array_equal(found, round_mantissa(found, MANTISSAS[own.precision])):
        yield f"{name} is kept in {own.precision} between the steps: float32 is meant, but for products"
    moved = float(np.linalg.norm(found.astype(np.float64) - read(case.reference.start, name)))
    ends = {sentence: partial(own.lead, name, **change) for sentence, change in suspects(case.optimizer).items()}
    yield from best_fit(case, ends, found, moved)


def best_fit(case: Case, ends: Mapping[str, Callable[[], Array]], found: Array, moved: float) -> Iterator[str]:
    """Yield what is said of the optimiser that leads nearest to what was `found`, if it explains that.

    `ends` are where optimisers lead, by what is said of them. Some cannot be told apart yet: to Adam's first step every
    length of a gradient is the same. Then all of them are named.
    """
    off = {sentence: relative(found, reach(), moved) for sentence, reach in ends.items()}
    best = min(off.values())
    if best < case.divergence.value / 5:  # it must explain most of what was off
        yield ", or ".join(sentence for sentence, value in off.items() if value <= ALIKE * best)


def too_exact(case: Case) -> Iterator[str]:
    """Logits that are as near to float64 as only float32 can be."""
    assert case.own is not None
    yield f"the logits are as exact as in float32: {case.own.precision} is not in force"


def block_loop(case: Case) -> Iterator[str]:
    """Single steps are right and a block is not."""
    yield "a block of steps ends elsewhere than the same steps one by one: its loop skips, repeats or reorders batches"


def evaluation_mode(case: Case) -> Iterator[str]:
    """Evaluation alone is off."""
    if relative(case.again(), case.again()) > FITS:
        yield "two evaluations differ: dropout is active in evaluation"
    yield "the model computes otherwise in evaluation than in training: a layer is in the wrong mode"


def sample_count(case: Case) -> Iterator[str]:
    """Samples lost or counted twice."""
    if case.divergence.tensor == "evaluation":
        yield "evaluation does not return every sample: the last, partial batch is dropped, or padded"
    else:
        yield "a step does not use the whole batch"


def rate(case: Case) -> Iterator[str]:
    """The learning rate as such, and where it follows a schedule."""
    found = case.found.turn.learning_rate if case.found else None
    rates = [step.turn.learning_rate for step in case.reference.steps]
    if found is not None and len(set(rates)) > 1:
        still = isclose(found, rates[0] or 0.0, rel_tol=FITS)
        passed = "is still the first one: the schedule is not followed" if still else "is that of another epoch"
        yield f"the learning rate {passed} ({found:.4g}, not {case.exact.turn.learning_rate:.4g})"
    yield f"the optimiser uses the learning rate {found}, the workload states {case.exact.turn.learning_rate}"


def dropping(case: Case) -> Iterator[str]:
    """What a dropout layer does otherwise than it should; the tensor is the layer that it follows."""
    layer = case.divergence.tensor
    yield {
        "dropout evaluation": "dropout is active in evaluation",
        "dropout repeats": f"the dropout behind {layer} drops the same elements in every pass: its random state stays",
        "dropout scale": f"the dropout behind {layer}, or one after it, has another rate than the workload states",
        "dropout share": f"the dropout behind {layer}, or one after it, drops another share than it makes up for",
        "dropout loss": f"the steps that are timed drop another share behind {layer} than a single pass does",
    }[case.divergence.quantity]


def no_crop(case: Case) -> Iterator[str]:
    """What a sample is that is no crop of its picture, nor of the mirror image."""
    assert case.seen is not None
    lost = case.seen.lost
    if lost is None:
        return
    brought, small = lost.brought, lost.small
    if brought.shape != small.shape:
        yield f"pictures are brought as {by(brought)} numbers where {by(small)} are cut out: the crop does nothing"
    elif any(np.array_equal(brought, one) for one in (small, small[..., ::-1])):
        yield "the whole picture is made smaller where a part of it is to be cut out: the crop does nothing"
    elif crops_like(brought[:, ::-1], lost.picture):
        yield "pictures are turned upside down"
    elif any(crops_like(brought, other) for other in lost.others):
        yield "the pictures are not those of the project's order, or labels and pictures are mixed up"
    else:
        yield "the picture is another one, or decoded, stretched or normalised by other rules"


def augmenting(case: Case) -> Iterator[str]:
    """What an augmentation does otherwise than it should."""
    seen = case.seen
    assert seen is not None
    flipped, stated = seen.found[:, 2].mean(), seen.stated.flip
    often = {0.0: "never", 1.0: "always"}.get(flipped, f"with a chance of {flipped:.2f}")
    same = (seen.found[:, :2] == seen.found[0, :2]).all()
    yield {
        "augmentation flips": f"pictures are flipped {often}, and are to be with a chance of {stated:g}",
        "augmentation places": "every crop is taken at the same place: it does nothing at random"
        if same
        else "some places of a crop are taken more often than others: not all of them can be, or not alike",
        "augmentation repeats": "samples are augmented as others before them: a worker repeats another's random "
        "numbers, or all samples of a batch have the same",
        "augmentation drawn": "pictures are augmented at random, but not as the project has drawn it",
    }[case.divergence.quantity]


def drawing(case: Case) -> Iterator[str]:
    """What a sampler does otherwise than it should."""
    assert case.drawn is not None
    yield from misdrawn(case.drawn)


BY_QUANTITY: dict[str, tuple[Callable[[Case], Iterator[str]], ...]] = {
    "batch": (rounded_inputs, rearranged_inputs, another_batch),
    "samples": (sample_count,),
    "learning rate": (rate,),
    "logits": (
        random_forward,
        softmax_in_model,
        other_parameters,
        other_weights,
        other_windows,
        half_precision,
        structure,
    ),
    "loss": (loss_scale, size_of_half),
    "gradient": (gradient_scale, size_of_half),
    "state": (running_average,),
    "parameter": (other_optimizer, size_of_half),
    "update": (other_update,),
    "reduced precision": (too_exact,),
    "block parameter": (block_loop,),
    "evaluation logits": (evaluation_mode,),
    "accuracy": (evaluation_mode,),
    "dropout evaluation": (dropping,),
    "dropout repeats": (dropping,),
    "dropout scale": (dropping,),
    "dropout share": (dropping,),
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
"""For the first quantity that diverges: the suspicions, the most specific first."""


def by(array: Array) -> str:
    """Return a shape as one says it: ``3 × 64 × 64``."""
    return " × ".join(map(str, array.shape))


def softmax(logits: Any) -> Array:  # noqa: ANN401 (any real array)
    """Return the softmax over the last axis."""
    shifted = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(shifted / shifted.sum(axis=1, keepdims=True))
