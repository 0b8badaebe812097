"""A store of an older schema is upgraded when it is opened, and a newer one is refused."""

import multiprocessing
import sqlite3
import subprocess
import sys
import warnings
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import inspect, text
from test_store import add_run, block

from rosettabench.errors import StoreError
from rosettabench.store.database import open_engine
from rosettabench.store.schema import SCHEMA_VERSION, Base
from rosettabench.store.store import Store
from rosettabench.store.upgrade import MIGRATIONS, StoreUpgraded

FOLDER = Path(__file__).parent
RUN = (
    "INSERT INTO runs (id, at, version, command, request, machine) VALUES "
    "('20260101-000000-abcd', '2026-01-01T00:00:00.000000+00:00', '0.1', '[\"rosetta\"]', '{}', '{}')"
)
"""A run, as version 0.1 wrote it."""


@pytest.fixture
def old_file(tmp_path):
    """An SQLite file of schema 1 with a run."""
    path = tmp_path / "results.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((FOLDER / "schema_1_sqlite.sql").read_text())
        connection.execute(RUN)
        connection.commit()
    return path


@pytest.fixture
def old_database(database):
    """A PostgreSQL database of schema 1 with a run."""
    with open_engine(database).begin() as connection:
        for statement in (FOLDER / "schema_1_postgresql.sql").read_text().split(";\n"):
            if statement.strip():
                connection.execute(text(statement))
        connection.execute(text(RUN))
    return database


@pytest.fixture(params=["old_file", "old_database"])
def old(request):
    """A store of schema 1, in each database: its path or its URL."""
    return str(request.getfixturevalue(request.param))


def differences(store):
    """What Alembic finds different between the tables and what the classes state."""
    with store.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        return compare_metadata(context, Base.metadata)


def test_an_old_store_is_upgraded_to_what_a_new_one_has(old, tmp_path):
    with pytest.warns(StoreUpgraded, match=f"from schema 1 to {SCHEMA_VERSION}"):
        store = Store(old)
    assert differences(store) == []
    assert [index["name"] for index in inspect(store.engine).get_indexes("runs")] == ["ix_runs_at"]
    assert store.run().command == ["rosetta"]
    store.add(block(add_run(store, "20260102-000000-abcd"), 1))
    with store.engine.connect() as connection, pytest.raises(Exception, match="append-only"):
        connection.execute(text("UPDATE blocks SET steps = 0"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(Store(old).runs()) == 2


def test_a_new_store_has_what_the_classes_state(database, tmp_path):
    for url in (database, str(tmp_path / "new.sqlite")):
        assert differences(Store(url)) == []


def test_a_postgresql_that_was_upgraded_has_the_triggers_and_widths_of_a_new_one(old_database, postgresql):
    def facts(url):
        with open_engine(url).connect() as connection:
            triggers = connection.execute(text("SELECT tgname, tgtype FROM pg_trigger WHERE NOT tgisinternal"))
            columns = connection.execute(
                text(
                    "SELECT table_name, column_name, data_type, is_nullable FROM information_schema.columns "
                    "WHERE table_schema = 'public'"
                )
            )
            counters = connection.execute(text("SELECT sequencename, data_type FROM pg_sequences"))
            return {*map(tuple, triggers)}, {*map(tuple, columns)}, {*map(tuple, counters)}

    with pytest.warns(StoreUpgraded):
        Store(old_database)
    new = postgresql.make("new-of-this-schema")
    Store(new)
    assert facts(old_database) == facts(new)


def test_the_file_as_it_was_lies_beside(old_file):
    before = {"runs": [("20260101-000000-abcd",)], "versions": [(1,)]}
    with pytest.warns(StoreUpgraded, match=r"results\.schema-1\.sqlite"):
        Store(str(old_file))
    with closing(sqlite3.connect(old_file.with_name("results.schema-1.sqlite"))) as kept:
        runs = kept.execute("SELECT id FROM runs").fetchall()
        versions = kept.execute("SELECT version FROM schema_version").fetchall()
        assert {"runs": runs, "versions": versions} == before


def test_a_backup_is_never_written_over(old_file):
    first = old_file.with_name("results.schema-1.sqlite")
    first.write_bytes(b"an earlier one")
    with pytest.warns(StoreUpgraded, match=r"results\.schema-1-2\.sqlite"):
        Store(str(old_file))
    assert first.read_bytes() == b"an earlier one"


def open_quietly(address, barrier, told):
    barrier.wait()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        runs = len(Store(address).runs())
    told.put((runs, len(said)))


@pytest.mark.slow
def test_two_processes_may_upgrade_it_at_once(old):
    context = multiprocessing.get_context("spawn")
    barrier, told = context.Barrier(3), context.Queue()
    processes = [context.Process(target=open_quietly, args=(old, barrier, told)) for _ in range(3)]
    for process in processes:
        process.start()
    found = sorted(told.get(timeout=60) for _ in processes)
    assert found == [(1, 0), (1, 0), (1, 1)], "one of them upgraded it, and each read it"
    for process in processes:
        process.join()


def test_an_upgrade_that_fails_leaves_the_old_store(old, monkeypatch):
    import rosettabench.store.upgrade as room

    def fail(connection, found):
        connection.execute(text("CREATE TABLE half (done INTEGER)"))
        raise RuntimeError("in the middle")

    with monkeypatch.context() as patched:
        patched.setattr(room, "migrate", fail)
        with pytest.raises(RuntimeError, match="in the middle"):
            Store(old)
    engine = open_engine(old)
    assert not inspect(engine).has_table("half")
    engine.dispose()
    with pytest.warns(StoreUpgraded):
        assert len(Store(old).runs()) == 1


def test_a_newer_store_is_refused(database, tmp_path):
    for url in (database, str(tmp_path / "new.sqlite")):
        store = Store(url)
        with store.engine.begin() as connection:
            connection.execute(text("INSERT INTO schema_version (version) VALUES (99)"))
        with pytest.raises(StoreError, match=f"has schema 99, this Rosettabench reads {SCHEMA_VERSION}"):
            Store(url)


def test_there_is_a_migration_to_every_version():
    revisions = [int(one.revision) for one in ScriptDirectory(str(MIGRATIONS)).walk_revisions()]
    assert sorted(revisions) == list(range(2, SCHEMA_VERSION + 1))


def test_neither_alembic_nor_psycopg_is_imported_for_a_file_of_this_schema(tmp_path):
    path = str(tmp_path / "results.sqlite")
    add_run(Store(path))
    program = (
        "import sys; from rosettabench.store.store import Store; "
        f"Store({path!r}).run(); print([name for name in ('alembic', 'psycopg') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
