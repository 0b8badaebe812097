"""A whole run, summarised: with what it says of the study whose suite it is, published then beside measured now."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from rosettabench.catalogue.workload import find_workload
from rosettabench.plan.left_out import sentences
from rosettabench.plan.request import RunRequest, read_request
from rosettabench.plan.series import SERIES
from rosettabench.plan.trainings import TrainingRequest
from rosettabench.published.available import Available, catalogue
from rosettabench.published.claim import EVERY, all_claims
from rosettabench.published.judge import judge
from rosettabench.published.result import Result, all_results
from rosettabench.published.study import Study, find_study
from rosettabench.summary.estimate import Estimate
from rosettabench.summary.note import Note, NoteKind
from rosettabench.summary.records import ContestSummary, EntrySummary, RunSummary
from rosettabench.summary.run import summarise
from rosettabench.summary.study import Outcome, PartOutcome, StudySummary, ThenAndNow

if TYPE_CHECKING:
    from rosettabench.ceilings.series import CeilingSeries
    from rosettabench.store.schema import Run

EXTREMES = {"lowest": min, "highest": max}
"""Which of several parts of a claim a published number is, by the word for it in results.csv."""


def summarise_whole(run: Run, measured: Sequence[CeilingSeries] = ()) -> RunSummary:
    """Return everything that a report shows about `run`, which has to be fully loaded: of a study, its claims, too.

    `measured` is what is known of what its machine can do: `measured_here` of ceilings/ceiling.py reads it.
    """
    summary = summarise(run, measured)
    return replace(summary, study=summarise_study(run, summary))


def summarise_study(run: Run, summary: RunSummary) -> StudySummary | None:
    """Return what a run says of the study that its suite runs again; None for a run of no study."""
    asked = read_request(run.request)
    if not isinstance(asked, RunRequest | TrainingRequest) or not asked.study:
        return None
    name, study = asked.study, find_study(asked.study)
    lacking = asked.lacking if isinstance(asked, RunRequest) else ()
    left_out = sentences(asked.left_out) if isinstance(asked, RunRequest) else []
    judged = tuple(outcomes(name, [summary], catalogue(len(run.machine.get("gpus", [])))))
    return StudySummary(
        name=name,
        title=study.title,
        source=study.source,
        note=study.note,
        lacking=(*lacking, *(f"Left out: {sentence}." for sentence in left_out)),
        outcomes=judged,
        then_and_now=tuple(then_and_now(study, summary, judged)),
    )


def outcomes(study: str, runs: Sequence[RunSummary], here: Available) -> Iterator[Outcome]:
    """Yield what becomes of each claim of a study; of every study for an empty name."""
    yield from (judge(claim, runs, here) for claim in all_claims() if study in ("", claim.study))


def then_and_now(study: Study, summary: RunSummary, judged: Sequence[Outcome]) -> Iterator[ThenAndNow]:
    """Yield each published number about a workload of the run, with what was measured for it, if anything was."""
    measured = {contest.workload for contest in summary.contests}
    of_claim = {outcome.id: outcome for outcome in judged}
    for result in all_results():
        if result.study == study.name and result.workload in measured and is_about(result, summary):
            then = ThenAndNow(
                workload=result.workload,
                library=result.library,
                release=result.release,
                hardware=result.hardware,
                quantity=quantity_words(result),
                unit=result.unit,
                then=result.value,
                note=result.note,
            )
            if result.claim:
                yield compared_now(then, result, of_claim[result.claim])
            else:
                yield measured_now(then, result, study, summary)


def measured_now(then: ThenAndNow, result: Result, study: Study, summary: RunSummary) -> ThenAndNow:
    """Return a published number of one library with what the contender that answers for it measured."""
    found = next(answers(result, study.libraries.get(result.library, ()), summary.contests), None)
    if found is None:
        return then
    contest, entry, now = found
    return replace(then, contender=entry.label, now=now, asides=tuple(otherwise(result, contest)))


def compared_now(then: ThenAndNow, result: Result, outcome: Outcome) -> ThenAndNow:
    """Return a published number of a claim with what was measured for the claim.

    Of several parts the first that was measured stands for all; the lowest or highest is told once all were.
    """
    found = [part for part in outcome.parts if part.measurement.value is not None]
    if result.setting.get("ratio") in EXTREMES:
        found = [EXTREMES[result.setting["ratio"]](found, key=value_of)] if len(found) == len(outcome.parts) else []
    if not found:
        return then
    now = found[0].measurement
    where = found[0].name.removeprefix(f"{result.workload}, ") if len(outcome.parts) > 1 else ""
    estimate = Estimate(value_of(found[0]), now.low, now.high, now.rounds)
    return replace(then, contender=now.what, now=estimate, part=where, asides=now.remarks)


def value_of(part: PartOutcome) -> float:
    """Return the number that a measured part came to."""
    assert part.measurement.value is not None
    return part.measurement.value


def is_about(result: Result, summary: RunSummary) -> bool:
    """Whether a published number is about a set of series that the run has, about all of them, or about no series."""
    series = result.setting.get(SERIES, EVERY)
    trained = summary.trainings.sets if summary.trainings else ()
    here = {*(str(one.setting.get(SERIES)) for one in summary.contests), *(one.used.series for one in trained)}
    return series == EVERY or series in here


def quantity_words(result: Result) -> str:
    """Return what a published number is, with what it was published for: ``training time, epochs 10``."""
    settings = [f"{name.replace('_', ' ')} {value}" for name, value in result.setting.items()]
    return ", ".join([result.quantity, *settings])


def answers(
    result: Result, frameworks: Iterable[str], contests: Iterable[ContestSummary]
) -> Iterator[tuple[ContestSummary, EntrySummary, Estimate]]:
    """Yield the ranked contenders that answer for a published number, in their contests, with that quantity of theirs.

    Contests of the batch that the study had go first.
    """
    contests = sorted(contests, key=lambda contest: contest.setting["batch_size"] != stated_batch(contest))
    for framework in frameworks:
        for contest in contests:
            wanted = {axis: value for axis, value in result.setting.items() if axis not in ("epochs", "workers_before")}
            if "workers" in wanted:  # who counts the workers of a loader has one
                wanted["input"] = "loader"
            if contest.workload != result.workload or any(
                str(contest.setting.get(axis)) != value for axis, value in wanted.items()
            ):
                continue
            for entry in contest.ranked:
                now = same_quantity(result, contest, entry) if entry.framework == framework else None
                if now is not None:
                    yield contest, entry, now


def stated_batch(contest: ContestSummary) -> int:
    """Return the batch size that a contest's workload states, which is the study's."""
    return find_workload(contest.workload).batch_size


def otherwise(result: Result, contest: ContestSummary) -> Iterator[Note]:
    """Yield in which way a contest differs from what a number was published for, where the number does not say it."""
    if "batch_size" not in result.setting and contest.setting["batch_size"] != stated_batch(contest):
        yield Note(NoteKind.BATCH, contest.setting["batch_size"])
    if result.quantity == "training time" and contest.data and contest.data.origin != "original":
        yield Note(NoteKind.SAMPLES, contest.data.train)


def same_quantity(result: Result, contest: ContestSummary, entry: EntrySummary) -> Estimate | None:
    """Return what a contender measured of a published quantity; None where that is not to be had from this contest."""
    if result.quantity == "training throughput":
        return entry.throughput
    if result.quantity == "training time" and "epochs" in result.setting and contest.data and contest.data.train:
        steps = contest.data.train // contest.setting["batch_size"] * int(result.setting["epochs"])
        return scale_estimate(entry.step, steps)
    if result.quantity == "time per 1000 images":
        return scale_estimate(entry.step, 1000 / contest.setting["batch_size"])
    whole = [one.value for one in entry.accuracies if one.epoch is not None]
    if result.quantity == "test accuracy" and whole and contest.on_real_data:
        return Estimate(whole[-1], None, None, 1)
    if result.quantity == "CPU utilisation" and entry.costs.cpu_cores is not None:
        return Estimate(entry.costs.cpu_cores, None, None, 1)
    return None


def scale_estimate(estimate: Estimate | None, times: float) -> Estimate | None:
    """Return an estimate of so many times as much."""
    if estimate is None:
        return None
    low, high = (None if end is None else end * times for end in (estimate.low, estimate.high))
    return Estimate(estimate.value * times, low, high, estimate.rounds)
