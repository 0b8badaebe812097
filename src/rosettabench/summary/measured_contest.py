"""A contest as it was measured, from the rows of a loaded run. The summary and the history are both made of it.

Reading an attribute of a row goes through SQLAlchemy, so the blocks' values are taken from their dictionaries, once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from rosettabench.catalogue.workload import all_workloads
from rosettabench.errors import FailureKind
from rosettabench.plan.setting import distinguishing_words
from rosettabench.statistics.evidence import FEWEST_ROUNDS
from rosettabench.statistics.oddities import Oddity
from rosettabench.statistics.rounds import Rounds, most_turns, process_of_round, seconds_per_step
from rosettabench.store.record import Phase, Unreadable
from rosettabench.store.store import dropped_rounds, events_of, machine_of
from rosettabench.summary.doubts import load_seen, seen_in
from rosettabench.summary.proof import summarise_proof
from rosettabench.summary.records import Fault, ProofSummary, Sample

if TYPE_CHECKING:
    from rosettabench.store.schema import Contest, Entry, Event, Failure, Run


@dataclass(frozen=True)
class EntryRecord:
    """An entry with everything that belongs to it elsewhere in the run."""

    entry: Entry
    proof: ProofSummary
    happened: tuple[Event, ...]
    unreadable: dict[str, str]
    faults: tuple[Fault, ...]
    samples: tuple[Sample, ...]
    rounds: dict[int, float]

    @cached_property
    def turns(self) -> tuple[Sample, ...]:
        """The counted blocks. Warm-up blocks are recorded, but not counted."""
        return counted(self.samples)

    @property
    def rankable(self) -> bool:
        """Whether it is proven, has enough rounds for an interval, and is not the control's copy.

        A contender that did other work while it was timed is not ranked.
        """
        enough = self.proof.holds and len(self.rounds) >= FEWEST_ROUNDS
        return self.entry.control_of is None and enough and self.other_work is None

    @property
    def other_work(self) -> Fault | None:
        """The fault that it did other work while it was timed; None if there is none."""
        return next((fault for fault in self.faults if fault.kind == FailureKind.OTHER_WORK), None)


@dataclass(frozen=True)
class MeasuredContest:
    """A contest of a fully loaded run (Store.run). `name` distinguishes it from the run's other contests."""

    run: Run
    contest: Contest
    name: str

    @cached_property
    def events(self) -> list[Event]:
        """The events of the contest and its entries, in order."""
        return events_of(self.run, self.contest)

    @cached_property
    def machine(self) -> dict[str, Any]:
        """The facts of the machine on which it was measured last."""
        return machine_of(self.run, self.contest)

    @property
    def confidence(self) -> float:
        """The confidence of all its intervals together."""
        return float(self.contest.stopping["confidence"])

    @property
    def margin(self) -> float:
        """The margin of equivalence."""
        return float(self.contest.stopping["margin"])

    @cached_property
    def dropped(self) -> frozenset[int]:
        """The rounds that do not count, because something outside the contenders disturbed them."""
        return frozenset(dropped_rounds(self.run, self.contest))

    @cached_property
    def entries(self) -> tuple[EntryRecord, ...]:
        """Every entry with what belongs to it."""
        samples = [samples_of(entry) for entry in self.contest.entries]
        whole = most_turns(map(counted, samples))
        return tuple(
            self._record(entry, found, whole) for entry, found in zip(self.contest.entries, samples, strict=True)
        )

    @cached_property
    def rounds(self) -> dict[str, Rounds]:
        """{label: its rounds} of the entries that were timed."""
        return {one.entry.label: one.rounds for one in self.entries if one.rounds}

    @cached_property
    def processes(self) -> dict[int, int]:
        """{round: process in which it was measured, from 1}."""
        return process_of_round(block for one in self.entries for block in one.turns)

    @cached_property
    def oddities(self) -> tuple[Oddity, ...]:
        """The oddities of the timed entries, but for those that page, which casts no doubt."""
        turns = [block for one in self.entries for block in one.turns]
        return (*load_seen(self.events, self.dropped), *seen_in(turns, self.rounds, self.dropped, self.margin))

    def _record(self, entry: Entry, samples: tuple[Sample, ...], whole: int) -> EntryRecord:
        """Return an entry with its proof, events, failures, and seconds per step by round.

        `whole` is the number of turns in a complete round.
        """
        failures = [failure for failure in self.run.failures if failure.entry_id == entry.id]
        events = [event for event in self.run.events if event.entry_id == entry.id]
        turns = counted(samples)
        return EntryRecord(
            entry=entry,
            proof=summarise_proof(entry, {one.session for one in turns}),
            happened=tuple(events),
            unreadable={name: str(why) for told in Unreadable.all_of(events) for name, why in told.values.items()},
            faults=tuple(fault(failure, self.name, entry.label) for failure in failures),
            samples=samples,
            rounds=seconds_per_step(turns, self.dropped, whole),
        )


def measured_contests(run: Run) -> list[MeasuredContest]:
    """Return the contests of a fully loaded run, in order."""
    names = contest_names(run)
    return [MeasuredContest(run, contest, names[contest.id]) for contest in run.contests]


def contest_names(run: Run) -> dict[int, str]:
    """Return {contest id: name}: the workload, and settings unlike other contests or the usual."""
    named = {}
    for contest in run.contests:
        siblings = [other.setting for other in run.contests if other.workload == contest.workload]
        known = all_workloads().get(contest.workload)
        words = distinguishing_words(contest.setting, siblings, known) or [f"contest {contest.id}"] * (
            len(siblings) > 1
        )
        named[contest.id] = ", ".join([contest.workload, *words])
    return named


def samples_of(entry: Entry) -> tuple[Sample, ...]:
    """Return all blocks, warm-ups included, as they were measured."""
    columns = itemgetter(*Sample.__dataclass_fields__)
    return tuple(Sample(*columns(vars(block))) for block in entry.blocks)


def counted(samples: Sequence[Sample]) -> tuple[Sample, ...]:
    """Return the counted blocks."""
    return tuple(one for one in samples if one.phase == Phase.TURN)


def fault(failure: Failure, contest: str, label: str) -> Fault:
    """Return a failure in the form of a report."""
    return Fault(contest, label, failure.stage, failure.kind, failure.what, failure.hint)
