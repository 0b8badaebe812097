"""The store only ever grows, survives what happens to processes, and explains what happens to files."""

import multiprocessing
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from rows import add_run, begin_run
from sqlalchemy.exc import DatabaseError, OperationalError
from sqlalchemy.orm import Session

from rosettabench.errors import StoreError, UsageError
from rosettabench.store.digest import digest
from rosettabench.store.schema import Block, Certificate, Certification, Event, Run
from rosettabench.store.store import Store, explain_database_errors, now


def url(folder):
    return f"sqlite:///{folder}/results.sqlite"


def block(entry, number):
    """A timed block."""
    return Block(
        entry_id=entry.id, at=now(), session=1, phase="turn", round=number, position=0, first=0, steps=1,
        samples=32, elapsed_s=0.1, cpu_s=0.1, loss=None, learning_rate=1e-3,
    )  # fmt: skip


def test_what_is_added_is_read_again(tmp_path):
    store = Store(url(tmp_path))
    entry = add_run(store)
    for number in (1, 2):
        store.add(block(entry, number))
    run = Store(url(tmp_path)).run()
    assert [found.round for found in run.contests[0].entries[0].blocks] == [1, 2]
    assert run.contests[0].entries[0].blocks[0].loss is None


@pytest.mark.parametrize("statement", ["UPDATE blocks SET elapsed_s = 0.01", "DELETE FROM blocks", "DELETE FROM runs"])
def test_results_cannot_be_rewritten(tmp_path, statement):
    store = Store(url(tmp_path))
    store.add(block(add_run(store), 1))
    with (
        sqlite3.connect(tmp_path / "results.sqlite") as other,
        pytest.raises(sqlite3.IntegrityError, match="append-only"),
    ):
        other.execute(statement)
    with Session(store.engine) as session, pytest.raises(DatabaseError, match="append-only"):
        session.get(Run, "20260101-000000-abcd").version = "other"
        session.flush()


WRITER = """
import sys
from pathlib import Path
sys.path[:0] = sys.argv[2:]
from test_store import Store, add_run, block
store = Store(sys.argv[1])
entry = add_run(store)
number = 0
while True:
    number += 1
    store.add(block(entry, number))
    print(number, flush=True)
"""


def test_kill_9_loses_nothing_that_was_added(tmp_path):
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, url(tmp_path), *map(str, Path(__file__).parents[:2])],
        stdout=subprocess.PIPE,
        text=True,
    )
    said = [int(writer.stdout.readline()) for _ in range(20)]
    writer.kill()
    said += [int(line) for line in writer.stdout.read().split()]
    writer.wait()
    writer.stdout.close()
    kept = [found.round for found in Store(url(tmp_path)).run().contests[0].entries[0].blocks]
    assert kept[: len(said)] == said


def open_store(address, barrier, told):
    barrier.wait()
    try:
        Store(address).runs()
        told.put("ok")
    except StoreError as error:
        told.put(error.what)


def test_two_processes_may_create_it_at_once(tmp_path):
    context = multiprocessing.get_context("spawn")
    barrier, told = context.Barrier(3), context.Queue()
    processes = [context.Process(target=open_store, args=(url(tmp_path), barrier, told)) for _ in range(3)]
    for process in processes:
        process.start()
    assert [told.get(timeout=60) for _ in processes] == ["ok"] * 3
    for process in processes:
        process.join()


def test_who_opens_it_waits_for_who_is_making_it(tmp_path):
    maker = sqlite3.connect(tmp_path / "results.sqlite", isolation_level=None, check_same_thread=False)
    maker.execute("BEGIN IMMEDIATE")
    end = threading.Timer(0.3, maker.rollback)
    end.start()
    assert list(Store(url(tmp_path)).runs()) == []
    end.join()
    maker.close()


def test_a_run_is_found_by_the_beginning_of_its_name(tmp_path):
    store = Store(url(tmp_path))
    for identity in ("20260101-000000-abcd", "20260102-000000-ef01"):
        add_run(store, identity)
    assert store.run("20260102").id == "20260102-000000-ef01"
    for bad, said in (("2026", "more than one run"), ("1999", "no run '1999'"), ("%", "no run '%'")):
        with pytest.raises(UsageError, match=said):
            store.run(bad)


def test_several_runs_are_read_at_once_with_what_they_share(tmp_path):
    store = Store(url(tmp_path))
    body = {"passed": True}
    proof = store.add(Certificate(key="k", at=now(), passed=True, body=body, digest=digest(body)))
    names = ["20260101-000000-abcd", "20260102-000000-ef01", "20260103-000000-ab00"]
    for number, name in enumerate(names):
        entry = add_run(store, name)
        store.add(block(entry, number))
        store.add(Certification(entry_id=entry.id, certificate_id=proof.id, session=1))
    found = Store(url(tmp_path)).runs_of(names[1:])
    assert [run.id for run in found] == names[:0:-1]
    entries = [run.contests[0].entries[0] for run in found]
    assert [[one.round for one in entry.blocks] for entry in entries] == [[2], [1]]
    first, second = (entry.certifications[0].certificate for entry in entries)
    assert first is second and first.intact


def test_a_certificate_knows_whether_it_is_intact():
    body = {"checks": [1, 2], "passed": True}
    bodies = (body, {**body, "passed": False})
    good, bad = (Certificate(key="k", at=now(), passed=True, body=one, digest=digest(body)) for one in bodies)
    assert (good.intact, bad.intact) == (True, False)


def test_an_empty_store_says_so(tmp_path):
    with pytest.raises(UsageError, match=r"no run .* yet"):
        Store(url(tmp_path)).run()


def test_what_is_no_store_is_told(tmp_path):
    (tmp_path / "results.sqlite").write_bytes(b"this is not a database, it only has the name of one" * 100)
    with pytest.raises(StoreError, match="not a database") as told:
        Store(url(tmp_path))
    assert "Move the file away" in told.value.hint
    for bad in ("no url", "mysql://"):
        with pytest.raises((StoreError, UsageError)):
            Store(bad)


def test_a_database_of_another_program_stays_as_it_is(tmp_path):
    path = tmp_path / "results.sqlite"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE recipes (name TEXT)")
    other.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="another program: it has the tables recipes"):
        Store(url(tmp_path))
    assert path.read_bytes() == before


def test_who_only_reads_makes_no_store(tmp_path):
    with pytest.raises(StoreError, match="no results store at"):
        Store.existing(url(tmp_path))
    assert not list(tmp_path.iterdir())
    Store(url(tmp_path))
    assert Store.existing(url(tmp_path)).newest_measured() is None


@pytest.mark.parametrize(
    ("reason", "to_do"),
    [
        ("attempt to write a readonly database", "permission"),
        ("unable to open database file", "permission"),
        ("database or disk is full", "Free some space"),
        ("database disk image is malformed", "Move the file away"),
    ],
)
def test_each_refusal_of_a_database_has_its_own_remedy(reason, to_do):
    with pytest.raises(StoreError, match=reason) as told, explain_database_errors("results.sqlite"):
        raise OperationalError("SELECT 1", {}, sqlite3.OperationalError(reason))
    assert to_do in told.value.hint


def test_a_damaged_store_is_told(tmp_path):
    store = Store(url(tmp_path))
    entry = add_run(store)
    for number in range(200):
        store.add(block(entry, number))
    store.engine.dispose()
    path = tmp_path / "results.sqlite"
    content = bytearray(path.read_bytes())
    content[8192:20000] = b"\xff" * (20000 - 8192)
    path.write_bytes(content)
    with pytest.raises(StoreError, match="cannot be used"):
        Store(url(tmp_path)).run()


def test_a_store_of_another_version_is_refused(tmp_path):
    Store(url(tmp_path)).engine.dispose()
    with sqlite3.connect(tmp_path / "results.sqlite") as connection:
        connection.execute("DROP TRIGGER schema_version_no_update")
        connection.execute("UPDATE schema_version SET version = 99")
    with pytest.raises(StoreError, match="99"):
        Store(url(tmp_path))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this system")
def test_a_full_disk_is_told(tmp_path):
    """SQLite is given so few pages that the next row does not fit: the same error as on a full disk."""
    store = Store(url(tmp_path))
    entry = add_run(store)
    with store.engine.connect() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StoreError, match="full") as told:
        for number in range(1000):
            store.add(block(entry, number))
    assert "rosetta resume" in told.value.hint


def test_events_keep_their_payload(tmp_path):
    store = Store(url(tmp_path))
    add_run(store)
    payload = {"text": "<script>", "number": 1.5, "list": [1, None]}
    store.add(Event(run_id="20260101-000000-abcd", contest_id=None, entry_id=None, at=now(), kind="x", payload=payload))
    assert store.run().events[0].payload == payload


def test_a_number_that_is_not_finite_leaves_the_store_readable(tmp_path):
    """Rows are never rewritten: one that an earlier release let in must not shut out all the others."""
    store = Store(url(tmp_path))
    facts = {"version": "0", "command": [], "machine": {}}
    store.add(Run(id="20260101-000000-bad0", at=now(), request={"timeout": float("inf")}, **facts))
    store.add(Run(id="20260101-000001-good", at=now(), request={"timeout": 1.0}, **facts))
    assert store.run().id == "20260101-000001-good"
    assert store.newest_measured() == "20260101-000001-good"
    assert [run.id for run in store.runs()] == ["20260101-000001-good", "20260101-000000-bad0"]


def test_proofs_alone_and_the_machine_are_not_what_was_measured_last(tmp_path):
    store = Store(url(tmp_path))
    facts = {"version": "0", "command": [], "machine": {}}
    for number, request in enumerate(({}, {"proving": 2}, {"peak": {}})):
        store.add(Run(id=f"20260101-00000{number}-aaaa", at=now(), request=request, **facts))
    assert store.newest_measured() == "20260101-000000-aaaa"
    assert store.run().id == "20260101-000001-aaaa", "what resume goes on with may be proofs"


def test_a_password_on_the_command_line_is_not_kept(tmp_path):
    store = Store(url(tmp_path))
    command = ["rosetta", "run", "--store", "postgresql://me:s3cret@host/results"]
    begin_run(store, "20260101-000000-aaaa", command=command)
    assert store.run().command[-1] == "postgresql://me:***@host/results"
    assert b"s3cret" not in b"".join(path.read_bytes() for path in tmp_path.iterdir())
