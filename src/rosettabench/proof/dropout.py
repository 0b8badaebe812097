"""Check dropout: it must drop the stated share in training, and nothing in evaluation.

Equality is proven with dropout off, because no two frameworks draw the same random numbers. This check shows that each
layer drops the right share. Special weights make the logits show it, so no report of a framework is used. From the
checked layer on, each logit follows its own path. The path's value is 1 if nothing is dropped. In training it is 0 if
any element of the path was dropped, else 1 / q, with q the product of the shares kept on the path. A Probe knows the
weights, and how to read the logits, for one kind of network.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf, sqrt
from pathlib import Path
from typing import Protocol

import numpy as np

from rosettabench.catalogue.workload import Workload
from rosettabench.client.session import Session, Work
from rosettabench.proof.comparison import Deviation
from rosettabench.proof.dropout_chain import Chain
from rosettabench.proof.dropout_recurrent import Recurrent
from rosettabench.proof.dropout_site import Paths, Site
from rosettabench.proof.dropout_transformer import Transformer
from rosettabench.proof.walk import Array, read_array
from rosettabench.proof.weights import Weights, save_weights

DRAWS = 4_000
"""Fewest elements checked for each layer: the share then has a standard error of at most 0.008."""

MOST_PASSES = 160
"""Most training passes for one layer: where the logits show no path at all, more of them would not either."""


class Probe(Protocol):
    """Makes dropout visible in networks of one kind."""

    def sites(self, workload: Workload) -> list[Site]:
        """Return the dropout layers in the order in which the first failure locates a mistake."""

    def weights(self, workload: Workload, layer: str) -> Weights:
        """Return weights with which the logits show what is dropped after `layer`."""

    def survivors(self, workload: Workload, site: Site, logits: Array, training: bool) -> Paths:
        """Return the paths that logits show."""

    def passes(self, site: Site) -> int:
        """Return how many training passes are looked at, or more if those have too few paths."""

    def steps(self, work: Work, site: Site) -> int:
        """Return over how many single steps the loss is averaged; 0 where another layer's shows the same."""

    def loss(self, work: Work, site: Site) -> tuple[float, float]:
        """Return mean and variance of a step's loss on the first batch, if paths survive as `site` states."""


def probe_for(workload: Workload) -> Probe:
    """Return the probe of a workload's network."""
    if workload.attention is not None:
        return Transformer()
    return Recurrent() if workload.forecasts is not None else Chain()


def probe_dropout(session: Session, folder: Path) -> Iterator[Deviation]:
    """Yield the deviations of every dropout layer of a session's workload from the stated one."""
    workload = session.work.workload
    probe = probe_for(workload)
    for site in probe.sites(workload):
        place = folder / site.layer
        session.build(save_weights(probe.weights(workload, site.layer), place / "weights"))
        yield from look_at_evaluation(session, probe, site, place)
        yield from look_at_passes(session, probe, site, place)
        yield from look_at_steps(session, probe, site, place)


def look_at_evaluation(session: Session, probe: Probe, site: Site, folder: Path) -> Iterator[Deviation]:
    """Evaluate a batch, or all test samples if they are fewer: no path may be dropped."""
    samples = min(session.work.setting.batch_size, session.work.data.test.samples)
    files = session.evaluate(samples, folder / "evaluation")["files"]
    left = probe.survivors(session.work.workload, site, read_array(files, "logits"), training=False)
    yield Deviation("dropout evaluation", None, site.layer, furthest(left.looked_at))


def furthest(values: Array) -> float:
    """Return how far the values are from 1 at most; infinite if there is none, or if one is not finite."""
    off = float(np.abs(values - 1.0).max(initial=0.0)) if values.size else inf
    return off if np.isfinite(off) else inf


def look_at_passes(session: Session, probe: Probe, site: Site, folder: Path) -> Iterator[Deviation]:
    """Do training passes over one batch, and check the kept paths.

    No pass repeats another, scale and share are right, and neighbours are dropped independently. The deviations of the
    share and of neighbours are in standard errors.
    """
    left: list[Paths] = []
    while len(left) < probe.passes(site) or (sum(one.seen.sum() for one in left) < DRAWS and len(left) < MOST_PASSES):
        logits = training_logits(session, folder / "pass")
        left.append(probe.survivors(session.work.workload, site, logits, training=True))
    told = [np.where(one.seen, one.values > 0, False).tobytes() for one in left if one.seen.any()]
    yield Deviation("dropout repeats", None, site.layer, float(len(told) - len(set(told))))
    every = np.concatenate([one.looked_at for one in left])
    yield Deviation("dropout scale", None, site.layer, furthest(every[every != 0] * site.kept))
    yield Deviation("dropout share", None, site.layer, off_share(every != 0, site.kept))
    yield Deviation("dropout together", None, site.layer, off_pairs(left, site.kept))


def off_share(kept: Array, share: float) -> float:
    """Return how far the share of kept paths is off, in standard errors sqrt(q·(1 - q) / draws)."""
    return abs(float(kept.mean()) - share) / sqrt(share * (1 - share) / len(kept)) if len(kept) else inf


def off_pairs(passes: Sequence[Paths], share: float) -> float:
    """Return how far the share of neighbours that are both kept is off, in standard errors, in the worst direction.

    Of independent paths it is q². Each path but the outer ones is in two pairs, so the variance of the share is
    (q²·(1 - q²) + 2·(q³ - q⁴)) / pairs.
    """
    variance = share**2 * (1 - share**2) + 2 * (share**3 - share**4)
    worst = 0.0
    for axis in range(passes[0].values.ndim):
        pairs = [pairs_along(one.values != 0, one.seen, axis) for one in passes]
        both = np.concatenate(pairs)
        if len(both):
            worst = max(worst, abs(float(both.mean()) - share**2) / sqrt(variance / len(both)))
    return worst


def pairs_along(kept: Array, seen: Array, axis: int) -> Array:
    """Return whether both of two neighbours along an axis are kept, for all of whom both are seen."""
    kept, seen = np.moveaxis(kept, axis, 0), np.moveaxis(seen, axis, 0)
    return np.asarray((kept[1:] & kept[:-1])[seen[1:] & seen[:-1]])


def training_logits(session: Session, folder: Path) -> Array:
    """Return the logits of the first batch in training mode, from a new pass."""
    return np.array(read_array(session.ask("gradients", step=0, folder=str(folder))["files"], "logits"))


def look_at_steps(session: Session, probe: Probe, site: Site, folder: Path) -> Iterator[Deviation]:
    """Take single steps, each from the same weights, and compare their mean loss with the expected one.

    The other checks use the request `gradients`. The timed steps may be different code, which shows only its loss.
    """
    steps = probe.steps(session.work, site)
    weights = {name: str(folder / "weights" / f"{name}.npy") for name in session.work.weights}
    losses = []
    for _ in range(steps):
        losses.append(session.train(0, 1).loss)
        session.ask("place", weights=weights)
    told = [loss for loss in losses if loss is not None]
    if len(told) < steps:
        yield Deviation("dropout loss", None, site.layer, inf)
    elif steps:
        mean, variance = probe.loss(session.work, site)
        error = sqrt(variance / steps)
        yield Deviation("dropout loss", None, site.layer, abs(float(np.mean(told)) - mean) / error)
