"""How many rows a second a store takes from several writers at once, in SQLite and in PostgreSQL.

    .venv/bin/python benchmarks/store_writers.py [--seconds 10] [--writers 1,2,4] [--store postgresql://me@host/postgres]

Every writer is a process that adds blocks to a run of its own, one row and one commit at a time, as a controller does.
Without `--store`, a PostgreSQL server is started in a temporary folder, and SQLite's file lies in one, too: on the same
disk. With it, each measurement has a database of its own on that server.
"""

import argparse
import multiprocessing
import sys
import tempfile
import time
import uuid
from contextlib import contextmanager
from pathlib import Path
from statistics import quantiles

from rosettabench.store.address import address_of
from rosettabench.store.schema import Block, Contest, Entry, Run
from rosettabench.store.store import Store, now

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))

SLOWEST = 100
"""The time of a row is told as its median and as what one of so many rows exceeds."""


def begin_run(store, identity):
    """Add a run with one entry; return the id of the entry."""
    store.add(Run(id=identity, at=now(), version="0", command=["rosetta"], request={}, machine={}))
    contest = store.add(Contest(run_id=identity, workload="fashion-mlp", setting={}, stopping={}))
    facts = {"label": "a", "framework": "a", "mode": "eager", "lock": None, "python": None, "control_of": None}
    return store.add(Entry(contest_id=contest.id, **facts)).id


def write(url, seconds, barrier, told):
    """Add blocks for some seconds; tell the seconds that each took."""
    store = Store(url)
    entry = begin_run(store, f"20260101-000000-{uuid.uuid4().hex[:8]}")
    facts = {"session": 1, "phase": "turn", "position": 0, "first": 0, "steps": 10, "samples": 320}
    times = {"elapsed_s": 0.1, "cpu_s": 0.1, "loss": 0.5, "learning_rate": 1e-3}
    took = []
    barrier.wait()
    end = time.perf_counter() + seconds
    while (begun := time.perf_counter()) < end:
        store.add(Block(entry_id=entry, at=now(), round=len(took), **facts, **times))
        took.append(time.perf_counter() - begun)
    told.put(took)


def measure(url, writers, seconds):
    """Return the seconds of every row that some writers added."""
    Store(url)  # the tables are there before the clock runs
    context = multiprocessing.get_context("spawn")
    barrier, told = context.Barrier(writers), context.Queue()
    processes = [context.Process(target=write, args=(url, seconds, barrier, told)) for _ in range(writers)]
    for process in processes:
        process.start()
    took = [one for _ in processes for one in told.get(timeout=seconds + 300)]
    for process in processes:
        process.join()
    rows = sum(len(entry.blocks) for run in Store(url).runs() for entry in Store(url).run(run.id).contests[0].entries)
    assert rows == len(took), "each row is there once"
    return took


@contextmanager
def databases(url):
    """Lend a function that makes a new database and returns its URL, on a server of one's own or on that of a URL."""
    if url is None:
        from postgresql import server

        with server() as made:
            yield made.make
        return
    import psycopg

    at = address_of(url)

    def make(name):
        where = {"host": at.host, "port": at.port, "user": at.username, "password": at.password, "dbname": at.database}
        with psycopg.connect(autocommit=True, **where) as connection:
            connection.execute(f'CREATE DATABASE "{name}"')
        return at.set(database=name).render_as_string(hide_password=False)

    yield make


def main():
    """Measure every number of writers in both databases, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--writers", default="1,2,4")
    parser.add_argument("--store", help="a PostgreSQL server, by the URL of a database on it; else one of its own")
    asked = parser.parse_args()
    print("| database | writers | rows a second | median of a row, ms | one of 100 takes longer, ms |")
    print("|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder, databases(asked.store) as make:
        for writers in map(int, asked.writers.split(",")):
            name = f"rosetta_writers_{uuid.uuid4().hex}"
            for kind, url in (("SQLite", f"{folder}/{name}.sqlite"), ("PostgreSQL", make(name))):
                took = measure(url, writers, asked.seconds)
                cuts = [1000 * one for one in quantiles(took, n=SLOWEST)]
                rate = len(took) / asked.seconds
                print(f"| {kind} | {writers} | {rate:,.0f} | {cuts[49]:.1f} | {cuts[98]:.1f} |", flush=True)


if __name__ == "__main__":
    main()
