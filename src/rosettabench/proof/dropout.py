"""Dropout, looked at by itself: the right share in training, and nothing in evaluation.

Equality is proven with dropout off, since no two frameworks draw the same random numbers. What is left to show is that
each layer drops what it should, where it should. No framework is asked for it: the weights are chosen such that the
logits tell. From the layer in question on, each logit follows one path of its own. With nothing dropped 1 is left of
it, and in training 0 where any element of the path was dropped, and else 1 / q, where q is the product of the shares
kept on the path. How the weights do that, and how the logits tell, depends on the kind of network: a Probe knows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, inf, prod, sqrt
from pathlib import Path
from typing import Protocol

import numpy as np

from rosettabench.catalogue.workload import STUDENT_T, Workload
from rosettabench.client.session import Session, Work
from rosettabench.proof.comparison import Deviation
from rosettabench.proof.dropout_chain import Chain
from rosettabench.proof.dropout_recurrent import Recurrent
from rosettabench.proof.walk import Array, read_array
from rosettabench.proof.weights import Weights, save_weights

DRAWS = 1_000
"""Elements that are watched for each layer, at least: the share has a standard error of about 0.016 then."""

LOSSES = 160
"""Samples over which the losses of single steps are averaged, at least."""


@dataclass(frozen=True)
class Site:
    """A dropout layer: the layer that it follows, and the share that survives from there to a logit."""

    layer: str
    kept: float


class Probe(Protocol):
    """What shows dropout in networks of one kind."""

    def weights(self, workload: Workload, layer: str) -> Weights:
        """Return weights under which the logits tell what is dropped behind `layer`."""

    def survivors(self, logits: Array) -> Array:
        """Return what is left of each path, exactly 0 where it was dropped, of any shape."""

    def loss(self, work: Work, kept: float) -> tuple[float, float]:
        """Return mean and variance of the loss of a step on the first batch, where a path is kept with that chance."""


def probe_for(workload: Workload) -> Probe:
    """Return the probe of a workload's network."""
    return Recurrent() if workload.loss and workload.loss.name == STUDENT_T else Chain()


def sites(workload: Workload) -> list[Site]:
    """Return the dropout layers, the last first: whatever fails first then is where the mistake is."""
    rates = list(workload.dropout.values())
    found = [Site(layer, prod(1 - rate for rate in rates[place:])) for place, layer in enumerate(workload.dropout)]
    return found[::-1]


def probe_dropout(session: Session, folder: Path) -> Iterator[Deviation]:
    """Yield how far every dropout layer of a session's workload is from what is stated; nothing where there is none."""
    workload = session.work.workload
    probe = probe_for(workload)
    for site in sites(workload):
        place = folder / site.layer
        session.build(save_weights(probe.weights(workload, site.layer), place / "weights"))
        yield from look_at_evaluation(session, probe, site, place)
        yield from look_at_passes(session, probe, site, place)
        yield look_at_steps(session, probe, site, place)


def look_at_evaluation(session: Session, probe: Probe, site: Site, folder: Path) -> Iterator[Deviation]:
    """Evaluate a batch, or what there is: nothing may be missing of any path."""
    samples = min(session.work.setting.batch_size, session.work.data.test.samples)
    files = session.evaluate(samples, folder / "evaluation")["files"]
    off = float(np.abs(probe.survivors(read_array(files, "logits")) - 1.0).max())
    yield Deviation("dropout evaluation", None, site.layer, off if np.isfinite(off) else inf)


def look_at_passes(session: Session, probe: Probe, site: Site, folder: Path) -> Iterator[Deviation]:
    """Do training passes over one batch, and look at what is kept: never twice the same, scaled rightly, often enough.

    The share is off by so many of its standard errors, sqrt(q·(1 - q) / draws).
    """
    left = [probe.survivors(training_logits(session, folder / "pass")) for _ in range(2)]
    while sum(one.size for one in left) < DRAWS:
        left.append(probe.survivors(training_logits(session, folder / "pass")))
    repeats = len(left) - len({(one > 0).tobytes() for one in left})
    yield Deviation("dropout repeats", None, site.layer, float(repeats))
    every = np.concatenate(left).ravel()
    kept = every[every != 0]
    scale = float(np.abs(kept * site.kept - 1).max()) if len(kept) else inf
    yield Deviation("dropout scale", None, site.layer, scale if np.isfinite(scale) else inf)
    error = sqrt(site.kept * (1 - site.kept) / len(every))
    yield Deviation("dropout share", None, site.layer, abs(len(kept) / len(every) - site.kept) / error)


def training_logits(session: Session, folder: Path) -> Array:
    """Return the logits of the first batch in training mode, once more."""
    return np.array(read_array(session.ask("gradients", step=0, folder=str(folder))["files"], "logits"))


def look_at_steps(session: Session, probe: Probe, site: Site, folder: Path) -> Deviation:
    """Take single steps, each from the same weights, and hold their mean loss against the one to expect.

    `gradients` tells the logits, but the steps that are timed may be another piece of code: only their loss is seen.
    """
    steps = ceil(LOSSES / session.work.setting.batch_size)
    weights = {name: str(folder / "weights" / f"{name}.npy") for name in session.work.weights}
    losses = []
    for _ in range(steps):
        losses.append(session.train(0, 1).loss)
        session.ask("place", weights=weights)
    if any(loss is None for loss in losses):
        return Deviation("dropout loss", None, site.layer, inf)
    mean, variance = probe.loss(session.work, site.kept)
    error = sqrt(variance / steps)
    return Deviation("dropout loss", None, site.layer, abs(float(np.mean(losses)) - mean) / error)  # type: ignore[arg-type]
