"""The error rates in this machine's calibration contests, from the store."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rosettabench.plan.request import CalibrateRequest, read_request
from rosettabench.report.formats.layout import print_table
from rosettabench.report.tables.table import Column, listing
from rosettabench.report.words import figures
from rosettabench.statistics.calibration import Calibration, Rate, Trial, calibrate
from rosettabench.statistics.ranking import compare
from rosettabench.summary.contest import gather, processes, rules

if TYPE_CHECKING:
    from rich.console import Console

    from rosettabench.store.schema import Contest, Run


def trials(runs: Iterable[Run]) -> list[Trial]:
    """Return two trials for each calibration contest in `runs`: first copy and second, first copy and planted one."""
    return [
        trial
        for run in runs
        for contest in run.contests
        for trial in contest_trials(run, contest, calibrate_request(run).planted)
    ]


def calibrate_request(run: Run) -> CalibrateRequest:
    """Return the request of a run of calibration contests."""
    asked = read_request(run.request)
    assert isinstance(asked, CalibrateRequest)
    return asked


def contest_trials(run: Run, contest: Contest, planted: float) -> list[Trial]:
    """Return the trials of one contest: the first copy and each other copy. The label tells the planted work."""
    rounds = {one.entry.label: one.rounds for one in gather(run, contest, "")}
    found = []
    for entry in contest.entries:
        if entry.control_of is None:
            continue
        pair = {label: rounds[label] for label in (entry.control_of, entry.label)}
        (verdict,) = compare(pair, *rules(contest), processes(contest))
        found.append(Trial(verdict, entry.label, 1 + planted if entry.label.endswith("%") else 1.0))
    return found


def print_calibration(found: Sequence[Trial], console: Console) -> None:
    """Print the error rates of contests between equal copies, and of those with planted work."""
    numbers = ("difference told", "right one found", "interval holds the truth", "spread", "rounds")
    columns = (Column("contests"), *(Column(heading, numeric=True) for heading in numbers))
    rows = []
    for truth in sorted({trial.truth for trial in found}):
        result = calibrate([trial for trial in found if trial.truth == truth])
        if result is not None:
            rows.append((kind(truth, result), *cells(result, truth)))
    print_table(listing("", columns, rows), console)


def kind(truth: float, result: Calibration) -> str:
    """Return the kind of contests in words: between equal copies, or with a share of planted work."""
    what = "equals (A/A)" if truth == 1 else f"{figures.percent(truth - 1)} more work planted"
    return f"{result.told.of} × {what}"


def cells(result: Calibration, truth: float) -> tuple[str, ...]:
    """Return the rates in words. Between equal copies there is nothing to detect."""
    spread = figures.MISSING if result.spread is None else f"± {figures.percent(result.spread)}"
    found = figures.MISSING if truth == 1 else words(result.found)
    return words(result.told), found, words(result.covered), spread, figures.significant(result.rounds)


def words(rate: Rate) -> str:
    """Return a rate in words: ``1 of 30, 3% (0% to 17%)``."""
    return f"{rate.happened} of {rate.of}, {rate.share:.0%} ({rate.low:.0%} to {rate.high:.0%})"
