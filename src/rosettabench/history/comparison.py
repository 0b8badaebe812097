"""Compare two runs, cell by cell: what got slower or faster relative to contenders that did not change."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto

from rosettabench.errors import UsageError
from rosettabench.history.cell import Key, StoredContest, TrialCell
from rosettabench.history.identity import Change, changes, machine_changes
from rosettabench.plan.setting import without_defaults
from rosettabench.statistics.doubt import Contradiction, Doubt
from rosettabench.statistics.interval import Interval
from rosettabench.statistics.ranking import geometric_mean
from rosettabench.statistics.rounds import possible
from rosettabench.statistics.spread import FEWEST_IN_SESSION
from rosettabench.statistics.unpaired import (
    Series,
    SpreadOfEquals,
    equals,
    freedom,
    scatter_of_processes,
    unpaired_interval,
)
from rosettabench.statistics.verdict import Finding, Verdict, judge
from rosettabench.store.machine import same_kind

BEFORE, AFTER = "before", "after"
"""The labels of the two sides in a Verdict."""


class Incomparable(Doubt, Enum):
    """Why two sides cannot be compared."""

    OTHER_MACHINE = auto()
    ALONE = auto()  # one process on each side, and nothing says how much processes differ
    NO_CONTROL = auto()  # nothing stayed the same, and nothing says how much runs differ


@dataclass(frozen=True)
class Side:
    """One side of a comparison: contests of one workload and setting, from one run or several."""

    stored_contests: Sequence[StoredContest]

    def __getitem__(self, key: Key) -> TrialCell:
        """Return the newest cell with a key."""
        return next(cell for one in reversed(self.stored_contests) if (cell := one.find_cell(key)))

    @property
    def keys(self) -> list[Key]:
        """The keys that all its contests have, in the order of the first."""
        keys = [cell.key for cell in self.stored_contests[0].cells.values()]
        return [key for key in keys if all(one.find_cell(key) for one in self.stored_contests)]

    def relative(self, key: Key, against: Sequence[Key]) -> list[Series]:
        """Return the ratios of every process, round by round; without others, the times of every run as one process.

        Without others, the times contain the machine's state in the run, which all its processes share.
        """
        groups: dict[object, list[float]] = defaultdict(list)
        for place, one in enumerate(self.stored_contests):
            for number, series in enumerate(one.relative(key, against)):
                groups[(place, number) if against else one.run] += series
        return [series for series in groups.values() if len(series) >= FEWEST_IN_SESSION]

    def seconds(self, key: Key) -> float | None:
        """Return the geometric mean of the seconds per step."""
        rounds = [one.rounds for stored_contest in self.stored_contests if (one := stored_contest.find_cell(key))]
        times = [seconds for found in rounds for seconds in found.values() if possible(seconds)]
        return geometric_mean(times) if times else None


@dataclass(frozen=True)
class Compared:
    """One cell on both sides.

    `verdict` is on BEFORE and AFTER; `controls` are the contenders that it was measured against. `deviation` is the
    spread between processes, relative, and `degrees` its degrees of freedom.
    """

    key: Key
    seconds: tuple[float | None, float | None]
    verdict: Verdict
    controls: tuple[str, ...]
    degrees: int
    deviation: float | None
    changes: tuple[Change, ...]

    @property
    def ratio(self) -> Interval | None:
        """The interval of the time afterwards over the time before."""
        found = self.verdict.interval
        return found if found is None or self.verdict.slower == AFTER else found.inverse()

    @property
    def regression(self) -> bool:
        """Whether it surely got slower."""
        return self.verdict.finding is Finding.FASTER and self.verdict.slower == AFTER


@dataclass(frozen=True)
class Comparison:
    """One workload and setting on both sides; `machine_change` is the time of unchanged cells, after over before."""

    workload: str
    setting: str
    cells: tuple[Compared, ...]
    machine: tuple[Change, ...]
    machine_change: float | None
    missing: tuple[str, ...]

    @property
    def title(self) -> str:
        """Workload and setting in words."""
        values = without_defaults(json.loads(self.setting))
        return ", ".join([self.workload, *(f"{name.replace('_', ' ')} {value}" for name, value in values.items())])


def compare_runs(
    before: Sequence[StoredContest],
    after: Sequence[StoredContest],
    earlier: Callable[[str], Sequence[StoredContest]],
    confidence: float,
    margin: float,
) -> list[Comparison]:
    """Return the comparison of every workload and setting that two runs share; raise UsageError if they share none.

    `earlier` returns all contests of a workload on the machine; they improve the estimate of the spread of processes.
    """
    sides = [group_contests(side) for side in (before, after)]
    shared = [name for name in sides[0] if name in sides[1]]
    found = [
        Pairing(first, match_cells(first, second), earlier(name[0]), confidence, margin).compare()
        for name in shared
        for first, second in [(Side(sides[0][name]), Side(sides[1][name]))]
    ]
    found = [one for one in found if one.cells]
    if not found:
        raise UsageError(
            "the two runs have no cell in common: no workload, setting, framework and mode that both have timed",
            "rosetta list runs shows what each was asked for.",
        )
    return found


def group_contests(found: Iterable[StoredContest]) -> dict[tuple[str, str], list[StoredContest]]:
    """Return the contests by workload and setting."""
    groups: dict[tuple[str, str], list[StoredContest]] = defaultdict(list)
    for one in found:
        key = next(iter(one.cells.values())).key
        groups[key.workload, key.setting].append(one)
    return dict(groups)


def match_cells(before: Side, after: Side) -> Side:
    """Return `after` with the keys of `before` for cells that differ only in place.

    So an interpreter can be compared with its successor, if each side has only one of that framework and mode.
    """
    renamed: dict[Key, Key] = {}
    for key in set(after.keys) - set(before.keys):
        old, new = ([one for one in side.keys if replace(one, place=key.place) == key] for side in (before, after))
        if len(old) == len(new) == 1:
            renamed[key] = old[0]
    return Side([with_keys(one, renamed) for one in after.stored_contests])


def with_keys(stored_contest: StoredContest, renamed: Mapping[Key, Key]) -> StoredContest:
    """Return a contest with some keys renamed."""
    cells = {label: replace(cell, key=renamed.get(cell.key, cell.key)) for label, cell in stored_contest.cells.items()}
    return replace(stored_contest, cells=cells)


@dataclass(frozen=True)
class Pairing:
    """Two sides of one workload and setting, and `earlier`: all contests of the workload on this machine."""

    before: Side
    after: Side
    earlier: Sequence[StoredContest]
    confidence: float
    margin: float

    @property
    def stored_contests(self) -> list[StoredContest]:
        """The contests of both sides."""
        return [*self.before.stored_contests, *self.after.stored_contests]

    def shared_cells(self) -> list[Key]:
        """Return the cells that both sides have."""
        return [key for key in self.before.keys if key in self.after.keys]

    def unchanged_cells(self) -> list[Key]:
        """Return the cells whose contender is identical on both sides, without flaws."""
        return [key for key in self.shared_cells() if self._same(key)]

    def compare(self) -> Comparison:
        """Return the comparison of every cell; all its verdicts hold together."""
        shared, unchanged = self.shared_cells(), self.unchanged_cells()
        first, last = self.before.stored_contests[-1], self.after.stored_contests[-1]
        return Comparison(
            workload=first_key(first).workload,
            setting=first_key(first).setting,
            cells=tuple(self.cell(key, [one for one in unchanged if one != key], len(shared)) for key in shared),
            machine=tuple(machine_changes(first.machine, last.machine)),
            machine_change=self._change_of_machine(unchanged),
            missing=tuple(key.contender for key in [*self.before.keys, *self.after.keys] if key not in shared),
        )

    def cell(self, key: Key, controls: Sequence[Key], tests: int) -> Compared:
        """Return one cell relative to `controls`; its verdict is one of `tests` that hold together."""
        series = self.before.relative(key, controls), self.after.relative(key, controls)
        alike = self.known_spread(key, controls)
        interval = unpaired_interval(*series, alike, self.confidence, tests)
        verdict = judge(BEFORE, AFTER, interval, self.margin)
        degrees = freedom(*series, alike)
        doubt = self.doubt(key, controls, degrees)
        if interval is not None and not interval.steady:
            doubt = doubt or Contradiction()
        if doubt:
            verdict = replace(verdict, finding=Finding.OPEN, doubts=(doubt,))
        return Compared(
            key=key,
            seconds=(self.before.seconds(key), self.after.seconds(key)),
            verdict=verdict,
            controls=tuple(one.contender for one in controls),
            degrees=degrees,
            deviation=(alike + scatter_of_processes(series)).deviation,
            changes=tuple(changes(self.before[key].identity, self.after[key].identity)),
        )

    def known_spread(self, key: Key, controls: Sequence[Key]) -> SpreadOfEquals:
        """Return the known spread of processes besides that of the sides: from A/A controls, and from other runs.

        An A/A control belongs to one run, so without unchanged contenders it does not show how much runs differ.
        """
        known = (
            equals(series for one in self.stored_contests for series in one.equals()) if controls else SpreadOfEquals()
        )
        runs = {one.run for one in self.stored_contests}
        groups: dict[str, list[StoredContest]] = defaultdict(list)
        for one in self.earlier:
            name = self._side_of(one, [key, *controls])
            if one.run not in runs and name is not None:
                groups[name].append(one)
        return known + scatter_of_processes(Side(group).relative(key, controls) for group in groups.values())

    def doubt(self, key: Key, controls: Sequence[Key], degrees: int) -> Doubt | None:
        """Return why there can be no verdict on a cell; None if there can."""
        machines = [one.machine for one in self.stored_contests]
        if not all(same_kind(machines[0], machine) for machine in machines):
            return Incomparable.OTHER_MACHINE
        flaws = [cell.flaw for one in self.stored_contests if (cell := one.find_cell(key)) and cell.flaw]
        if flaws:
            return flaws[0]
        if degrees:
            return None
        return Incomparable.ALONE if controls else Incomparable.NO_CONTROL

    def _same(self, key: Key) -> bool:
        """Return whether a contender is identical on both sides, without flaws."""
        one, other = self.before[key], self.after[key]
        return bool(one.identity.packages) and one.same(other) and not one.flaw and not other.flaw

    def _side_of(self, one: StoredContest, keys: Sequence[Key]) -> str | None:
        """Return the side whose cells are identical to those of another contest; None if neither."""
        cells = [one.find_cell(key) for key in keys]
        if not all(cell and not cell.flaw for cell in cells):
            return None
        for name, side in ((BEFORE, self.before), (AFTER, self.after)):
            if all(cell and side[key].same(cell) for key, cell in zip(keys, cells, strict=True)):
                return name
        return None

    def _change_of_machine(self, unchanged: Sequence[Key]) -> float | None:
        """Return how much the machine changed: the ratio of times, after over before, of unchanged cells."""
        pairs = [(self.before.seconds(key), self.after.seconds(key)) for key in unchanged]
        moved = [new / old for old, new in pairs if old and new]
        return geometric_mean(moved) if moved else None


def first_key(stored_contest: StoredContest) -> Key:
    """Return the key of a contest's first cell."""
    return next(iter(stored_contest.cells.values())).key
