"""The tables of a contest, independent of the report's format."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import isfinite

from rosettabench.lab.fairness import POLICY
from rosettabench.report.tables.table import (
    CONTENDER,
    NOTHING,
    Column,
    Span,
    Table,
    TableCell,
    estimate_cell,
    relative_cell,
    with_warning,
)
from rosettabench.report.words import figures
from rosettabench.report.words.proof import standing_words
from rosettabench.statistics.spread import SpreadDeviation
from rosettabench.summary.estimate import Estimate
from rosettabench.summary.records import (
    Accuracy,
    CheckSummary,
    ContestSummary,
    EntrySummary,
    Fault,
    MeanAucSummary,
    MeanLikelihood,
    MeasuredFigure,
    MetricValue,
    RunSummary,
)

Score = Accuracy | MeanAucSummary | MeanLikelihood | MetricValue
"""One evaluation, by whatever it was."""

PER_1000 = Column("time per 1,000 images", numeric=True, spare=1)
"""The column of times in the form in which studies of inference state them."""

PER_TOKEN = Column("time per token", numeric=True, spare=1)
"""The column of times in which a language model answers: all samples of a batch get a token in that time."""


def of_images(contest: ContestSummary) -> bool:
    """Return whether a contest is inference of images: all is, but that of language models."""
    return contest.inference and contest.tokens is None


def ranking_table(contest: ContestSummary) -> Table:
    """Return the ranking, then unranked contenders with measurements, then missing ones, with the reasons."""
    confidence = figures.percent(contest.stopping["confidence"])
    caption = (
        f"{'Ranking of inference' if contest.inference else 'Ranking'}. "
        "Contenders share a rank if no difference between them is sure. Below each: its mode. "
        f"Intervals: {confidence}; those of ratios are paired within rounds and hold together."
    )
    shown = [*contest.ranked, *contest.unranked]
    columns: tuple[Column, ...] = (
        Column("rank", numeric=True),
        CONTENDER,
        Column("time / fastest", numeric=True),
        Column("time per batch" if contest.inference else "time per step", numeric=True),
        Column("images per second" if of_images(contest) else "samples per second", numeric=True, spare=2),
        PER_1000 if of_images(contest) else PER_TOKEN if contest.inference else metric_column(shown, contest.tokens),
        Column("proof"),
    )
    rows = [ranking_cells(contest, entry) for entry in shown]
    if contest.tokens is not None:
        columns = (*columns[:-2], Column("tokens per second", numeric=True, spare=1), *columns[-2:])
        rows = [
            (*row[:-2], tokens_cell(entry, contest.tokens), *row[-2:]) for row, entry in zip(rows, shown, strict=True)
        ]
    if contest.peak.ceiling is not None:
        columns = (*columns[:-1], Column("of peak", numeric=True, spare=3), columns[-1])
        rows = [(*row[:-1], share_cell(entry), row[-1]) for row, entry in zip(rows, shown, strict=True)]
    return Table(with_warning(contest, caption), columns, tuple(rows))


def overview_table(summary: RunSummary) -> Table:
    """Return the overview of a run: a row for each contest, with each contender's time over that of the fastest."""
    told = compared_contests(summary)
    labels = [label for label in summary.labels if any(label in ratios_of(contest) for contest in told)]
    columns = (Column("contest"), *(Column(label, numeric=True, contender=True) for label in labels))
    rows = tuple(
        (
            TableCell(contest.name),
            *(relative_cell(ratios_of(contest).get(label)) for label in labels),
        )
        for contest in told
    )
    return Table("Time relative to the fastest of each contest, with its interval.", columns, rows)


def compared_contests(summary: RunSummary) -> list[ContestSummary]:
    """Return the contests that compare at least two contenders."""
    return [contest for contest in summary.contests if len(ratios_of(contest)) > 1]


def ratios_of(contest: ContestSummary) -> dict[str, Estimate]:
    """Return the time relative to the fastest for each ranked contender that has one."""
    return {entry.label: entry.relative for entry in contest.ranked if entry.relative is not None}


def share_cell(entry: EntrySummary) -> TableCell:
    """Return the share of the ceiling that a contender reaches, in percent."""
    return estimate_cell(entry.share, figures.percent, lambda _, low, high: figures.span(100 * low, 100 * high))


def tokens_cell(entry: EntrySummary, tokens: int) -> TableCell:
    """Return the tokens that a contender trains on in a second, of so many in a sample."""
    return estimate_cell(entry.throughput and entry.throughput.times(tokens), figures.significant)


def answer_cell(contest: ContestSummary, entry: EntrySummary) -> TableCell:
    """Return the time of 1,000 images, in batches of the contest's size; of a language model that of a token."""
    if entry.step is None:
        return NOTHING
    batches = 1000 / contest.setting["batch_size"] if contest.tokens is None else 1 / contest.tokens
    return TableCell(figures.seconds(batches * entry.step.value))


def ranking_cells(contest: ContestSummary, entry: EntrySummary) -> tuple[TableCell, ...]:
    """Return one contender's row of the ranking."""
    return (
        TableCell(str(entry.rank)) if entry.rank is not None else NOTHING,
        TableCell(entry.label, entry.mode),
        relative_cell(entry.relative),
        estimate_cell(entry.step, figures.seconds, figures.seconds_span),
        estimate_cell(entry.throughput, figures.significant),
        answer_cell(contest, entry) if contest.inference else metric_cell(entry),
        TableCell("proven") if entry.rank is not None else TableCell("not ranked", standing_words(entry), marked=True),
    )


def metric_column(shown: Sequence[EntrySummary], tokens: int | None) -> Column:
    """Return the column for the metric of the evaluation. After a training it is what the reader waits for."""
    title = "test accuracy"
    if any(entry.areas for entry in shown):
        title = "test mean ROC AUC"
    named = {one.metric for entry in shown for one in entry.metrics}
    if not named and tokens:  # a language model that was not evaluated
        named = {"cross-entropy"}
    if named:
        title = f"test {' and '.join(sorted(metric_words(one, tokens) for one in named))}"
    if any(entry.likelihoods for entry in shown):
        title = "horizon NLL, true lags"
    trained = any(score.epoch is not None for entry in shown for score in scores_of(entry))
    return Column(title, numeric=True, spare=0 if trained else 1)


def scores_of(entry: EntrySummary) -> Sequence[Score]:
    """Return the evaluations of a contender, by whatever they were."""
    return entry.metrics or entry.likelihoods or entry.areas or entry.accuracies


def metric_words(metric: str, tokens: int | None) -> str:
    """Return a metric; of a language model, whose samples have `tokens`, with its unit."""
    return f"{metric}, nats per token" if metric == "cross-entropy" and tokens else metric


def metric_cell(entry: EntrySummary) -> TableCell:
    """Return what the evaluations gave: by the folder's metric, the likelihood, the ROC area, or the accuracy."""
    scores = scores_of(entry)
    if not scores:
        return NOTHING
    if scores is entry.areas:
        return area_cell(entry.areas)
    if scores is entry.accuracies or (entry.metrics and entry.metrics[-1].metric == "accuracy"):
        return score_cell(scores, max, figures.percent)
    return score_cell(scores, min)


def area_cell(areas: Sequence[MeanAucSummary]) -> TableCell:
    """Return the mean area under the ROC curve as `score_cell` does, and the number of labels in it."""
    cell, last = score_cell(areas, max), areas[-1]
    over = "" if last.labels == last.of else f"{last.labels} of {last.of} labels"
    return TableCell(cell.text, ", ".join(filter(None, (cell.note, over))))


def score_cell(
    scores: Sequence[Score],
    best: Callable[..., Score],
    written: Callable[[float], str] = figures.significant,
) -> TableCell:
    """Return the last of some evaluations, and the number of epochs before it.

    A network that has trained for too long was better before: then the best evaluation and its epoch stand beside it.
    `best`, min or max, chooses among values; one that is not a number is never the best.
    """
    last = scores[-1]
    if last.epoch is None:
        return TableCell(written(last.value))
    trained = [score for score in scores if score.epoch is not None and isfinite(score.value)]
    peak = best(trained, key=lambda score: score.value, default=last)
    better = (
        f"; best: {written(peak.value)} in epoch {peak.epoch}" if written(peak.value) != written(last.value) else ""
    )
    return TableCell(written(last.value), f"epoch {last.epoch}{better}")


def costs_table(contest: ContestSummary) -> Table:
    """Return the separate costs of each contender."""
    what = "batch" if contest.inference else "step"
    columns = (
        CONTENDER,
        Column("import", numeric=True),
        Column("build", numeric=True, spare=4),
        Column("load data", numeric=True, spare=3),
        Column(f"first {what}", numeric=True),
        Column(f"steady {what}", numeric=True),
        Column("evaluation per 1,000 samples", numeric=True, spare=2),
        Column("peak memory", numeric=True),
        Column("CPU", numeric=True, spare=1),
    )
    caption = (
        "Costs apart. CPU: during timed blocks, 100% is one core; memory: process tree, 1 MB is 1,000,000 bytes. "
        "Beside a figure: its interval, or the extremes of several measurements; without, it was measured once."
    )
    rows = tuple(costs_cells(entry) for entry in [*contest.ranked, *contest.unranked] if has_costs(entry))
    return Table(with_warning(contest, caption), columns, rows)


def spread_table(contest: ContestSummary) -> Table:
    """Return the spread of the ratios, between rounds and between processes."""
    columns = (
        CONTENDER,
        Column("rounds", numeric=True),
        Column("from round to round", numeric=True),
        Column("processes", numeric=True),
        Column("from process to process", numeric=True),
    )
    caption = (
        "Spread of the time relative to the fastest: standard deviations with their 95% intervals. "
        "One process says nothing about another; intervals over several processes include the spread of fresh ones."
    )
    rows = tuple(
        (
            TableCell(label),
            TableCell(str(spread.rounds)),
            deviation_cell(spread.within),
            TableCell(str(spread.sessions)),
            NOTHING if spread.between is None else deviation_cell(spread.between),
        )
        for label, spread in contest.spreads
    )
    return Table(with_warning(contest, caption), columns, rows)


def deviation_cell(deviation: SpreadDeviation) -> TableCell:
    """Return a standard deviation in percent, with its interval if it has one."""
    low, high = deviation.low, deviation.high
    note = "" if low is None or high is None else f"{figures.percent(low)} to {figures.percent(high)}"
    return TableCell(figures.percent(deviation.value), note)


def rounds_table(contest: ContestSummary) -> Table:
    """Return every contender's time in each round, from which all verdicts follow."""
    timed = [entry for entry in contest.entries if entry.rounds]
    numbers = sorted({number for entry in timed for number in entry.rounds})
    what = "batch" if contest.inference else "step"
    caption = (
        f"Time per {what} in each round, from all its blocks. The verdicts follow from the ratios within these rows."
    )
    columns = (Column("round", numeric=True), *(Column(entry.label, numeric=True, contender=True) for entry in timed))
    rows = tuple(
        (
            TableCell(str(number)),
            *(
                TableCell(figures.seconds(entry.rounds[number])) if number in entry.rounds else NOTHING
                for entry in timed
            ),
        )
        for number in numbers
    )
    return Table(with_warning(contest, caption), columns, rows)


def has_costs(entry: EntrySummary) -> bool:
    """Return whether any cost of a contender was measured."""
    return any(value is not None for value in vars(entry.costs).values())


def costs_cells(entry: EntrySummary) -> tuple[TableCell, ...]:
    """Return one contender's row of the costs."""
    costs = entry.costs
    cores = costs.cpu_cores
    return (
        TableCell(entry.label),
        range_cell(costs.import_s, figures.seconds, figures.seconds_span),
        range_cell(costs.build_s, figures.seconds, figures.seconds_span),
        range_cell(costs.load_s, figures.seconds, figures.seconds_span),
        range_cell(costs.first_step_s, figures.seconds, figures.seconds_span),
        estimate_cell(entry.step, figures.seconds, figures.seconds_span),
        range_cell(costs.evaluate_per_1000_s, figures.seconds, figures.seconds_span),
        range_cell(costs.peak_memory_bytes, figures.memory, figures.memory_span),
        NOTHING if cores is None else TableCell(figures.percent(cores)),
    )


def range_cell(measured: MeasuredFigure | None, written: Callable[[float], str], extremes: Span) -> TableCell:
    """Return a figure; if it was measured more than once, the median with the extremes."""
    if measured is None:
        return NOTHING
    if measured.times == 1:
        return TableCell(written(measured.value))
    words = extremes(measured.value, measured.low, measured.high)
    return TableCell(written(measured.value), f"{words}, {measured.times} times")


def settings_table(contest: ContestSummary) -> Table:
    """Return the settings that the frameworks report, with marks on wrong differences."""
    labels = [entry.label for entry in contest.entries if entry.settings]
    columns = (Column("setting"), *(Column(label, contender=True) for label in labels))
    caption = f"Settings in force, read back from the frameworks. {POLICY} Marked: contenders that should agree do not."
    rows = tuple(
        (
            TableCell(row.name, "differs" if row.differs else "", marked=row.differs),
            *(TableCell(row.values.get(label, figures.MISSING), marked=row.differs) for label in labels),
        )
        for row in contest.settings
    )
    return Table(with_warning(contest, caption), columns, rows)


def tightest_table(contest: ContestSummary, entry: EntrySummary) -> Table:
    """Return for each quantity of a certificate the check nearest to its tolerance."""
    columns = (
        Column("quantity"),
        Column("tensor"),
        Column("step", numeric=True),
        Column("deviation", numeric=True),
        Column("tolerance", numeric=True),
        Column("share used", numeric=True),
    )
    caption = f"{entry.label}: for each quantity, the check that came nearest to its tolerance."
    return Table(with_warning(contest, caption), columns, tuple(map(check_cells, entry.proof.tightest)))


def check_cells(check: CheckSummary) -> tuple[TableCell, ...]:
    """Return one check as a row."""
    return (
        TableCell(check.quantity),
        TableCell(check.tensor or figures.MISSING),
        TableCell(figures.MISSING if check.step is None else str(check.step)),
        TableCell(figures.significant(check.deviation)),
        TableCell(figures.significant(check.tolerance)),
        TableCell(figures.percent(check.share), "" if check.passed else "too far", marked=not check.passed),
    )


def faults_table(faults: Sequence[Fault]) -> Table:
    """Return the failures: the contender, the stage, the reason, and what to do."""
    columns = (
        Column("contest"),
        CONTENDER,
        Column("stage"),
        Column("kind"),
        Column("what happened"),
        Column("what to do"),
    )
    rows = tuple(
        (
            TableCell(fault.contest or "whole run"),
            TableCell(fault.label or "all"),
            TableCell(fault.stage),
            TableCell(fault.kind.replace("_", " ")),
            TableCell(fault.what),
            TableCell(fault.hint or figures.MISSING),
        )
        for fault in faults
    )
    return Table("Failures: a failure is a result.", columns, rows)


def all_faults(summary: RunSummary) -> tuple[Fault, ...]:
    """Return every failure of the run: of the whole run, of contests, entries and trainings."""
    of_contests = [
        fault
        for contest in summary.contests
        for fault in (*contest.faults, *(fault for entry in contest.entries for fault in entry.faults))
    ]
    return (*summary.faults, *of_contests, *(summary.trainings.faults if summary.trainings else ()))


def versions_table(summary: RunSummary) -> Table:
    """Return the environment of each contender."""
    columns = (CONTENDER, Column("environment"), Column("Python"), Column("mode"), Column("packages", numeric=True))
    rows = tuple(
        (
            TableCell(entry.label),
            TableCell(entry.environment or figures.MISSING),
            TableCell(entry.interpreter or figures.MISSING),
            TableCell(entry.mode),
            TableCell(figures.count(len(entry.packages)) if entry.packages else figures.MISSING),
        )
        for entry in contenders(summary)
    )
    return Table("Versions: each contender in an environment of its own.", columns, rows)


def contenders(summary: RunSummary) -> Iterable[EntrySummary]:
    """Return one entry for each contender of the run, preferably one that knows its packages."""
    found: dict[str, EntrySummary] = {}
    for contest in summary.contests:
        for entry in contest.entries:
            if entry.control_of is None and (entry.label not in found or not found[entry.label].packages):
                found[entry.label] = entry
    return [found[label] for label in summary.labels if label in found]
