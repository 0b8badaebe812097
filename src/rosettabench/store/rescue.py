"""What is known of a run while it lasts, so that it can go on in a local file if its database goes away."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

from sqlalchemy import Engine, insert

from rosettabench.store.content import columns_of, rows_of
from rosettabench.store.schema import Base, Run


class RunCopy:
    """All rows of a run at work, in memory, with the ids that its database gave them.

    In the local file they keep these ids, so that the rest of the run goes on as if nothing had happened.
    """

    def __init__(self, run: Run, folder: Path, tell: Callable[[str], None]) -> None:
        """Keep what `run` has already; it was read with all its contents."""
        self.tell = tell
        self._run, self._folder = run.id, folder
        self._rows: dict[tuple[type[Base], object], Base] = {}
        for row in rows_of(run):
            self.note(row)

    def note(self, row: Base) -> None:
        """Keep a row that was added, or a certificate that was read."""
        self._rows[type(row), columns_of(row)["id"]] = row

    def new_file(self) -> Path:
        """Return where the file of this run is to be: another one each time, since each may hold what no other has."""
        self._folder.mkdir(parents=True, exist_ok=True)
        names = (f"{self._run}{'' if number == 1 else f'-{number}'}.sqlite" for number in count(1))
        return next(place for place in map(self._folder.joinpath, names) if not place.exists())

    def write(self, engine: Engine) -> None:
        """Write all rows into an empty store, or none."""
        by_table: dict[str, list[Base]] = {}
        for row in self._rows.values():
            by_table.setdefault(type(row).__tablename__, []).append(row)
        with engine.begin() as connection:
            for table in Base.metadata.sorted_tables:  # a row comes after those that it refers to
                rows = by_table.get(table.name, [])
                if rows:
                    connection.execute(insert(type(rows[0])), [columns_of(row) for row in rows])


def rescued_files(run_id: str, folder: Path) -> Iterator[Path]:
    """Yield the local files in which a run went on while its database was away."""
    yield from sorted(folder.glob(f"{run_id}*.sqlite"))
