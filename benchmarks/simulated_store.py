"""Make a large store from the runs of a real one, to measure how long `rosetta site` and `rosetta report` take on it.

    .venv/bin/python benchmarks/simulated_store.py REAL.sqlite LARGE.sqlite --blocks 1000000 --machines 10

Every timed run of REAL is copied again and again, a night later each time, on one machine after the other. The shapes
(contests, contenders, rounds, figures, events) are those of the real runs. The times are simulated: every contender of
every night gets a factor drawn around 1, and from two thirds of the nights on, the first contender is 10% slower, so
that there is a change of level to find. Nothing in LARGE was measured.
"""

from __future__ import annotations

import argparse
import json
import random
import sqlite3
from datetime import datetime, timedelta
from itertools import cycle
from pathlib import Path

from rosettabench.store.store import Store

COPIED = ("contests", "entries", "blocks", "figures", "certifications", "events", "failures")
"""The tables of a run, those that others refer to first."""

OF_RUN = {
    "contests": "run_id = :source",
    "entries": "contest_id IN (SELECT id FROM real.contests WHERE run_id = :source)",
    **dict.fromkeys(
        ("blocks", "figures", "certifications"),
        "entry_id IN (SELECT e.id FROM real.entries e JOIN real.contests c ON c.id = e.contest_id "
        "WHERE c.run_id = :source)",
    ),
    **dict.fromkeys(("events", "failures"), "run_id = :source"),
}
"""{table: which of its rows belong to a run}."""


def main() -> None:
    """Read the command line and make the store."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("real", type=Path)
    parser.add_argument("large", type=Path)
    parser.add_argument("--blocks", type=int, default=1_000_000)
    parser.add_argument("--machines", type=int, default=10)
    asked = parser.parse_args()
    if asked.large.exists():
        parser.error(f"{asked.large} exists")
    Store(str(asked.large.absolute())).engine.dispose()
    with sqlite3.connect(asked.large) as connection:
        runs, blocks = fill(connection, asked.real, asked.blocks, asked.machines)
    print(f"{asked.large}: {runs} simulated runs, {blocks} blocks, {asked.large.stat().st_size / 1e6:.0f} MB")


def fill(connection: sqlite3.Connection, real: Path, wanted: int, machines: int) -> tuple[int, int]:
    """Copy runs until there are `wanted` blocks; return the number of runs and of blocks."""
    connection.execute("ATTACH ? AS real", (f"{real.absolute()}",))
    connection.execute("INSERT INTO certificates SELECT * FROM real.certificates")
    timed = connection.execute(
        "SELECT id, (SELECT count(*) FROM real.blocks b JOIN real.entries e ON e.id = b.entry_id "
        "JOIN real.contests c ON c.id = e.contest_id WHERE c.run_id = r.id) n FROM real.runs r WHERE n > 0 ORDER BY at"
    ).fetchall()
    size = sum(number for _, number in timed) / len(timed)
    nights = max(1, round(wanted / size / machines))
    made = blocks = 0
    for source, number in cycle(timed):
        if blocks >= wanted:
            break
        copy(connection, source, made, machines, nights)
        made, blocks = made + 1, blocks + number
    return made, blocks


def copy(connection: sqlite3.Connection, source: str, made: int, machines: int, nights: int) -> None:
    """Copy the run `source`, as the one after `made` others."""
    night, machine = divmod(made, machines)
    draw = random.Random(made)
    factors: dict[int, float] = {}
    (first,) = connection.execute(
        "SELECT min(e.id) FROM real.entries e JOIN real.contests c ON c.id = e.contest_id WHERE c.run_id = ?", (source,)
    ).fetchone()

    def slower(seconds: float, entry: int) -> float:
        """Return the simulated time of a block."""
        if entry not in factors:
            factors[entry] = draw.lognormvariate(0, 0.01) * (1.1 if entry == first and night > 2 * nights / 3 else 1)
        return seconds * factors[entry]

    def later(moment: str) -> str:
        """Return the moment on the night of the copy."""
        began = datetime.fromisoformat(moment) + timedelta(days=night, seconds=machine)
        return began.isoformat(timespec="microseconds")

    connection.create_function("slower", 2, slower)
    connection.create_function("later", 1, later)
    name = f"simulated-{made:06d}"
    copy_run(connection, source, name, machine)
    offsets: dict[str, int] = {}
    for table in COPIED:
        (highest,) = connection.execute(f"SELECT coalesce(max(id), 0) FROM {table}").fetchone()  # noqa: S608
        (lowest,) = connection.execute(f"SELECT coalesce(min(id), 1) FROM real.{table}").fetchone()  # noqa: S608
        offsets[table] = highest - lowest + 1
        copy_table(connection, table, source, name, offsets)


PARENT = {"contest_id": "contests", "entry_id": "entries"}
"""{column: the table whose rows it numbers}."""


def copy_run(connection: sqlite3.Connection, source: str, name: str, machine: int) -> None:
    """Copy the row of a run, to one of the simulated machines."""
    row = connection.execute(
        "SELECT later(at), version, command, request, machine FROM real.runs WHERE id = ?", (source,)
    ).fetchone()
    described = {**json.loads(row[-1]), "processor": f"Simulated processor {machine + 1}"}
    values = (name, *row[:-1], json.dumps(described))
    connection.execute(
        "INSERT INTO runs (id, at, version, command, request, machine) VALUES (?, ?, ?, ?, ?, ?)", values
    )


def copy_table(connection: sqlite3.Connection, table: str, source: str, name: str, offsets: dict[str, int]) -> None:
    """Copy the rows of a table that belong to a run. `offsets` are added to the numbers of rows of each table."""
    columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    made = {column: column for column in columns}
    made |= {"id": f"id + {offsets[table]}"}
    made |= {column: f"{column} + {offsets[other]}" for column, other in PARENT.items() if column in columns}
    made |= {"run_id": ":name"} if "run_id" in columns else {}
    made |= {"at": "later(at)"} if "at" in columns else {}
    made |= {"elapsed_s": "slower(elapsed_s, entry_id)"} if table == "blocks" else {}
    connection.execute(
        f"INSERT INTO {table} ({', '.join(columns)}) SELECT {', '.join(made[one] for one in columns)} "  # noqa: S608
        f"FROM real.{table} WHERE {OF_RUN[table]}",
        {"source": source, "name": name},
    )


if __name__ == "__main__":
    main()
