"""Cells: a trial with its rounds and its identity, so that it can be found in another run."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log
from statistics import median
from typing import TYPE_CHECKING, Any

from rosettabench.history.identity import Identity
from rosettabench.plan.setting import with_defaults
from rosettabench.statistics.busy import Busy
from rosettabench.statistics.doubt import Doubt
from rosettabench.statistics.oddities import Gap, casts_doubt
from rosettabench.statistics.rounds import Rounds, by_process, possible, ratios
from rosettabench.store.record import ReadBack, UsedEnvironment
from rosettabench.summary.measured_contest import EntryRecord, MeasuredContest
from rosettabench.summary.records import ProofSummary

if TYPE_CHECKING:
    from rosettabench.store.schema import Contest

PLANTED = "%"
"""The end of the label of an entry with planted work (catalogue/contender.py)."""


@dataclass(frozen=True)
class Key:
    """The key of a cell: workload, setting (JSON with sorted keys), framework, mode. Cells with one key are comparable.

    `place` is the interpreter of an external environment. For a managed one it is None, so that different releases are
    comparable; only if a contest has several releases of one framework, it is the lock.
    """

    workload: str
    setting: str
    framework: str
    mode: str
    place: str | None = None

    @property
    def contender(self) -> str:
        """Framework and mode, with the place if there is one."""
        return f"{self.framework}{f'@{self.place}' if self.place else ''}:{self.mode}"

    @property
    def values(self) -> dict[str, Any]:
        """The setting as in the store."""
        return dict(json.loads(self.setting))


@dataclass(frozen=True)
class Unproven(Doubt):
    """An entry that was not proven to do equal work."""

    label: str
    proof: ProofSummary


@dataclass(frozen=True)
class TrialCell:
    """One entry of a stored contest. `flaw` is why nothing may be concluded from it; None where all is well."""

    key: Key
    label: str
    identity: Identity
    rounds: Rounds
    flaw: Doubt | None = None

    def same(self, other: TrialCell) -> bool:
        """Whether another entry has the same packages, files and settings."""
        return self.identity.own == other.identity.own


@dataclass(frozen=True)
class StoredContest:
    """A stored contest: its cells by label, the rounds of each A/A control's pair, and the process of each round."""

    run: str
    at: str
    machine: Mapping[str, Any]
    cells: Mapping[str, TrialCell]
    controls: Sequence[tuple[Rounds, Rounds]]
    processes: Mapping[int, int]

    def find_cell(self, key: Key) -> TrialCell | None:
        """Return the cell with a key; None if there is none."""
        return next((cell for cell in self.cells.values() if cell.key == key), None)

    def relative(self, key: Key, against: Sequence[Key]) -> list[list[float]]:
        """Return, for each process, the cell's time in each round over the median of the others' (1 s without others).

        Processes without a common round are left out.
        """
        own, others = self.find_cell(key), [self.find_cell(other) for other in against]
        if own is None or None in others:
            return []
        found = by_process(quotients(own.rounds, [other.rounds for other in others if other]), self.processes)
        return [[rounds[number] for number in sorted(rounds)] for _, rounds in sorted(found.items()) if rounds]

    def equals(self) -> list[list[float]]:
        """Return, for each A/A control and process, the ratio in each round."""
        split = [
            (by_process(first, self.processes), by_process(second, self.processes)) for first, second in self.controls
        ]
        found = [ratios(first[one], second[one]) for first, second in split for one in first.keys() & second.keys()]
        return [series for series in found if series]


def quotients(own: Rounds, others: Sequence[Rounds]) -> dict[int, float]:
    """Return {round: own time over the median of the others'} for the rounds in which all were timed."""
    numbers = set(own).intersection(*others)
    timed = [number for number in numbers if all(possible(rounds[number]) for rounds in (own, *others))]
    return {
        number: own[number] / exp(median([log(rounds[number]) for rounds in others]) if others else 0.0)
        for number in sorted(timed)
    }


def stored_contests(contests: Iterable[MeasuredContest]) -> list[StoredContest]:
    """Return the contests that have timed rounds."""
    return [found for one in contests if (found := stored_contest(one)).cells]


def stored_contest(measured: MeasuredContest) -> StoredContest:
    """Return one contest of a run."""
    run, flaws = measured.run, doubts(measured)
    rounds = {one.entry.label: one.rounds for one in measured.entries}
    cells = {
        label: TrialCell(key_of(measured.contest, one), label, identity(one), one.rounds, flaw(one, flaws))
        for one in measured.entries
        if one.rounds and one.entry.control_of is None
        for label in (one.entry.label,)
    }
    controls = [
        (rounds[one.entry.control_of], one.rounds)
        for one in measured.entries
        if one.entry.control_of in rounds and not one.entry.label.endswith(PLANTED)
    ]
    return StoredContest(run.id, run.at, measured.machine, cells, controls, measured.processes)


def key_of(contest: Contest, one: EntryRecord) -> Key:
    """Return the key of an entry."""
    entry = one.entry
    managed = {
        other.lock
        for other in contest.entries
        if other.lock and (other.framework, other.mode) == (entry.framework, entry.mode)
    }
    place = entry.python or (entry.lock if len(managed) > 1 else None)
    setting = json.dumps(with_defaults(contest.setting), sort_keys=True)
    return Key(contest.workload, setting, entry.framework, entry.mode, place)


def identity(one: EntryRecord) -> Identity:
    """Return the identity of an entry."""
    environment = UsedEnvironment.last_of(one.happened) or UsedEnvironment()
    settings = ReadBack.last_of(one.happened)
    return Identity(
        packages=environment.packages,
        interpreter=environment.interpreter,
        settings=settings.values if settings else {},
        hashes=dict(one.proof.hashes),
    )


def flaw(one: EntryRecord, doubts: Mapping[str, Doubt]) -> Doubt | None:
    """Return why nothing may be concluded from an entry: no proof, or an oddity of its times; empty if nothing."""
    return doubts.get(one.entry.label) if one.proof.holds else Unproven(one.entry.label, one.proof)


def doubts(measured: MeasuredContest) -> dict[str, Doubt]:
    """Return {label: doubt} of those that drifted, shifted, or have impossible times; of all on a busy machine."""
    seen = [one for one in measured.oddities if casts_doubt(one)]
    labels = [one.entry.label for one in measured.entries]
    found: dict[str, Doubt] = {label: load for load in seen if isinstance(load, Busy) for label in labels}
    return found | {one.contender: one for one in seen if not isinstance(one, Gap | Busy)}
