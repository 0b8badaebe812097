"""``rosetta site``: write a static site from a store."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rosettabench.cli.options import StoreUrl
from rosettabench.cli.page import NO_FAULT_OF_THE_NAME
from rosettabench.errors import RosettaError, UsageError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from rosettabench.ceilings.series import CeilingSeries
    from rosettabench.report.tables.table import Table
    from rosettabench.store.schema import Certificate, Run
    from rosettabench.store.store import Store
    from rosettabench.summary.measured_contest import MeasuredContest
    from rosettabench.summary.records import RunSummary


def site(
    out: Annotated[Path, typer.Argument(help="The folder of the site: new, empty, or that of an earlier site.")],
    store: StoreUrl = None,
) -> None:
    """Write a static site from a store.

    Its pages open from a folder and from any web server: one for each workload, framework, machine, finding and run,
    the histories with their changes of level, the matrix of proofs, and raw data to download. The pages load nothing
    from elsewhere. The folder is replaced when all is written; runs that have not changed since the earlier site are
    taken over from it.

    Example: rosetta site public
    """
    from concurrent.futures import ThreadPoolExecutor

    from rosettabench.ceilings.ceiling import measured_by_hardware
    from rosettabench.places import store_url
    from rosettabench.report.site.folder import replace_folder
    from rosettabench.report.site.write import write_site
    from rosettabench.store.store import Store

    url = store or store_url()
    kept = Store.existing(url)
    rows = kept.runs()
    intact, damaged = kept.intact_certificates()
    opened = partial(open_runs, url, measured_by_hardware(kept, rows))
    try:
        with replace_folder(out) as folder, ThreadPoolExecutor(1) as meanwhile:
            proofs = meanwhile.submit(matrices, intact)
            contents = write_site(folder, rows, kept.marks(), opened, proofs.result, damaged, show_progress)
    except OSError as error:
        what = f"the site cannot be written to {out}: {error.strerror}"
        if error.errno in NO_FAULT_OF_THE_NAME:
            raise RosettaError(what, "Free some space there, or name another folder.") from error
        raise UsageError(what, "Name another folder.") from error
    if damaged:
        typer.echo(f"{len(damaged)} damaged certificates: proofs.html names them.", err=True)
    typer.echo(f"{out / 'index.html'}: {len(contents.runs)} runs, {len(contents.findings)} findings")


@dataclass(frozen=True)
class StoredRuns:
    """The runs of a store, as the site's writer asks for them, with {key of a hardware: what gives its ceilings}."""

    store: Store
    ceilings: Mapping[str, Sequence[CeilingSeries]]

    def count_blocks(self) -> Mapping[str, int]:
        """Return {id: number of blocks} of all runs that have any."""
        return self.store.count_blocks()

    def load(self, names: Collection[str]) -> Sequence[Run]:
        """Return the runs of these ids with all their contents."""
        return self.store.runs_of(names)

    def summarise(self, run: Run, measured: Sequence[MeasuredContest]) -> RunSummary:
        """Return everything that a report shows about a run, which has these contests.

        Raises RosettaError if the run cannot be read.
        """
        from rosettabench.published.summary import summarise_whole
        from rosettabench.store.machine import HARDWARE, machine_key

        return summarise_whole(run, self.ceilings.get(machine_key(run.machine, HARDWARE), ()), measured)


@contextmanager
def open_runs(url: str, ceilings: Mapping[str, Sequence[CeilingSeries]]) -> Iterator[StoredRuns]:
    """Open the runs of the store at `url`; `ceilings` are those of StoredRuns."""
    from rosettabench.store.store import Store

    store = Store.existing(url)
    try:
        yield StoredRuns(store, ceilings)
    finally:
        store.engine.dispose()


def matrices(certificates: list[Certificate]) -> list[tuple[str, Table]]:
    """Return the matrix of the store's own certificates, and that of the register, with their headings."""
    from rosettabench.catalogue.framework import competing_frameworks
    from rosettabench.catalogue.workload import all_workloads
    from rosettabench.proof.register import read_register
    from rosettabench.proof.standing import cells, registered_cells
    from rosettabench.report.tables.matrix import matrix_table

    workloads, entries = list(all_workloads().values()), list(competing_frameworks().values())
    return [
        ("Certificates in this store", matrix_table(cells(workloads, entries, certificates))),
        (
            "The register that comes with Rosettabench",
            matrix_table(registered_cells(workloads, entries, read_register())),
        ),
    ]


def show_progress(done: int, of: int) -> None:
    """Say every hundredth run on a terminal's error output that the work goes on."""
    import sys

    if sys.stderr.isatty() and (done % 100 == 0 or done == of):
        typer.echo(f"{done} of {of} runs", err=True)
