"""Stores are merged: every row, with new ids and the right references, or nothing."""

import pytest
from rows import figure_of
from sqlalchemy import func, select
from sqlalchemy.orm import Session
from test_store import add_run, block

from rosettabench.errors import StoreError, UsageError
from rosettabench.store.content import Relation, lines_of, relate
from rosettabench.store.digest import digest
from rosettabench.store.info import COUNTED, describe
from rosettabench.store.merge import Merged, merge, refuse_same
from rosettabench.store.record import FigureName, Finished
from rosettabench.store.schema import Base, Certificate, Certification, Event, Failure
from rosettabench.store.store import Store, now

RUN = "20260101-000000-abcd"


def nobody(store, run):
    """No process is at work on any run."""
    return


def fill(store, *identities, certificate=None):
    """Add runs with a row in every table."""
    for identity in identities:
        entry = add_run(store, identity)
        contest = entry.contest_id
        for number in (1, 2):
            store.add(block(entry, number))
        store.add(figure_of(entry, FigureName.BUILD, 0.5, {"a": [1]}))
        proof = certificate or store.add(make_certificate(identity))
        store.add(Certification(entry_id=entry.id, certificate_id=proof.id, session=1))
        for places in ({}, {"contest_id": contest}, {"contest_id": contest, "entry_id": entry.id}):
            where = {"run_id": identity, "contest_id": None, "entry_id": None, "at": now()} | places
            store.add(Event(**where, kind="note", payload={"places": len(places)}))
            store.add(Failure(**where, stage="turn", kind="crash", what=str(places), hint="", details=""))


def make_certificate(key):
    """A certificate with a body."""
    body = {"key": key, "infinite": float("inf")}
    return Certificate(key=key, at=now(), passed=True, body=body, digest=digest(body))


def content(store):
    """Everything that a store holds, without ids."""
    return {run.id: lines_of(store.run(run.id)) for run in store.runs()}


def counts(store):
    """The number of rows of every table."""
    with Session(store.engine) as session:
        tables = Base.metadata.sorted_tables
        return {table.name: session.scalar(select(func.count()).select_from(table)) for table in tables}


@pytest.fixture
def stores(tmp_path, database, postgresql):
    """A function that opens new stores: "sqlite" or "postgresql"."""
    made = []

    def make(kind):
        made.append(kind)
        name = f"{len(made)}-{database.rpartition('-')[2]}"
        return Store(str(tmp_path / f"{name}.sqlite") if kind == "sqlite" else postgresql.make(name))

    return make


@pytest.mark.parametrize("kinds", [("sqlite", "postgresql"), ("postgresql", "sqlite"), ("sqlite", "sqlite")])
def test_every_row_arrives_with_its_references(stores, kinds):
    first, target = map(stores, kinds)
    second = stores(kinds[0])
    fill(first, "20260101-000000-aaaa", "20260102-000000-bbbb")
    fill(second, "20260101-120000-cccc")
    fill(target, "20260103-000000-dddd")
    expected = content(first) | content(second) | content(target)
    before = [content(first), content(second)]
    done = merge([first, second], target, nobody)
    assert {one.how for one in done} == {Merged.ADDED}
    assert content(target) == expected
    assert [content(first), content(second)] == before
    assert [run.id[-4:] for run in target.runs()] == ["dddd", "cccc", "bbbb", "aaaa"], "by their times"
    assert counts(target)["certificates"] == 4
    again = counts(target)
    assert {one.how for one in merge([first, second], target, nobody)} == {Merged.THERE}
    assert counts(target) == again, "the second time adds nothing"
    assert target.certificate("20260101-120000-cccc").body["infinite"] == float("inf")


def test_a_certificate_that_runs_share_is_one_row(stores):
    source, target = stores("sqlite"), stores("postgresql")
    shared = source.add(make_certificate("shared"))
    source.add(make_certificate("of no run"))
    fill(source, "20260101-000000-aaaa", "20260102-000000-bbbb", certificate=shared)
    merge([source], target, nobody)
    assert sorted(one.key for one in target.certificates()) == ["of no run", "shared"]


def test_the_newest_certificate_counts_though_an_older_one_came_later(stores):
    older, target = stores("sqlite"), stores("sqlite")
    older.add(make_certificate("k"))
    newest = target.add(make_certificate("k"))
    merge([older], target, nobody)
    assert target.certificate("k").at == newest.at
    assert [one.at for one in target.certificates()] == sorted(one.at for one in target.certificates())


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_run_of_another_content_is_refused_and_nothing_is_merged(stores, kind):
    first, second, target = stores("sqlite"), stores("sqlite"), stores(kind)
    fill(first, "20260101-000000-aaaa")
    fill(second, RUN)
    fill(target, RUN)  # at another time
    before = counts(target), content(target)
    with pytest.raises(StoreError, match="another content"):
        merge([first, second], target, nobody)
    assert (counts(target), content(target)) == before


@pytest.mark.parametrize("kinds", [("sqlite", "postgresql"), ("postgresql", "sqlite")])
def test_a_run_that_went_on_elsewhere_is_continued(stores, kinds):
    source, target = map(stores, kinds)
    fill(source, RUN)
    merge([source], target, nobody)
    entry = source.run(RUN).contests[0].entries[0]
    source.add(block(entry, 3))
    certificate = source.add(make_certificate("later"))
    source.add(Certification(entry_id=entry.id, certificate_id=certificate.id, session=2))
    where = {"run_id": RUN, "contest_id": entry.contest_id, "entry_id": entry.id, "at": now()}
    source.add(Event(**where, kind=Finished.KIND, payload={}))
    assert relate(lines_of(target.run(RUN)), lines_of(source.run(RUN))) is Relation.BEHIND
    assert [one.how for one in merge([source], target, nobody)] == [Merged.CONTINUED]
    assert content(target) == content(source)
    assert [one.how for one in merge([source], target, nobody)] == [Merged.THERE]
    target.add(block(target.run(RUN).contests[0].entries[0], 4))
    assert [one.how for one in merge([source], target, nobody)] == [Merged.THERE], "the target is further"
    source.add(block(entry, 5))
    with pytest.raises(StoreError, match="another content"):
        merge([source], target, nobody)


def test_a_run_at_work_is_left_out_and_named(stores):
    source, target = stores("sqlite"), stores("sqlite")
    fill(source, "20260101-000000-aaaa", RUN)
    done = merge([source], target, lambda store, run: "process 7" if run == RUN else None)
    assert [(one.run, one.how, one.owner) for one in done if one.owner] == [(RUN, Merged.BUSY, "process 7")]
    assert [run.id for run in target.runs()] == ["20260101-000000-aaaa"]


def test_a_merge_that_fails_in_the_middle_adds_nothing(stores, monkeypatch):
    import rosettabench.store.merge as room

    source, target = stores("sqlite"), stores("postgresql")
    fill(source, "20260101-000000-aaaa", RUN)
    append = room.append_run

    def fail(session, run, *more):
        if run.id == RUN:
            raise RuntimeError("in the middle")
        append(session, run, *more)

    monkeypatch.setattr(room, "append_run", fail)
    with pytest.raises(RuntimeError):
        merge([source], target, nobody)
    assert {*counts(target).values()} == {0, 1}, "only the version of the schema"


def test_a_store_is_not_merged_into_itself(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for one, other in (
        ("a.sqlite", f"sqlite:///{tmp_path}/a.sqlite"),
        ("postgres://me:x@host/db", "postgresql://me:x@host/db"),
    ):
        with pytest.raises(UsageError, match="into itself"):
            refuse_same([one], other)
    refuse_same(["a.sqlite"], "b.sqlite")


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_store_is_described(stores, kind):
    store = stores(kind)
    assert describe(store).first_run is None
    fill(store, RUN)
    found = describe(store)
    assert found.rows == {name: counts(store)[name] for name in COUNTED}
    assert found.size_bytes > 4096
    assert found.database.startswith({"sqlite": "SQLite 3.", "postgresql": "PostgreSQL 15"}[kind])
    assert found.first_run == found.last_run == store.run().at
    assert "s3cret" not in str(found)
