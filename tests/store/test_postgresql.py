"""A store on a PostgreSQL server: the same rows as in SQLite, only added, by many at once."""

import multiprocessing
import subprocess
import sys
from datetime import datetime
from math import inf, nan

import pytest
from rows import add_run, begin_run
from sqlalchemy import text
from sqlalchemy.exc import DatabaseError
from test_store import block

from rosettabench.errors import StoreError, UsageError
from rosettabench.store.database import portable_json
from rosettabench.store.faults import DatabaseAway
from rosettabench.store.schema import Event, Failure
from rosettabench.store.store import Store, now

RUN = "20260101-000000-abcd"


@pytest.fixture(params=["PostgreSQL", "SQLite"])
def store(request, tmp_path):
    """A new store in each database: what holds for one holds for the other."""
    return Store(request.getfixturevalue("database") if request.param == "PostgreSQL" else str(tmp_path / "a.sqlite"))


@pytest.mark.parametrize(
    "statement", ["UPDATE blocks SET elapsed_s = 0.01", "DELETE FROM runs", "TRUNCATE blocks CASCADE"]
)
def test_results_on_a_server_cannot_be_rewritten(database, statement):
    store = Store(database)
    store.add(block(add_run(store), 1))
    with store.engine.connect() as connection, pytest.raises(DatabaseError, match="append-only"):
        connection.execute(text(statement))
    assert len(store.run().contests[0].entries[0].blocks) == 1


def test_what_one_database_cannot_hold_is_the_same_in_both(store):
    entry = add_run(store)
    one = block(entry, 1)
    one.loss, one.elapsed_s = nan, 0.1 + 0.2
    store.add(one)
    facts = {"run_id": RUN, "contest_id": None, "entry_id": entry.id, "at": now()}
    said = {"what": "a\0b\ud800c", "hint": "", "details": "é" * 100_000}
    store.add(Failure(**facts, stage="turn", kind="crash", **said))
    payload = {"nul": "a\0b", "infinite": [inf, -inf], "number": 0.1 + 0.2, "emoji": "🗿", "order": {"b": 1, "a": 2}}
    store.add(Event(**facts, kind="x", payload=payload))
    run = store.run()
    (kept,) = run.contests[0].entries[0].blocks
    assert (kept.loss, kept.elapsed_s) == (None, 0.1 + 0.2)
    assert run.failures[0].what == "a\ufffdb\ufffdc"
    assert len(run.failures[0].details) == 100_000
    assert run.events[0].payload == payload
    assert list(run.events[0].payload["order"]) == ["b", "a"]


def test_numbers_may_be_longer_than_32_bits(store):
    one = block(add_run(store), 1)
    one.first, one.samples = 2**40, 2**41
    store.add(one)
    (kept,) = store.run().contests[0].entries[0].blocks
    assert (kept.first, kept.samples) == (2**40, 2**41)


def test_json_says_what_python_said():
    assert portable_json({"b": 1, "a": None}) == '{"b": 1, "a": null}'
    assert portable_json({"b": [inf, -inf, nan, "\0infinity!"]}) == '{"b": [1e999, -1e999, null, "\\u0000infinity!"]}'


def test_a_run_is_found_by_its_beginning_and_the_newest_first(store):
    for identity in ("20260101-000000-abcd", "20260101-000000-abcdef01", "20260102-000000-ef01"):
        add_run(store, identity)
    assert store.run("20260102").id == "20260102-000000-ef01"
    assert store.run("20260101-000000-abcd").id == "20260101-000000-abcd", "a whole id is no beginning of another"
    with pytest.raises(UsageError, match="more than one run"):
        store.run("20260101")
    with pytest.raises(UsageError, match="no run"):
        store.run("%")
    assert store.runs(workload="fashion-mlp")[0].id == "20260102-000000-ef01"
    assert datetime.fromisoformat(store.moment()) > datetime.fromisoformat(store.runs()[0].at)


def test_half_a_run_is_never_there(store):
    with pytest.raises(RuntimeError), store.together():
        add_run(store)
        raise RuntimeError("in the middle")
    assert list(store.runs()) == []


def write_blocks(address, identity, count, barrier):
    store = Store(address)
    entry = add_run(store, identity)
    barrier.wait()
    for number in range(count):
        store.add(block(entry, number))


@pytest.mark.slow
def test_many_create_it_and_write_to_it_at_once(store):
    url = store.engine.url.render_as_string(hide_password=False)
    if store.is_shared:  # they create it, too
        with store.engine.begin() as connection:
            connection.execute(text("DROP SCHEMA public CASCADE"))
            connection.execute(text("CREATE SCHEMA public"))
    context = multiprocessing.get_context("spawn")
    names = [f"20260101-00000{number}-abcd" for number in range(3)]
    barrier = context.Barrier(len(names))
    processes = [context.Process(target=write_blocks, args=(url, name, 50, barrier)) for name in names]
    for process in processes:
        process.start()
    for process in processes:
        process.join(120)
    assert [process.exitcode for process in processes] == [0, 0, 0]
    for name in names:
        (entry,) = Store(url).run(name).contests[0].entries
        assert [one.round for one in entry.blocks] == list(range(50))


def test_a_database_with_tables_of_such_names_stays_as_it_is(postgresql):
    url = postgresql.make("recipes")
    postgresql.sql("CREATE TABLE runs (distance INTEGER)", "recipes")
    with pytest.raises(StoreError, match="another program: it has the tables runs"):
        Store(url)
    tables = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
    assert postgresql.sql(tables, "recipes") == [("runs",)]


def test_tables_of_other_names_do_not_matter(postgresql):
    url = postgresql.make("cookbook")
    postgresql.sql("CREATE TABLE recipes (name TEXT)", "cookbook")
    add_run(Store(url))
    assert Store(url).run().id == RUN


HOLD = """
import sys, time
from rosettabench.store.store import Store
with Store(sys.argv[1]).own_run("run-1"):
    print("held", flush=True)
    time.sleep(600)
"""


def test_a_run_has_one_owner_among_all_machines_and_a_killed_one_lets_go(database):
    store = Store(database)
    assert store.owner("run-1") is None
    first = subprocess.Popen([sys.executable, "-c", HOLD, database], stdout=subprocess.PIPE, text=True)
    try:
        assert first.stdout.readline() == "held\n"
        assert f"process {first.pid} on " in store.owner("run-1")
        with (
            pytest.raises(UsageError, match=f"process {first.pid} on .* is at work on run run-1"),
            store.own_run("run-1"),
        ):
            pass
        with store.own_run("run-2"):
            pass
    finally:
        first.kill()
        first.communicate()
    for _ in range(100):  # the server notices it a moment later
        if store.owner("run-1") is None:
            break
    with store.own_run("run-1"):
        pass


def test_an_error_of_the_work_is_not_one_of_the_database(database):
    store = Store(database)
    with pytest.raises(FileNotFoundError), store.own_run("run-1"):
        raise FileNotFoundError("of the work")
    assert store.owner("run-1") is None


@pytest.mark.parametrize(
    ("change", "said", "to_do"),
    [
        ({"password": "wr%2Fong"}, "password authentication failed", "~/.pgpass"),
        ({"database": "nowhere"}, 'database "nowhere" does not exist', "createdb"),
    ],
)
def test_a_server_that_refuses_is_told_with_what_to_do(postgresql, change, said, to_do):
    with pytest.raises(DatabaseAway, match=said) as told:
        Store(postgresql.url(**change))
    assert to_do in told.value.hint
    assert "rong" not in told.value.what


def test_a_server_that_is_not_there_is_told():
    with pytest.raises(DatabaseAway, match="Connection refused") as told:
        Store("postgresql://me:s3cret@127.0.0.1:1/results")
    assert "Start the database" in told.value.hint
    assert "s3cret" not in told.value.what


def test_a_restart_between_two_rows_is_not_noticed(postgresql, database):
    store = Store(database)
    entry = add_run(store)
    postgresql.stop("fast")
    postgresql.start()
    store.add(block(entry, 1))
    assert len(store.run().contests[0].entries[0].blocks) == 1


def test_a_run_goes_on_in_a_local_file_with_all_its_rows(postgresql, database, tmp_path):
    store, told = Store(database), []
    entry = add_run(store)
    for number in (1, 2):
        store.add(block(entry, number))
    with store.protect_run(RUN, tmp_path / "rescued", told.append):
        store.add(block(entry, 3))
        postgresql.stop()
        try:
            for number in (4, 5):
                store.add(block(entry, number))
            rounds = [one.round for one in store.run().contests[0].entries[0].blocks]
        finally:
            postgresql.start()
    assert rounds == [1, 2, 3, 4, 5]
    (sentence,) = told
    assert f"The run goes on in {tmp_path}/rescued/{RUN}.sqlite" in sentence
    assert store.left == Store(database).name
    rounds = [one.round for one in Store(database).run().contests[0].entries[0].blocks]
    assert rounds == [1, 2, 3], "the database has what it had"


def test_reading_notices_it_too(postgresql, database, tmp_path):
    store, told = Store(database), []
    add_run(store)
    with store.protect_run(RUN, tmp_path, told.append):
        postgresql.stop()
        try:
            assert store.run(RUN).contests[0].workload == "fashion-mlp"
        finally:
            postgresql.start()
    assert len(told) == 1


def test_without_a_run_at_work_it_is_an_error(postgresql, database):
    store = Store(database)
    postgresql.stop()
    try:
        with pytest.raises(DatabaseAway):
            add_run(store)
    finally:
        postgresql.start()


def test_a_run_in_the_store_has_no_password(database):
    store = Store(database)
    command = ["rosetta", "run", "--store", database]
    begin_run(store, RUN, command=command)
    assert "***@127.0.0.1" in store.run().command[-1]
    assert "s3cret" not in str(store.run().command)
