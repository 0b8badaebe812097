"""Likely causes of sample paths that fail the check of `rosettabench.proof.sampling`.

Drawing with other weights shows which part of a sampler is wrong: with weights for which that part makes no difference,
the check passes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from rosettabench.data.series.lags import LAGS
from rosettabench.data.series.windows import continued_inputs, known_inputs
from rosettabench.proof.causes.case import Case
from rosettabench.proof.causes.suspect import FITS, Suspect
from rosettabench.proof.dropout_recurrent import OPEN, scales
from rosettabench.proof.sampling import Sampled
from rosettabench.proof.walk import Array
from rosettabench.proof.weights import Weights, save_weights
from rosettabench.statistics.student_t import distribution_function
from rosettabench.statistics.uniformity import off_uniform, shared_part

SHARED = 0.3
"""The common share of the variance that indicates reused random numbers; a wrong distribution may cause it too."""


def drawing(case: Case) -> Iterator[str]:
    """Yield the mistakes of the sampler."""
    assert case.drawn is not None
    yield from misdrawn(case.drawn)


def misdrawn(suspect: Suspect) -> Iterator[str]:
    """Yield explanations of the failure, the most specific first, and last where it begins."""
    if not np.isfinite(suspect.found.uniform).all():
        yield "what is drawn, or what it is drawn from, is not a number"
        return
    yield from shared_numbers(suspect.found)
    yield from other_law(suspect)
    yield from other_weights(suspect)
    yield from where(suspect)


def shared_numbers(found: Sampled) -> Iterator[str]:
    """Test for reused random numbers: nearly everything is common, and one of the parts alone passes the check."""
    for axis, words in ((1, "the paths of a series share"), (0, "all series share")):
        one = found.uniform.take([0], axis)
        if shared_part(found.scores, axis) > SHARED and off_uniform(one.ravel()[None]) < FITS:
            yield f"{words} their random numbers: each is to be drawn by itself"
    one, other = found.batches
    if (one * other).mean((0, 1)).max() > SHARED and off_uniform(found.by_step[:, : one[..., 0].size]) < FITS:
        yield "every batch of series has the same random numbers: the generator is seeded anew for each"
    if (found.scores[..., 1:] * found.scores[..., :-1]).mean() > SHARED and off_uniform(found.by_step) < FITS:
        yield "every step of the horizon has the same random numbers"


def other_law(suspect: Suspect) -> Iterator[str]:
    """Test for values drawn from another distribution than Student's with these parameters."""
    from scipy.stats import norm

    found, series = suspect.found, suspect.sampling.series
    freedom, location, width = np.moveaxis(found.parameters, -1, 0)
    scale = scales(known_inputs(series, found.places))[:, None, None]

    def student(freedom: Array, location: Array, width: Array) -> Array:
        """Return the distribution function of Student's t with these parameters, at the paths."""
        return distribution_function(np.stack([freedom, location, width], -1), found.paths)

    laws: dict[str, Callable[[], Array]] = {
        "values are drawn from a normal distribution: Student's is meant": lambda: norm.cdf(
            found.paths, location, width
        ),
        "values are drawn with twice the degrees of freedom": lambda: student(2 * freedom, location, width),
        "values are drawn with half the degrees of freedom": lambda: student(freedom / 2, location, width),
        "values are drawn with degrees of freedom that lack the 2": lambda: student(freedom - 2, location, width),
        "the location of what is drawn is not multiplied by the scale of its window": lambda: student(
            freedom, location / scale, width
        ),
        "the width of what is drawn is not multiplied by the scale of its window": lambda: student(
            freedom, location, width / scale
        ),
        "values are drawn with the location 0": lambda: student(freedom, 0 * location, width),
    }
    yield from (sentence for sentence, law in laws.items() if suspect.explains(law()))


def other_weights(suspect: Suspect) -> Iterator[str]:
    """Test parts of the sampler: one is wrong if the check passes with weights for which it makes no difference."""
    weights = suspect.sampling.responsive()
    if suspect.explains(suspect.sampling.draw(weights, dropout=False).uniform):
        yield "dropout is active while paths are drawn"
    if suspect.explains(suspect.sampling.draw(blind(weights, suspect.sampling.layers)).uniform):
        yield from fed_back(suspect, weights)
    if suspect.explains(suspect.sampling.draw(forgetful(weights, suspect.sampling.layers)).uniform):
        yield "the state of the recurrence is not carried from step to step, or not from the context to the horizon"


def fed_back(suspect: Suspect, weights: Weights) -> Iterator[str]:
    """Test whether drawn values are fed back to the later steps, and to the right ones."""
    found, series = suspect.found, suspect.sampling.series
    files = save_weights(weights, suspect.sampling.folder / "fed-back")
    true = continued_inputs(series, found.places, found.paths)
    nothing = np.repeat(known_inputs(series, found.places), found.paths.shape[1], 0)
    for sentence, inputs in (
        ("samples are not fed back: later steps see 0 instead", nothing),
        ("what is drawn is fed back one step too late", one_step_later(true, nothing)),
    ):
        parameters = suspect.sampling.parameters(files, inputs).reshape(found.parameters.shape)
        if suspect.explains(distribution_function(parameters, found.paths)):
            yield sentence
    yield "what is drawn is not fed back as it should be: each value to the later steps that lie a lag behind it"


def one_step_later(true: Array, nothing: Array) -> Array:
    """Return windows in which every drawn value appears one step later than in the `true` ones."""
    changed = nothing.copy()
    drawn = true[..., :LAGS] - nothing[..., :LAGS]
    changed[:, 1:, :LAGS] += drawn[:, :-1]
    return changed


def blind(weights: Weights, layers: Sequence[str]) -> Weights:
    """Return weights for which earlier values make no difference, except by the scale of the context."""
    changed = {name: array.copy() for name, array in weights.items()}
    changed[f"{layers[0]}.kernel"][:, :LAGS] = 0
    return changed


def forgetful(weights: Weights, layers: Sequence[str]) -> Weights:
    """Return weights of a network whose state does not last from step to step."""
    changed = {name: array.copy() for name, array in weights.items()}
    for layer in layers:
        changed[f"{layer}.recurrent_kernel"][:] = 0
        gates = np.split(changed[f"{layer}.bias"], 4)
        gates[1][:] = -100 * OPEN  # the forget gate is shut for any input
        changed[f"{layer}.bias"] = np.concatenate(gates)
    return changed


def where(suspect: Suspect) -> Iterator[str]:
    """Yield the step in which the failure begins."""
    if off_uniform(suspect.found.by_step[:1]) < FITS:
        yield "the first value of a path is drawn rightly, and those behind it are not: the scale must stay, too"
    yield "the very first value is drawn from another distribution: another law, or another state behind the context"
