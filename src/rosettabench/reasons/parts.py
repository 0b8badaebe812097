"""Compute the parts of a step's time from the rounds: arithmetic, launch, optimiser and input, with intervals.

Without the input pipeline, a step of n samples takes t(n) = a + b·n. A complete step is the sum of these parts::

    input         the time saved without the input pipeline
    optimiser     the update, timed by itself, or the time saved without it
    launch        a - optimiser: interpreter, dispatch and other costs per step, whatever the number of samples
    arithmetic    b·n
    bend          the rest that the line does not explain at this batch size

The parts of a difference are the differences of the parts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from statistics import median

import numpy as np

from rosettabench.reasons.bootstrap import interval, locations
from rosettabench.reasons.line import Array, deviations, fit_line
from rosettabench.reasons.measured import MeasuredRounds, Subject, What
from rosettabench.statistics.interval import Interval, ratio_interval
from rosettabench.statistics.spread import interval_of_starts

PARTS = ("arithmetic", "launch", "optimiser", "input", "bend")
"""The parts, in the order of the tables."""


@dataclass(frozen=True)
class PartEstimate:
    """A number, in seconds or as a ratio, and its interval."""

    value: float
    low: float
    high: float

    def excludes(self, value: float) -> bool:
        """Return whether the interval excludes `value`."""
        return not self.low <= value <= self.high


@dataclass(frozen=True)
class Step:
    """One contender's step: its whole time, its parts, the line's a and b, and the input pipeline alone (`feed`).

    A part that cannot be separated in its framework is missing: then `launch` includes the optimiser, and launch and
    arithmetic include the input. `bends` maps each batch size to the relative deviation from the line. `how` is the
    request that measured the optimiser: ``update`` or ``backpropagate``, or None.
    """

    label: str
    total: PartEstimate
    parts: dict[str, PartEstimate]
    per_step: PartEstimate
    per_sample: PartEstimate
    feed: PartEstimate | None
    times: dict[int, PartEstimate]
    bends: dict[int, PartEstimate]
    how: What | None


@dataclass(frozen=True)
class StartEstimate:
    """One figure of a contender's fresh starts: their trimmed geometric mean and its interval.

    With too few starts for an interval (`certain` is False): their median, and the least and the greatest of them.
    """

    value: float
    low: float
    high: float
    certain: bool


@dataclass(frozen=True)
class Pair:
    """The difference of two contenders' steps: the ratio, the difference in seconds (`more`), and its parts.

    `starts` maps the figures of a start to the ratio of the slower one to the faster one; None with too few starts.
    """

    slower: str
    faster: str
    ratio: PartEstimate
    more: PartEstimate
    parts: dict[str, PartEstimate]
    starts: dict[str, Interval | None]


@dataclass(frozen=True)
class Explanation:
    """The measurements of an examination, and the results computed from them."""

    measured: MeasuredRounds
    rounds: int
    steps: tuple[Step, ...]
    pairs: tuple[Pair, ...]
    starts: dict[str, dict[str, StartEstimate]]
    """{label of a contender: {figure of a start: its estimate}}."""


def explain(measured: MeasuredRounds) -> Explanation:
    """Compute the results from the rounds; the same rounds always give the same results."""
    columns = [(one.label, cell.what, cell.size) for one in measured.subjects for cell in one.cells]
    table = np.array([cell.seconds for one in measured.subjects for cell in one.cells]).T
    drawn = locations(table)
    judge = PartJudge(measured, len(table), {column: drawn[:, place] for place, column in enumerate(columns)})
    return Explanation(
        measured,
        len(table),
        tuple(judge.step(one) for one in measured.subjects),
        tuple(judge.pair(*two) for two in combinations(measured.subjects, 2)),
        {one.label: {name: judge.start(seconds) for name, seconds in one.starts.items()} for one in measured.subjects},
    )


@dataclass(frozen=True)
class PartJudge:
    """Computes parts from the draws of all cells: (1 + draws,) by label, request and batch size."""

    measured: MeasuredRounds
    rounds: int
    draws: Mapping[tuple[str, str, int], Array]

    def estimate(self, draws: Array) -> PartEstimate:
        """Return the estimate: its value is the first draw, its interval comes from the others."""
        return PartEstimate(float(draws[0]), *interval(draws, self.rounds, self.measured.confidence))

    def of(self, label: str, what: str, size: int | None = None) -> Array:
        """Return the draws of one cell; without a size, at the batch size that is explained."""
        return self.draws[label, what, size or self.measured.batch_size]

    def line(self, label: str) -> tuple[Array, Array]:
        """Return the draws of a and b of a contender's line."""
        sizes, what = self.measured.sizes, self.measured.line
        return fit_line(sizes, np.stack([self.of(label, what, size) for size in sizes], axis=1))

    def how(self, one: Subject) -> What | None:
        """Return the request that measures a contender's optimiser separately; None if there is none."""
        if one.cell("update", self.measured.batch_size):
            return "update"
        both = one.cell("backpropagate", self.measured.batch_size) and self.measured.line == "reuse"
        return "backpropagate" if both else None

    def optimiser(self, one: Subject) -> Array:
        """Return the draws of the time of a contender's update; valid only if `how` is not None."""
        if self.how(one) == "update":
            return self.of(one.label, "update")
        return self.of(one.label, "reuse") - self.of(one.label, "backpropagate")

    def parts(self, one: Subject, apart: bool) -> dict[str, Array]:
        """Return the draws of a step's parts, which add up to its time; with `apart` the optimiser is one of them."""
        a, b = self.line(one.label)
        size, steady = self.measured.batch_size, self.of(one.label, self.measured.line)
        parts = {"arithmetic": b * size, "launch": a, "bend": steady - a - b * size}
        if apart:
            parts["optimiser"] = self.optimiser(one)
            parts["launch"] = a - parts["optimiser"]
        if self.measured.line == "reuse":
            parts["input"] = self.of(one.label, "train") - steady
        return {name: parts[name] for name in PARTS if name in parts}

    def step(self, one: Subject) -> Step:
        """Return the results for one contender's step."""
        a, b = self.line(one.label)
        how = self.how(one)
        times = {size: self.of(one.label, self.measured.line, size) for size in self.measured.sizes}
        bends = deviations(self.measured.sizes, np.stack(list(times.values()), axis=1))
        feed = one.cell("feed", self.measured.batch_size)
        return Step(
            label=one.label,
            total=self.estimate(self.of(one.label, "train")),
            parts={name: self.estimate(draws) for name, draws in self.parts(one, how is not None).items()},
            per_step=self.estimate(a),
            per_sample=self.estimate(b),
            feed=self.estimate(self.of(one.label, "feed")) if feed else None,
            times={size: self.estimate(draws) for size, draws in times.items()},
            bends={size: self.estimate(bends[:, place]) for place, size in enumerate(self.measured.sizes)},
            how=how,
        )

    def pair(self, one: Subject, other: Subject) -> Pair:
        """Return the difference of two contenders: the slower one's step minus the faster one's."""
        slower, faster = sorted((one, other), key=lambda subject: self.of(subject.label, "train")[0], reverse=True)
        total, least = self.of(slower.label, "train"), self.of(faster.label, "train")
        apart = self.how(slower) is not None and self.how(faster) is not None
        less = self.parts(faster, apart)
        return Pair(
            slower=slower.label,
            faster=faster.label,
            ratio=self.estimate(total / least),
            more=self.estimate(total - least),
            parts={name: self.estimate(draws - less[name]) for name, draws in self.parts(slower, apart).items()},
            starts={name: self.starts(slower, faster, name) for name in slower.starts if name in faster.starts},
        )

    def start(self, values: tuple[float, ...]) -> StartEstimate:
        """Return the estimate of one figure from its value in each fresh start."""
        found = ratio_interval(values, self.measured.confidence)
        if found is None:
            return StartEstimate(median(values), min(values), max(values), certain=False)
        return StartEstimate(found.ratio, found.low, found.high, certain=True)

    def starts(self, slower: Subject, faster: Subject, name: str) -> Interval | None:
        """Return the ratio of one figure of a start, paired over new processes; None if there are too few."""
        pairs = zip(slower.starts[name], faster.starts[name], strict=False)
        return interval_of_starts([top / bottom for top, bottom in pairs], self.measured.confidence)
