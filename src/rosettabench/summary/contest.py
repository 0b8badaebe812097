"""Summarise one contest: the ranking, the verdicts, the A/A control, the data, and missing contenders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rosettabench.catalogue.workload import Workload, all_workloads
from rosettabench.errors import FailureKind
from rosettabench.plan.request import ContestRequest, read_request
from rosettabench.plan.setting import with_defaults
from rosettabench.reasons.measured import MeasuredRounds
from rosettabench.reasons.shortfall import Circumstances, EnteredContender
from rosettabench.statistics.evidence import FEWEST_ROUNDS
from rosettabench.statistics.oddities import Oddity
from rosettabench.statistics.paging import Paging, find_paging
from rosettabench.statistics.ranking import Ranked, compare, rank
from rosettabench.statistics.rounds import Rounds, by_process, most_turns, process_of_round, seconds_per_step
from rosettabench.statistics.spread import Spread, spread
from rosettabench.statistics.verdict import Finding, Verdict
from rosettabench.store.machine import same_kind
from rosettabench.store.record import (
    Dropped,
    Exchanged,
    FigureName,
    JudgedForecasts,
    ReadBack,
    ShownSeries,
    Stopped,
    Unreadable,
    UsedData,
    UsedEnvironment,
    Watched,
)
from rosettabench.store.store import dropped_rounds, events_of, machine_of, unbegun
from rosettabench.summary.agreement import doubtful_settings, loss_agreement, setting_rows
from rosettabench.summary.answer import find_answer
from rosettabench.summary.doubts import cast_doubts, load_seen, seen_in
from rosettabench.summary.entry import (
    estimate,
    figures_named,
    from_interval,
    summarise_accuracies,
    summarise_areas,
    summarise_costs,
    summarise_curve,
    summarise_likelihoods,
    summarise_metrics,
    summarise_samples,
    turns,
)
from rosettabench.summary.estimate import Estimate
from rosettabench.summary.exchange import share_of_exchange
from rosettabench.summary.outlook import find_outlook
from rosettabench.summary.proof import summarise_proof
from rosettabench.summary.reasons import summarise_reasons
from rosettabench.summary.records import (
    ContestSummary,
    Control,
    DataNote,
    EntrySummary,
    Fault,
    PeakSummary,
    ProofSummary,
)
from rosettabench.summary.resources import pages_per_step, summarise_resources
from rosettabench.summary.share import rate, share, summarise_peak

if TYPE_CHECKING:
    from rosettabench.ceilings.series import CeilingSeries
    from rosettabench.store.schema import Contest, Entry, Event, Failure, Run


@dataclass(frozen=True)
class EntryRecord:
    """An entry with everything that belongs to it elsewhere in the run."""

    entry: Entry
    proof: ProofSummary
    happened: tuple[Event, ...]
    unreadable: dict[str, str]
    faults: tuple[Fault, ...]
    rounds: dict[int, float]

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
class RankPlace:
    """A place in the ranking: the rank, and the time relative to the first."""

    rank: int
    relative: Estimate | None


def gather(run: Run, contest: Contest, name: str) -> list[EntryRecord]:
    """Return every entry of the contest `name`."""
    whole = most_turns(turns(entry) for entry in contest.entries)
    return [record_of(run, contest, entry, name, whole) for entry in contest.entries]


def record_of(run: Run, contest: Contest, entry: Entry, name: str, whole: int) -> EntryRecord:
    """Return an entry of the contest `name` with its proof, events, failures, and seconds per step by round.

    `whole` is the number of turns in a complete round.
    """
    failures = [failure for failure in run.failures if failure.entry_id == entry.id]
    events = [event for event in run.events if event.entry_id == entry.id]
    return EntryRecord(
        entry=entry,
        proof=summarise_proof(entry),
        happened=tuple(events),
        unreadable={name: str(why) for told in Unreadable.all_of(events) for name, why in told.values.items()},
        faults=tuple(fault(failure, name, entry.label) for failure in failures),
        rounds=seconds_per_step(turns(entry), dropped_rounds(run, contest), whole),
    )


def summarise_contest(run: Run, contest: Contest, name: str, measured: Sequence[CeilingSeries]) -> ContestSummary:
    """Return the summary of a contest. `name` distinguishes it from the run's other contests.

    `measured` are the known ceilings of the run's machine (ceilings/ceiling.py).
    """
    machine, workload = machine_of(run, contest), workload_of(contest)
    peak = summarise_peak(contest, measured if same_kind(machine, run.machine) else ())
    records = gather(run, contest, name)
    seen = [*oddities_of(run, contest, records), *paging_of(contest, records)]
    rankable = {one.entry.label: one.rounds for one in records if one.rankable}
    verdicts, ranking = judge_pairs(contest, rankable, seen)
    places = {row.label: place_of(row, ranking) for row in ranking}
    happened = [event for event in events_of(run, contest) if event.entry_id is None]
    entries = [summarise_entry(contest, one, places.get(one.entry.label), peak) for one in records]
    held, generations = circumstances(contest, peak), processes(contest)
    reasons = summarise_reasons(
        MeasuredRounds.last_of(happened), rules(contest)[1], seen, entered_contenders(contest), held
    )
    return ContestSummary(
        name=name,
        workload=contest.workload,
        setting=with_defaults(contest.setting),
        stopping=contest.stopping,
        answer=find_answer(ranking, verdicts),
        entries=tuple(sorted(entries, key=lambda entry: order(entry, list(places)))),
        verdicts=tuple(verdicts),
        outlooks=tuple(find_outlook(verdict, rankable, generations, rules(contest)[0]) for verdict in verdicts),
        spreads=summarise_spreads(contest, ranking, rankable),
        dropped=tuple(Dropped.all_of(events_of(run, contest))),
        oddities=tuple(seen),
        processes=len(set(generations.values())),
        control=summarise_control(contest, records, seen),
        data=data_note(UsedData.last_of(happened)),
        end=Stopped.last_of(happened),
        waits=unbegun(run, contest),
        watched=tuple(Watched.all_of(events_of(run, contest))),
        agreement=loss_agreement(entries),
        settings=setting_rows(entries),
        differences=doubtful_settings(entries),
        faults=tuple(fault(failure, name, "") for failure in run.failures if of_contest(failure, contest)),
        reasons=reasons,
        why=() if reasons else why_command(run, contest, ranking),
        peak=peak,
        inference=workload is not None and workload.inference is not None,
        tokens=workload.tokens if workload is not None else None,
        shown=shown.shown if (shown := ShownSeries.last_of(happened)) else (),
        machine=machine,
    )


def entered_contenders(contest: Contest) -> list[EnteredContender]:
    """Return the contenders of a contest as they were entered."""
    return [
        EnteredContender(one.label, one.framework, one.lock.partition("@")[2] if one.lock else None, one.mode)
        for one in contest.entries
    ]


def circumstances(contest: Contest, peak: PeakSummary) -> Circumstances:
    """Return the circumstances that decide how far below the ceiling a contender may be."""
    workload = workload_of(contest)
    batch = contest.setting["batch_size"]
    known = peak.per_sample is not None and peak.ceiling is not None
    return Circumstances(
        device=contest.setting["device"],
        at_ceiling=peak.per_sample * batch / peak.ceiling if known else None,
        recurrent=workload is not None and any(one.kind == "recurrent" for one in workload.operations.values()),
    )


def workload_of(contest: Contest) -> Workload | None:
    """Return the workload of a contest; None if the catalogue no longer has it."""
    return all_workloads().get(contest.workload)


def oddities_of(run: Run, contest: Contest, records: Sequence[EntryRecord]) -> list[Oddity]:
    """Return the oddities of a contest's timed contenders, without those of `paging_of`."""
    dropped = dropped_rounds(run, contest)
    return [
        *load_seen(run, contest, dropped),
        *seen_in(contest, timed_rounds(records), dropped, rules(contest)[1]),
    ]


def paging_of(contest: Contest, records: Sequence[EntryRecord]) -> list[Paging]:
    """Return the timed contenders of which some processes page. That casts no doubt."""
    pages = {one.entry.label: pages_per_step(one.entry) for one in records}
    return find_paging(timed_rounds(records), processes(contest), pages, rules(contest)[1])


def timed_rounds(records: Sequence[EntryRecord]) -> dict[str, Rounds]:
    """Return {label: its rounds} of the contenders that were timed."""
    return {one.entry.label: one.rounds for one in records if one.rounds}


def why_command(run: Run, contest: Contest, ranking: Sequence[Ranked]) -> tuple[str, ...]:
    """Return the words of the command that explains the difference between the first two ranked.

    Empty without two, and on several devices, whose steps `rosetta explain` does not take apart.
    """
    if len(ranking) < 2 or with_defaults(contest.setting)["devices"] > 1:
        return ()
    asked = read_request(run.request)
    assert isinstance(asked, ContestRequest)
    varied = asked.axes_of(contest.workload)
    axes = [f"--set={axis}={contest.setting[axis]}" for axis in varied if axis in contest.setting]
    return "rosetta", "explain", contest.workload, *(row.label for row in ranking[:2]), *axes


def summarise_spreads(
    contest: Contest, ranking: Sequence[Ranked], rounds: Mapping[str, Rounds]
) -> tuple[tuple[str, Spread], ...]:
    """Return the spread of each ranked contender's time relative to the first, by rounds and by processes."""
    generations = processes(contest)
    groups = {row.label: by_process(rounds[row.label], generations) for row in ranking}
    found = [(row.label, spread(groups[ranking[0].label], groups[row.label])) for row in ranking[1:]]
    return tuple((label, one) for label, one in found if one is not None)


def judge_pairs(
    contest: Contest, rounds: Mapping[str, Rounds], seen: Sequence[Oddity]
) -> tuple[list[Verdict], list[Ranked]]:
    """Return the verdict on every pair, in the order of the ranking, and the ranking."""
    confidence, margin = rules(contest)
    generations = processes(contest)
    verdicts = cast_doubts(compare(rounds, confidence, margin, generations), seen)
    ranking = rank(rounds, verdicts, confidence, generations)
    labels = [row.label for row in ranking]
    return sorted(verdicts, key=lambda pair: sorted(map(labels.index, (pair.faster, pair.slower)))), ranking


def place_of(row: Ranked, ranking: Sequence[Ranked]) -> RankPlace:
    """Return a row of the ranking as a RankPlace. The relative time of the first is exactly 1."""
    if row is ranking[0]:
        return RankPlace(row.rank, Estimate(1.0, 1.0, 1.0, 0))
    return RankPlace(row.rank, from_interval(row.relative) if row.relative else None)


def rules(contest: Contest) -> tuple[float, float]:
    """Return the confidence and the margin of equivalence of a contest."""
    stopping = contest.stopping
    return stopping["confidence"], stopping["margin"]


def processes(contest: Contest) -> dict[int, int]:
    """Return {round: process in which it was measured, from 1}."""
    return process_of_round([block for entry in contest.entries for block in turns(entry)])


def summarise_control(contest: Contest, records: Sequence[EntryRecord], seen: Sequence[Oddity]) -> Control | None:
    """Return the result of the A/A control, judged by itself; None if it did not run."""
    rounds = {record.entry.label: record.rounds for record in records}
    copy = next((entry for entry in contest.entries if entry.control_of in rounds), None)
    if copy is None or copy.control_of is None:
        return None
    original = copy.control_of
    pair = {label: rounds[label] for label in (original, copy.label)}
    (verdict,) = cast_doubts(compare(pair, *rules(contest), processes(contest)), seen)
    false = verdict.finding is Finding.FASTER
    return Control(original, copy.label, verdict, false)


def summarise_entry(contest: Contest, record: EntryRecord, place: RankPlace | None, peak: PeakSummary) -> EntrySummary:
    """Return the summary of one contender. `place` is its place in the ranking; None if it is not ranked."""
    entry, happened = record.entry, record.happened
    confidence = contest.stopping["confidence"]
    environment = UsedEnvironment.last_of(happened) or UsedEnvironment()
    settings = ReadBack.last_of(happened)
    step = estimate(list(record.rounds.values()), confidence)
    achieved = rate(step, peak, contest.setting["batch_size"])
    return EntrySummary(
        label=entry.label,
        framework=entry.framework,
        mode=entry.mode,
        environment=entry.lock or entry.python or "",
        interpreter=environment.interpreter,
        packages=environment.packages,
        settings=settings.values if settings else {},
        control_of=entry.control_of,
        proof=record.proof,
        rank=place.rank if place else None,
        relative=place.relative if place else None,
        step=step,
        throughput=step.inverse(contest.setting["batch_size"]) if step else None,
        curve=summarise_curve(entry, contest.setting["batch_size"]),
        accuracies=summarise_accuracies(entry),
        costs=summarise_costs(entry),
        resources=summarise_resources(entry, record.unreadable),
        faults=record.faults,
        rounds=record.rounds,
        samples=summarise_samples(entry),
        rate=achieved,
        share=share(achieved, peak),
        first_steps={figure.session: figure.value for figure in figures_named(entry, FigureName.FIRST_STEP)},
        areas=summarise_areas(entry),
        likelihoods=summarise_likelihoods(entry),
        metrics=summarise_metrics(entry),
        forecasts=JudgedForecasts.last_of(happened),
        exchange=share_of_exchange(Exchanged.all_of(happened), confidence),
    )


def order(entry: EntrySummary, ranking: Sequence[str]) -> tuple[int, int]:
    """Return the sort key of ContestSummary.entries."""
    if entry.rank is not None:
        return 0, ranking.index(entry.label)
    if entry.control_of is not None:
        return 3, 0
    return (1 if entry.step is not None else 2), 0


def of_contest(failure: Failure, contest: Contest) -> bool:
    """Return whether a failure affected the contest as a whole."""
    return failure.contest_id == contest.id and failure.entry_id is None


def data_note(used: UsedData | None) -> DataNote | None:
    """Return a note on the data that a contest used; None if they are not known."""
    return None if used is None else DataNote(**used.model_dump())


def fault(failure: Failure, contest: str, label: str) -> Fault:
    """Return a failure in the form of a report."""
    return Fault(contest, label, failure.stage, failure.kind, failure.what, failure.hint)
