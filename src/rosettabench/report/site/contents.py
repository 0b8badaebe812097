"""The contents of the site: the extracts of all runs, grouped by workload, framework, machine and finding."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from rosettabench.history.cell import Key
from rosettabench.history.timeline import LevelChange, Point, Timeline, timelines_of
from rosettabench.report.site.extract import ContestExtract, FindingExtract, PlaceExtract, RunExtract, remember
from rosettabench.report.words.machine import machine_title
from rosettabench.store.kind import RunKind
from rosettabench.summary.findings import FindingKind

MARGIN = 0.02
"""Smaller differences between levels of a history are ignored, as by `rosetta history`."""


RESULTS = (RunKind.RUN, RunKind.VERIFY)
"""The kinds of runs whose contests answer which contender is fastest."""


@dataclass(frozen=True)
class ContestPlace:
    """A contest, its place in the run that holds it, counted from 0, and that run."""

    run: RunExtract
    contest: ContestExtract
    number: int

    @property
    def frameworks(self) -> tuple[str, ...]:
        """Its frameworks, each once."""
        return tuple(dict.fromkeys(place.framework for place in self.contest.places))


@dataclass(frozen=True)
class ContestSeries:
    """All contests of one workload and setting on one machine, the newest first, and the histories of its cells."""

    machine: str
    workload: str
    words: str
    held: tuple[ContestPlace, ...]
    timelines: tuple[Timeline, ...]

    @cached_property
    def newest(self) -> ContestPlace:
        """The newest contest that ranks somebody, or the newest of all."""
        return next((one for one in self.held if one.contest.ranked), self.held[0])

    def day_of(self, run: str) -> str:
        """Return when one of its runs was made."""
        return next(one.run.at for one in self.held if one.run.id == run)

    @cached_property
    def level_changes(self) -> list[tuple[Timeline, LevelChange]]:
        """Every change of level, with the history that it is in."""
        return [(one, change) for one in self.timelines for change in one.level_changes]


@dataclass(frozen=True)
class Occurrence:
    """One contest in which a finding was made, and what it says there."""

    held: ContestPlace
    sentence: str


@dataclass(frozen=True)
class FindingGroup:
    """The same kind of finding about the same contender of a workload on one machine, the newest occurrence first."""

    kind: FindingKind
    workload: str
    contender: str
    framework: str
    machine: str
    occurrences: tuple[Occurrence, ...]

    @property
    def title(self) -> str:
        """What it is about, in a few words."""
        return f"{self.kind.capitalize()}: {self.contender or 'all contenders'} on {self.workload}"

    @property
    def at(self) -> str:
        """When it was found last."""
        return self.occurrences[0].held.run.at


@dataclass(frozen=True)
class SiteContents:
    """Everything that the pages of the site show; `runs` are the newest first."""

    runs: tuple[RunExtract, ...]

    @cached_property
    def machines(self) -> dict[str, str]:
        """{key of a machine: its name}, that of the newest run first."""
        return {one.machine: machine_title(one.facts) for one in self.runs}

    @cached_property
    def held(self) -> list[ContestPlace]:
        """Every contest, the newest first."""
        return [ContestPlace(run, contest, number) for run in self.runs for number, contest in enumerate(run.contests)]

    @cached_property
    def series(self) -> list[ContestSeries]:
        """Every timed workload and setting on every machine, those with a ranking and the newest first.

        Contests with planted work (calibrate), and those that only ask why (explain), are not results.
        """
        groups: dict[tuple[str, str, str], list[ContestPlace]] = defaultdict(list)
        for one in self.held:
            if not one.contest.timed or one.run.kind not in RESULTS:
                continue
            groups[one.run.machine, one.contest.workload, one.contest.setting].append(one)
        histories = self.histories
        found = [
            ContestSeries(
                machine, workload, held[0].contest.words, tuple(held), histories.get((machine, workload, setting), ())
            )
            for (machine, workload, setting), held in groups.items()
        ]
        return sorted(found, key=lambda one: (one.newest.contest.ranked, one.newest.run.at), reverse=True)

    @cached_property
    def histories(self) -> dict[tuple[str, str, str], tuple[Timeline, ...]]:
        """{(machine, workload, setting): the history of each cell}. Machines are never mixed in one history."""
        points: dict[str, dict[Key, list[Point]]] = defaultdict(lambda: defaultdict(list))
        for run in reversed(self.runs):
            for one in run.points if run.kind in RESULTS else ():
                points[run.machine][one.key].append(remember(run, one))
        found: dict[tuple[str, str, str], list[Timeline]] = defaultdict(list)
        for machine, by_key in points.items():
            for timeline in timelines_of(by_key, MARGIN):
                found[machine, timeline.key.workload, timeline.key.setting].append(timeline)
        return {where: tuple(lines) for where, lines in found.items()}

    @cached_property
    def workloads(self) -> list[str]:
        """The names of all workloads."""
        return sorted({one.contest.workload for one in self.held})

    @cached_property
    def frameworks(self) -> list[str]:
        """The names of all frameworks."""
        return sorted({name for one in self.held for name in one.frameworks})

    @cached_property
    def findings(self) -> list[FindingGroup]:
        """All findings, the gravest kind first, then the newest."""
        groups: dict[tuple[str, str, str, str], list[tuple[ContestPlace, FindingExtract]]] = defaultdict(list)
        for held in self.held:
            for one in held.contest.findings:
                groups[one.kind, held.contest.workload, one.contender, held.run.machine].append((held, one))
        found = [
            FindingGroup(
                FindingKind(kind),
                workload,
                contender,
                occurrences[0][1].framework,
                machine,
                tuple(Occurrence(held, one.sentence) for held, one in occurrences),
            )
            for (kind, workload, contender, machine), occurrences in groups.items()
        ]
        order = list(FindingKind)
        return sorted(sorted(found, key=lambda one: one.at, reverse=True), key=lambda one: order.index(one.kind))

    @cached_property
    def by_workload(self) -> dict[str, list[ContestPlace]]:
        """{workload: its contests, the newest first}."""
        found: dict[str, list[ContestPlace]] = defaultdict(list)
        for one in self.held:
            found[one.contest.workload].append(one)
        return dict(found)

    def with_framework(self, name: str) -> list[ContestSeries]:
        """Return the series in whose newest contest a framework takes part."""
        return [one for one in self.series if name in one.newest.frameworks]

    def first_places(self, name: str) -> int:
        """Return in how many of them it has rank 1."""
        held = [one.newest for one in self.with_framework(name)]
        return sum(any(place.rank == 1 for place in places_of(name, one)) for one in held)

    def changes_of(self, name: str) -> list[tuple[ContestSeries, Timeline, LevelChange]]:
        """Return the changes of level of a framework's contenders."""
        found = [(series, *one) for series in self.series for one in series.level_changes]
        return [one for one in found if one[1].key.framework == name]


def frameworks_in(held: Iterable[ContestPlace]) -> list[str]:
    """Return the names of the frameworks in some contests."""
    return sorted({name for one in held for name in one.frameworks})


def places_of(framework: str, held: ContestPlace) -> list[PlaceExtract]:
    """Return the contenders of a framework in a contest."""
    return [place for place in held.contest.places if place.framework == framework]
