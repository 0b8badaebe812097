"""Write the site of a store, run by run: only one run is in memory at a time, and unchanged runs are taken over."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING

from rosettabench.errors import RosettaError
from rosettabench.history.cell import sittings
from rosettabench.report.formats.html import render_html
from rosettabench.report.formats.record import render_json
from rosettabench.report.site.contents import SiteContents
from rosettabench.report.site.extract import RunExtract, extract_run, read_extract, unreadable_run, write_extract
from rosettabench.report.site.names import page_name
from rosettabench.report.site.pages import Pages, render_assets, run_frame
from rosettabench.report.tables.trainings import render_raw

if TYPE_CHECKING:
    from rosettabench.report.site.folder import SiteFolder
    from rosettabench.report.tables.table import Table
    from rosettabench.store.schema import Run
    from rosettabench.store.store import Store
    from rosettabench.summary.records import RunSummary

Summarise = Callable[["Run"], "RunSummary"]
"""Summarises a fully loaded run."""


def write_site(
    folder: SiteFolder,
    store: Store,
    summarise: Summarise,
    proofs: Sequence[tuple[str, Table]],
    damaged: Sequence[str],
    told: Callable[[int, int], None],
) -> SiteContents:
    """Write all pages of a store and return their contents. `told` hears how many of how many runs are done.

    `proofs` are (heading, table) of the matrices; `damaged` are the keys of certificates that prove nothing.
    """
    marks, rows, found = store.marks(), store.runs(), []
    common = [house_digest(), *damaged, *sorted(run.id for run in rows if run.request.get("kind") == "peak")]
    for number, row in enumerate(rows):
        mark = sha256(json.dumps([common, marks.get(row.id)]).encode()).hexdigest()
        found.append(kept_run(folder, row, mark) or new_run(folder, store, row, mark, summarise))
        told(number + 1, len(rows))
    contents = SiteContents(tuple(found))
    for path, content in render_assets():
        folder.write(path, content)
    for path, content in Pages(contents, proofs, damaged).all():
        folder.write(path, content)
    return contents


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
    ended = found.state in ("finished", "interrupted")
    return found if ended and folder.keep(path, *files_of_run(found.stem)) else None


def new_run(folder: SiteFolder, store: Store, row: Run, mark: str, summarise: Summarise) -> RunExtract:
    """Write the page and the raw data of a run, and return its extract."""
    run = store.run(row.id)
    try:
        summary = summarise(run)
    except RosettaError as error:  # a request of another version: the run is listed with the reason
        return unreadable_run(run, error)
    found = extract_run(run, summary, sittings(run))
    page, raw, record = files_of_run(found.stem)
    folder.write(page, render_html(summary, run_frame(found.stem)).encode())
    folder.write(raw, render_raw(summary).encode())
    folder.write(record, render_json(summary).encode())
    folder.write(extract_path(found.stem, mark), write_extract(found))
    return found


@cache
def house_digest() -> str:
    """Return the sha256 of all files of the controller: pages that another version made are made again."""
    total = sha256()

    def add(place: Traversable) -> None:
        """Add a file, or the files of a folder."""
        for one in sorted(place.iterdir(), key=lambda part: part.name) if place.is_dir() else ():
            add(one)
        if place.is_file() and not place.name.endswith(".pyc"):
            total.update(place.read_bytes())

    add(files("rosettabench"))
    return total.hexdigest()
