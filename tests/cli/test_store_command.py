"""``rosetta store``, as users type it: info, merge, copy, and a run whose store is upgraded."""

import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest
from rows import add_run

from rosettabench import errors
from rosettabench.lab.owner import own_run
from rosettabench.store.content import lines_of
from rosettabench.store.store import Store

SCHEMA_1 = Path(__file__).parents[1] / "store" / "schema_1_sqlite.sql"


def make_store(url, *identities):
    """A store with runs of one entry."""
    store = Store(str(url))
    for identity in identities:
        add_run(store, identity)
    return store


def test_a_store_goes_to_a_server_and_back_without_a_password_being_shown(rosetta, tmp_path, database):
    source = make_store(tmp_path / "a.sqlite", "20260101-000000-aaaa", "20260102-000000-bbbb")
    copied = rosetta("store", "copy", tmp_path / "a.sqlite", database)
    assert copied.returncode == 0, copied.stderr
    assert "/results-" in copied.stdout
    assert copied.stdout.endswith(": 2 runs: 2 added\n")
    described = rosetta("store", "info", ROSETTA_STORE=database)
    assert described.returncode == 0, described.stderr
    assert "PostgreSQL 15" in described.stdout
    assert "2 runs, 2 contests, 2 entries" in described.stdout
    again = rosetta("store", "copy", tmp_path / "a.sqlite", database)
    assert again.returncode == errors.UsageError.exit_code
    assert "rosetta store merge" in again.stderr
    merged = rosetta("store", "merge", database, "--into", tmp_path / "b.sqlite")
    assert merged.returncode == 0, merged.stderr
    back = Store(str(tmp_path / "b.sqlite"))
    assert [lines_of(back.run(run.id)) for run in source.runs()] == [
        lines_of(source.run(run.id)) for run in source.runs()
    ]
    listed = rosetta("list", "runs", ROSETTA_STORE=database)
    assert "20260102-000000-bbbb" in listed.stdout
    said = [one.stdout + one.stderr for one in (copied, described, again, merged, listed)]
    assert "s3cret" not in "".join(said)


def test_merging_goes_into_the_users_store_and_leaves_out_what_is_there(rosetta, tmp_path):
    make_store(tmp_path / "a.sqlite", "20260101-000000-aaaa")
    for added in ("1 added", "1 there already"):
        process = rosetta("store", "merge", tmp_path / "a.sqlite")
        assert process.returncode == 0, process.stderr
        assert f"1 run: {added}" in process.stdout
    assert [run.id for run in Store(str(tmp_path / "results.sqlite")).runs()] == ["20260101-000000-aaaa"]


def test_a_run_of_another_content_is_refused_with_its_name(rosetta, tmp_path):
    for name in ("a", "results"):
        make_store(tmp_path / f"{name}.sqlite", "20260101-000000-aaaa")
    process = rosetta("store", "merge", tmp_path / "a.sqlite")
    assert process.returncode == errors.StoreError.exit_code
    assert "run 20260101-000000-aaaa of" in process.stderr
    assert "Nothing was merged" in process.stderr


def test_a_run_at_work_on_this_machine_is_left_out(rosetta, tmp_path, variables):
    make_store(tmp_path / "a.sqlite", "20260101-000000-aaaa", "20260102-000000-bbbb")
    with own_run("20260101-000000-aaaa", Path(variables["ROSETTA_CACHE"])):
        process = rosetta("store", "merge", tmp_path / "a.sqlite")
    assert process.returncode == 0, process.stderr
    assert "run 20260101-000000-aaaa of" in process.stderr
    assert "is at work on it" in process.stderr
    assert "2 runs: 1 left out, 1 added" in process.stdout


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("merge", "none.sqlite"), errors.StoreError, "there is no results store"),
        (("merge",), errors.UsageError, "STORE"),
        (("copy", "results.sqlite", "results.sqlite"), errors.UsageError, "into itself"),
        (("info", "--store", ""), errors.UsageError, "--store is empty"),
        (("info", "--store", "nonsense"), errors.UsageError, "is not the URL of a store"),
        (("merge", "x.sqlite", "--into", "postgresql://me:s3/cr@et@host/db"), errors.UsageError, "***@host/db"),
        (("merge", "nonsense", "--into", "other"), errors.UsageError, "'nonsense' is not the URL of a store"),
        (("info", "--store", "postgresql://me:s3/cr@et@host/db"), errors.UsageError, "***@host/db"),
        (("info", "--store", "postgresql://me:s3cret@127.0.0.1:1/db"), errors.StoreError, "cannot be reached"),
        (("info", "--store", "postgresql://127.0.0.1:1/db?password=s3cret"), errors.StoreError, "password=***"),
    ],
)
def test_what_cannot_be_done_is_told_without_a_password(rosetta, words, code, said):
    process = rosetta("--debug", "store", *words)
    assert process.returncode == code.exit_code, process.stderr
    assert said in process.stderr
    for secret in ("s3cret", "cr@et", "s3/cr"):
        assert secret not in process.stdout + process.stderr


def test_an_old_store_is_upgraded_with_a_sentence(rosetta, tmp_path):
    with closing(sqlite3.connect(tmp_path / "results.sqlite")) as connection:
        connection.executescript(SCHEMA_1.read_text())
    process = rosetta("store", "info")
    assert process.returncode == 0, process.stderr
    assert "warning: the store" in process.stderr
    assert "was upgraded from schema 1 to 2; as it was, it lies in" in process.stderr
    assert (tmp_path / "results.schema-1.sqlite").exists()
    assert rosetta("store", "info").stderr == ""


def test_without_the_driver_the_command_that_installs_it_is_told(rosetta, tmp_path):
    """A module of that name that cannot be imported stands in for a Python without the driver."""
    (tmp_path / "modules").mkdir()
    (tmp_path / "modules" / "psycopg.py").write_text(
        "raise ModuleNotFoundError('No module named psycopg', name='psycopg')"
    )
    process = rosetta(
        "list", "runs", ROSETTA_STORE="postgresql://me:s3cret@host/db", PYTHONPATH=str(tmp_path / "modules")
    )
    assert process.returncode == errors.StoreError.exit_code, process.stderr
    assert f"{sys.executable} -m uv pip install --python {sys.executable} 'psycopg[binary]~=3.3'" in process.stderr
    assert "s3cret" not in process.stderr
