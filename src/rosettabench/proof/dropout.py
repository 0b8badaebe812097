"""Check dropout: it must drop the stated share in training, and nothing in evaluation.

Equality is proven with dropout off, because no two frameworks draw the same random numbers. This check shows that each
layer drops the right share. Special weights make the logits show it, so no report of a framework is used. From the
checked layer on, each logit follows its own path. The path's value is 1 if nothing is dropped. In training it is 0 if
any element of the path was dropped, else 1 / q, with q the product of the shares kept on the path. A Probe knows the
weights, and how to read the logits, for one kind of network.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, inf, prod, sqrt
from pathlib import Path
from typing import Protocol

import numpy as np

from rosettabench.catalogue.workload import Workload
from rosettabench.client.session import Session, Work
from rosettabench.proof.comparison import Deviation
from rosettabench.proof.dropout_chain import Chain
from rosettabench.proof.dropout_recurrent import Recurrent
from rosettabench.proof.walk import Array, read_array
from rosettabench.proof.weights import Weights, save_weights

DRAWS = 1_000
"""Fewest elements checked for each layer: the share then has a standard error of about 0.016."""

LOSSES = 160
"""Fewest samples over which the losses of single steps are averaged."""


@dataclass(frozen=True)
class Site:
    """A dropout layer: the layer it follows, and the share of paths that survive from there to a logit."""

    layer: str
    kept: float


class Probe(Protocol):
    """Makes dropout visible in networks of one kind."""

    def weights(self, workload: Workload, layer: str) -> Weights:
        """Return weights with which the logits show what is dropped after `layer`."""

    def survivors(self, logits: Array) -> Array:
        """Return the value of each path, exactly 0 if it was dropped, in any shape."""

    def loss(self, work: Work, kept: float) -> tuple[float, float]:
        """Return mean and variance of a step's loss on the first batch, if paths are kept with probability `kept`."""


def probe_for(workload: Workload) -> Probe:
    """Return the probe of a workload's network."""
    return Recurrent() if workload.forecasts is not None else Chain()


def sites(workload: Workload) -> list[Site]:
    """Return the dropout layers, the last first, so that the first failure locates the mistake."""
    rates = list(workload.dropout.values())
    found = [Site(layer, prod(1 - rate for rate in rates[place:])) for place, layer in enumerate(workload.dropout)]
    return found[::-1]


def probe_dropout(session: Session, folder: Path) -> Iterator[Deviation]:
    """Yield the deviations of every dropout layer of a session's workload from the stated one."""
    workload = session.work.workload
    probe = probe_for(workload)
    for site in sites(workload):
        place = folder / site.layer
        session.build(save_weights(probe.weights(workload, site.layer), place / "weights"))
        yield from look_at_evaluation(session, probe, site, place)
        yield from look_at_passes(session, probe, site, place)
        yield look_at_steps(session, probe, site, place)


def look_at_evaluation(session: Session, probe: Probe, site: Site, folder: Path) -> Iterator[Deviation]:
    """Evaluate a batch, or all test samples if they are fewer: no path may be dropped."""
    samples = min(session.work.setting.batch_size, session.work.data.test.samples)
    files = session.evaluate(samples, folder / "evaluation")["files"]
    off = float(np.abs(probe.survivors(read_array(files, "logits")) - 1.0).max())
    yield Deviation("dropout evaluation", None, site.layer, off if np.isfinite(off) else inf)


def look_at_passes(session: Session, probe: Probe, site: Site, folder: Path) -> Iterator[Deviation]:
    """Do training passes over one batch, and check the kept paths: no pass repeats another, scale and share are right.

    The deviation of the share is in standard errors, sqrt(q·(1 - q) / draws).
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
    """Return the logits of the first batch in training mode, from a new pass."""
    return np.array(read_array(session.ask("gradients", step=0, folder=str(folder))["files"], "logits"))


def look_at_steps(session: Session, probe: Probe, site: Site, folder: Path) -> Deviation:
    """Take single steps, each from the same weights, and compare their mean loss with the expected one.

    The other checks use the request `gradients`. The timed steps may be different code, which shows only its loss.
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
