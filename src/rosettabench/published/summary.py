"""Summarise a run together with its study: the published numbers beside the measured ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from rosettabench.catalogue.workload import find_workload
from rosettabench.data.origin import Origin
from rosettabench.plan.left_out import sentences
from rosettabench.plan.request import RunRequest, TrainingRequest, read_request
from rosettabench.plan.series import SERIES
from rosettabench.published.claim import EVERY
from rosettabench.published.machines import outcomes_by_machine
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
    from rosettabench.summary.measured_contest import MeasuredContest

EXTREMES = {"lowest": min, "highest": max}
"""How a published number is chosen among the parts of a claim, by the word in results.csv."""


def summarise_whole(
    run: Run, ceilings: Sequence[CeilingSeries] = (), measured: Sequence[MeasuredContest] | None = None
) -> RunSummary:
    """Return everything that a report shows about `run`, with the claims of its study. `run` must be fully loaded.

    `ceilings` are the series from which its machine's ceilings follow: `measured_here` in ceilings/ceiling.py reads
    them. `measured` are its contests, if they are at hand.
    """
    summary = summarise(run, ceilings, measured)
    return replace(summary, study=summarise_study(run, summary))


def summarise_study(run: Run, summary: RunSummary) -> StudySummary | None:
    """Return the summary of the study that a run repeats; None if it repeats none."""
    asked = read_request(run.request)
    if not isinstance(asked, RunRequest | TrainingRequest) or not asked.study:
        return None
    name, study = asked.study, find_study(asked.study)
    lacking = asked.lacking if isinstance(asked, RunRequest) else ()
    left_out = sentences(asked.left_out) if isinstance(asked, RunRequest) else []
    judged = tuple(outcomes_by_machine(name, [summary], run.machine))
    return StudySummary(
        name=name,
        title=study.title,
        source=study.source,
        note=study.note,
        lacking=(*lacking, *(f"Left out: {sentence}." for sentence in left_out)),
        outcomes=judged,
        then_and_now=tuple(then_and_now(study, summary, judged)),
    )


def then_and_now(study: Study, summary: RunSummary, judged: Sequence[Outcome]) -> Iterator[ThenAndNow]:
    """Yield each published number about a workload of the run, with the measured one if there is one."""
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
    """Add to a published number of one library the measurement of the contender that stands for it."""
    found = next(answers(result, study.libraries.get(result.library, ()), summary.contests), None)
    if found is None:
        return then
    contest, entry, now = found
    return replace(then, contender=entry.label, now=now, asides=tuple(differences_of(result, contest)))


def compared_now(then: ThenAndNow, result: Result, outcome: Outcome) -> ThenAndNow:
    """Add to a published number of a claim the measurement for the claim.

    The first measured part stands for all; the lowest or highest is only known once all parts are measured.
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
    """Return the value of a measured part."""
    assert part.measurement.value is not None
    return part.measurement.value


def is_about(result: Result, summary: RunSummary) -> bool:
    """Return whether a published number is about a set of series in the run, about all sets, or about no series."""
    series = result.setting.get(SERIES, EVERY)
    trained = summary.trainings.sets if summary.trainings else ()
    here = {*(str(one.setting.get(SERIES)) for one in summary.contests), *(one.used.series for one in trained)}
    return series == EVERY or series in here


def quantity_words(result: Result) -> str:
    """Return a published quantity with its setting, in words: ``training time, epochs 10``."""
    settings = [f"{name.replace('_', ' ')} {value}" for name, value in result.setting.items()]
    return ", ".join([result.quantity, *settings])


def answers(
    result: Result, frameworks: Iterable[str], contests: Iterable[ContestSummary]
) -> Iterator[tuple[ContestSummary, EntrySummary, Estimate]]:
    """Yield the ranked contenders that stand for a published number: (contest, contender, measured quantity).

    Contests with the study's batch size come first.
    """
    contests = sorted(contests, key=lambda contest: contest.setting["batch_size"] != stated_batch(contest))
    for framework in frameworks:
        for contest in contests:
            wanted = {axis: value for axis, value in result.setting.items() if axis not in ("epochs", "workers_before")}
            if "workers" in wanted:  # a number of workers implies a loader
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


def differences_of(result: Result, contest: ContestSummary) -> Iterator[Note]:
    """Yield in which way a contest differs from what a number was published for, where the number does not say it."""
    if "batch_size" not in result.setting and contest.setting["batch_size"] != stated_batch(contest):
        yield Note(NoteKind.BATCH, contest.setting["batch_size"])
    if result.quantity == "training time" and contest.data and contest.data.origin != Origin.ORIGINAL:
        yield Note(NoteKind.SAMPLES, contest.data.train)


def same_quantity(result: Result, contest: ContestSummary, entry: EntrySummary) -> Estimate | None:
    """Return a contender's measurement of a published quantity; None if this contest does not have it."""
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
    """Return an estimate multiplied by `times`."""
    if estimate is None:
        return None
    low, high = (None if end is None else end * times for end in (estimate.low, estimate.high))
    return Estimate(estimate.value * times, low, high, estimate.rounds)
