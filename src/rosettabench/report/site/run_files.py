"""The files of one run on the site: its page, its raw data, and the extract from which the other pages are made."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from rosettabench.errors import RosettaError
from rosettabench.history.cell import stored_contests
from rosettabench.report.charts.contest import contest_charts
from rosettabench.report.formats.html import render_html
from rosettabench.report.formats.record import render_json
from rosettabench.report.site.extract import RunExtract, extract_run, read_extract, unreadable_run, write_extract
from rosettabench.report.site.names import page_name
from rosettabench.report.site.pages import run_frame
from rosettabench.report.tables.trainings import render_raw
from rosettabench.summary.measured_contest import MeasuredContest, measured_contests
from rosettabench.summary.records import RunState

if TYPE_CHECKING:
    from rosettabench.report.site.folder import SiteFolder
    from rosettabench.store.schema import Run
    from rosettabench.summary.records import RunSummary


class Runs(Protocol):
    """The runs of which pages are made."""

    def count_blocks(self) -> Mapping[str, int]:
        """Return {id: number of blocks} of all runs that have any."""

    def load(self, names: Collection[str]) -> Sequence[Run]:
        """Return the runs of these ids with all their contents."""

    def summarise(self, run: Run, measured: Sequence[MeasuredContest]) -> RunSummary:
        """Return everything that a report shows about a loaded run, which has these contests.

        Raises RosettaError if the run cannot be read.
        """


def files_of_run(stem: str) -> tuple[str, str, str]:
    """Return the paths of a run's page and of its raw data."""
    return f"runs/{stem}.html", f"data/{stem}.csv", f"data/{stem}.json"


def extract_path(stem: str, mark: str) -> str:
    """Return the path of a run's extract; its name says of which state of the run it is."""
    return f"extracts/{stem}.{mark[:16]}.json"


def kept_run(folder: SiteFolder, run: Run, mark: str) -> RunExtract | None:
    """Return the extract of a run from the old site, with its files taken over; None if it is not the same there.

    A run that has not ended is never taken over: blocks may have been added without an event.
    """
    path = extract_path(page_name(run.id), mark)
    text = folder.read_old(path)
    if text is None:
        return None
    try:
        found = read_extract(text)
    except ValueError:
        return None
    ended = found.state in (RunState.FINISHED, RunState.INTERRUPTED)
    return found if ended and folder.keep(path, *files_of_run(found.stem)) else None


def write_run(folder: SiteFolder, runs: Runs, run: Run, mark: str) -> RunExtract:
    """Write the page and the raw data of a loaded run, and return its extract."""
    try:
        measured = measured_contests(run)
        summary = runs.summarise(run, measured)
    except RosettaError as error:  # a request of another version: the run is listed with the reason
        return unreadable_run(run, error)
    charts = [contest_charts(contest, summary.labels) for contest in summary.contests]
    found = extract_run(run, summary, stored_contests(measured), charts)
    page, raw, record = files_of_run(found.stem)
    folder.write(page, render_html(summary, run_frame(found.stem), charts).encode())
    folder.write(raw, render_raw(summary).encode())
    folder.write(record, render_json(summary).encode())
    folder.write(extract_path(found.stem, mark), write_extract(found))
    return found
