"""Summarise one contest: the ranking, the verdicts, the A/A control, the data, and missing contenders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rosettabench.catalogue.workload import Workload, all_workloads
from rosettabench.plan.request import ContestRequest, read_request
from rosettabench.plan.setting import with_defaults
from rosettabench.reasons.measured import MeasuredRounds
from rosettabench.reasons.shortfall import Circumstances, EnteredContender
from rosettabench.statistics.oddities import Oddity
from rosettabench.statistics.paging import Paging, find_paging
from rosettabench.statistics.ranking import Ranked, compare, rank
from rosettabench.statistics.rounds import Processes, Rounds, by_process
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
    UsedData,
    UsedEnvironment,
    Watched,
)
from rosettabench.store.store import unbegun
from rosettabench.summary.agreement import doubtful_settings, loss_agreement, setting_rows
from rosettabench.summary.answer import find_answer
from rosettabench.summary.doubts import cast_doubts
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
)
from rosettabench.summary.estimate import Estimate
from rosettabench.summary.exchange import share_of_exchange
from rosettabench.summary.measured_contest import EntryRecord, MeasuredContest, fault
from rosettabench.summary.outlook import find_outlook
from rosettabench.summary.reasons import summarise_reasons
from rosettabench.summary.records import (
    ContestSummary,
    Control,
    DataNote,
    EntrySummary,
    PeakSummary,
)
from rosettabench.summary.resources import pages_per_step, summarise_resources
from rosettabench.summary.share import rate, share, summarise_peak

if TYPE_CHECKING:
    from rosettabench.ceilings.series import CeilingSeries
    from rosettabench.store.schema import Contest, Failure, Run


@dataclass(frozen=True)
class RankPlace:
    """A place in the ranking: the rank, and the time relative to the first."""

    rank: int
    relative: Estimate | None


def summarise_contest(one: MeasuredContest, ceilings: Sequence[CeilingSeries] = ()) -> ContestSummary:
    """Return the summary of a contest. `ceilings` are the known ones of the run's machine (ceilings/ceiling.py)."""
    run, contest = one.run, one.contest
    workload = workload_of(contest)
    peak = summarise_peak(contest, ceilings if same_kind(one.machine, run.machine) else ())
    seen = [*one.oddities, *paging_of(one)]
    rankable = {entry.entry.label: entry.rounds for entry in one.entries if entry.rankable}
    verdicts, ranking = judge_pairs(one, rankable, seen)
    places = {row.label: place_of(row, ranking) for row in ranking}
    happened = [event for event in one.events if event.entry_id is None]
    entries = [summarise_entry(contest, entry, places.get(entry.entry.label), peak) for entry in one.entries]
    reasons = summarise_reasons(
        MeasuredRounds.last_of(happened), one.margin, seen, entered_contenders(contest), circumstances(contest, peak)
    )
    return ContestSummary(
        name=one.name,
        workload=contest.workload,
        setting=with_defaults(contest.setting),
        stopping=contest.stopping,
        answer=find_answer(ranking, verdicts),
        entries=tuple(sorted(entries, key=lambda entry: order(entry, list(places)))),
        verdicts=tuple(verdicts),
        outlooks=tuple(find_outlook(verdict, rankable, one.processes, one.confidence) for verdict in verdicts),
        spreads=summarise_spreads(one.processes, ranking, rankable),
        dropped=tuple(Dropped.all_of(one.events)),
        oddities=tuple(seen),
        processes=len(set(one.processes.values())),
        control=summarise_control(one, seen),
        data=data_note(UsedData.last_of(happened)),
        end=Stopped.last_of(happened),
        waits=unbegun(run, contest),
        watched=tuple(Watched.all_of(one.events)),
        agreement=loss_agreement(entries),
        settings=setting_rows(entries),
        differences=doubtful_settings(entries),
        faults=tuple(fault(failure, one.name, "") for failure in run.failures if of_contest(failure, contest)),
        reasons=reasons,
        why=() if reasons else why_command(run, contest, ranking),
        peak=peak,
        inference=workload is not None and workload.inference is not None,
        tokens=workload.tokens if workload is not None else None,
        shown=shown.shown if (shown := ShownSeries.last_of(happened)) else (),
        machine=one.machine,
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


def paging_of(one: MeasuredContest) -> list[Paging]:
    """Return the timed contenders of which some processes page. That casts no doubt."""
    pages = {entry.entry.label: pages_per_step(entry.entry, entry.turns) for entry in one.entries}
    return find_paging(one.rounds, one.processes, pages, one.margin)


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
    processes: Processes, ranking: Sequence[Ranked], rounds: Mapping[str, Rounds]
) -> tuple[tuple[str, Spread], ...]:
    """Return the spread of each ranked contender's time relative to the first, by rounds and by processes."""
    groups = {row.label: by_process(rounds[row.label], processes) for row in ranking}
    found = [(row.label, spread(groups[ranking[0].label], groups[row.label])) for row in ranking[1:]]
    return tuple((label, one) for label, one in found if one is not None)


def judge_pairs(
    one: MeasuredContest, rounds: Mapping[str, Rounds], seen: Sequence[Oddity]
) -> tuple[list[Verdict], list[Ranked]]:
    """Return the verdict on every pair, in the order of the ranking, and the ranking."""
    verdicts = cast_doubts(compare(rounds, one.confidence, one.margin, one.processes), seen)
    ranking = rank(rounds, verdicts, one.confidence, one.processes)
    labels = [row.label for row in ranking]
    return sorted(verdicts, key=lambda pair: sorted(map(labels.index, (pair.faster, pair.slower)))), ranking


def place_of(row: Ranked, ranking: Sequence[Ranked]) -> RankPlace:
    """Return a row of the ranking as a RankPlace. The relative time of the first is exactly 1."""
    if row is ranking[0]:
        return RankPlace(row.rank, Estimate(1.0, 1.0, 1.0, 0))
    return RankPlace(row.rank, from_interval(row.relative) if row.relative else None)


def summarise_control(one: MeasuredContest, seen: Sequence[Oddity]) -> Control | None:
    """Return the result of the A/A control, judged by itself; None if it did not run."""
    rounds = {record.entry.label: record.rounds for record in one.entries}
    copy = next((entry for entry in one.contest.entries if entry.control_of in rounds), None)
    if copy is None or copy.control_of is None:
        return None
    original = copy.control_of
    pair = {label: rounds[label] for label in (original, copy.label)}
    (verdict,) = cast_doubts(compare(pair, one.confidence, one.margin, one.processes), seen)
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
        curve=summarise_curve(record.samples, contest.setting["batch_size"]),
        accuracies=summarise_accuracies(entry),
        costs=summarise_costs(entry, record.turns),
        resources=summarise_resources(entry, record.unreadable),
        faults=record.faults,
        rounds=record.rounds,
        samples=record.samples,
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
