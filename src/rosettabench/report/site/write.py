"""Write the site of a store: runs that have not changed are taken over, new ones are written by several processes."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING

from rosettabench.report.site.contents import SiteContents
from rosettabench.report.site.pages import Pages, render_assets
from rosettabench.report.site.processes import OpenRuns, write_runs
from rosettabench.report.site.run_files import kept_run
from rosettabench.store.kind import RunKind, kind_of

if TYPE_CHECKING:
    from rosettabench.report.site.folder import SiteFolder
    from rosettabench.report.tables.table import Table
    from rosettabench.store.schema import Run


def write_site(
    folder: SiteFolder,
    rows: Sequence[Run],
    states: Mapping[str, tuple[int, int]],
    open_runs: OpenRuns,
    proofs: Callable[[], Sequence[tuple[str, Table]]],
    damaged: Sequence[str],
    on_progress: Callable[[int, int], None],
) -> SiteContents:
    """Write all pages of a store and return their contents.

    `rows` are its runs, the newest first, and `states` are (number of events, the last one's id) of each; `open_runs`
    opens them again, in other processes. `proofs` returns (heading, table) of the matrices; `damaged` are the keys of
    certificates that prove nothing. `on_progress` is told how many of how many runs are done.
    """
    common = [house_digest(), *damaged, *sorted(run.id for run in rows if kind_of(run.request) is RunKind.PEAK)]
    marks = {row.id: sha256(json.dumps([common, states.get(row.id)]).encode()).hexdigest() for row in rows}
    found = {row.id: kept for row in rows if (kept := kept_run(folder, row, marks[row.id])) is not None}
    on_progress(len(found), len(rows))
    for one in write_runs(folder, open_runs, [mark for mark in marks.items() if mark[0] not in found]):
        found[one.id] = one
        on_progress(len(found), len(rows))
    contents = SiteContents(tuple(found[row.id] for row in rows))
    for path, content in render_assets():
        folder.write(path, content)
    for path, content in Pages(contents, proofs(), damaged).all():
        folder.write(path, content)
    return contents


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
