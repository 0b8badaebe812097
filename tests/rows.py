"""Rows that a test makes up, written to a store at once: the store itself has each row on disk before it goes on."""

from sqlalchemy.orm import Session

from rosettabench.plan.request import RunRequest
from rosettabench.store.schema import Contest, Entry, Event, Figure, Run
from rosettabench.store.store import now


def add_all(store, rows):
    """Write rows that nobody needs the numbers of."""
    with Session(store.engine) as session:
        session.add_all(rows)
        session.commit()


def event_of(record, run_id, contest=None, entry=None):
    """Return the row of an event, as the journal writes it."""
    places = {"contest_id": contest and contest.id, "entry_id": entry and entry.id}
    return Event(run_id=run_id, at=now(), kind=record.KIND, payload=record.payload(), **places)


def figure_of(entry, name, value, detail=None, session=1):
    """Return the row of a figure."""
    return Figure(entry_id=entry.id, at=now(), session=session, name=name, value=value, detail=detail or {})


def begin_run(store, identity, command=("rosetta",), machine=None):
    """Write a run that has no contest yet; return it."""
    request = RunRequest().model_dump(mode="json")
    facts = {"version": "0", "command": list(command), "request": request, "machine": machine or {}}
    return store.add(Run(id=identity, at=now(), **facts))


def add_run(store, identity="20260101-000000-abcd"):
    """A run with one contest of one entry; returns the entry."""
    run = begin_run(store, identity)
    contest = store.add(Contest(run_id=run.id, workload="fashion-mlp", setting={}, stopping={}))
    names = {"label": "a", "framework": "a", "mode": "eager", "lock": None, "python": None, "control_of": None}
    return store.add(Entry(contest_id=contest.id, **names))
