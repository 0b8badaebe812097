"""Whole runs on a PostgreSQL server: two controllers at once, and a server that stops in the middle of a run."""

import re
import shlex

import pytest
from commands import NUMPY, QUICK, ended, finish, rounds, turns, wait_for_turns, workers

from rosettabench.store.content import Relation, lines_of, relate
from rosettabench.store.store import Store

pytestmark = [pytest.mark.environment, pytest.mark.slow]

RUN = ("run", "fashion-mlp", "-f", NUMPY, *QUICK)
PASSWORD = re.compile(r"s3cret")


@pytest.fixture
def shared(rosetta, database, tmp_path):
    """Start the command line with a store on the server: shared(words…) -> Popen."""
    return lambda *words, **more: rosetta(
        *words, ROSETTA_STORE=database, XDG_DATA_HOME=str(tmp_path / "data"), HOME=str(tmp_path), **more
    )


@pytest.fixture
def local(rosetta, tmp_path):
    """Start the command line with the user's data folder of these tests and another store."""
    return lambda store, *words: rosetta(
        *words, ROSETTA_STORE=str(store), XDG_DATA_HOME=str(tmp_path / "data"), HOME=str(tmp_path)
    )


def test_two_controllers_write_to_one_database_at_once(shared, database):
    first, second = shared(*RUN, "--rounds", "6"), shared(*RUN, "--rounds", "5")
    said = [finish(process) for process in (first, second)]
    assert [code for code, _, _ in said] == [0, 0], said
    store = Store(database)
    done = [store.run(run.id) for run in store.runs()]
    assert sorted(len(rounds(run.contests[0].entries[0])) for run in done) == [5, 6]
    for run in done:
        assert {"stopped", "finished"} <= {event.kind for event in run.events}
        assert run.contests[0].entries[1].control_of == run.contests[0].entries[0].label
        for entry in run.contests[0].entries:
            assert entry.certifications[0].certificate.passed
            places = [(one.round, one.position) for one in turns(entry)]
            assert len({*places}) == len(places) == 2 * len(rounds(entry))
            assert all(one.entry_id == entry.id for one in entry.blocks)
    assert not PASSWORD.search(str(said) + str([run.command for run in done]))


def test_a_run_outlives_its_database_and_comes_back(shared, local, database, postgresql, tmp_path):
    process = shared(*RUN, "--rounds", "12")
    wait_for_turns(lambda: Store(database), process, 4)
    (run,) = Store(database).runs()
    postgresql.stop()
    try:
        code, out, err = finish(process)
    finally:
        postgresql.start()
    assert code == 0, err
    assert err.count("The run goes on in") == 1
    file = tmp_path / "data" / "rosettabench" / "rescued" / f"{run.id}.sqlite"
    assert f"rosetta store merge {shlex.quote(str(file))}" in err
    assert not PASSWORD.search(out + err)
    assert f"Run {run.id}, finished" in out
    whole, half = Store(str(file)).run(), Store(database).run()
    assert relate(lines_of(half), lines_of(whole)) is Relation.BEHIND
    assert len(turns(half.contests[0].entries[0])) >= 4, "what the database had"
    assert [rounds(entry) for entry in whole.contests[0].entries] == [list(range(1, 13))] * 2

    code, _, err = finish(shared("resume"))
    assert code == 2, "both would go on"
    assert f"rosetta store merge {file}" in err

    code, out, err = finish(shared("store", "merge", str(file)))
    assert code == 0, err
    assert "1 run: 1 continued" in out
    assert not PASSWORD.search(out + err)
    assert lines_of(Store(database).run()) == lines_of(whole)
    code, _, err = finish(shared("resume"))
    assert code == 2
    assert "is finished" in err


def test_a_run_that_was_killed_in_its_local_file_is_resumed_there_and_merged(
    shared, local, database, postgresql, tmp_path
):
    process = shared(*RUN, "--rounds", "14")
    wait_for_turns(lambda: Store(database), process, 2)
    (run,) = Store(database).runs()
    file = tmp_path / "data" / "rosettabench" / "rescued" / f"{run.id}.sqlite"
    postgresql.stop()
    try:
        wait_for_turns(lambda: Store(str(file) if file.exists() else str(tmp_path / "none.sqlite")), process, 8)
        alive = workers(process)
        process.kill()
        assert ended(alive)
        code, _, err = finish(local(file, "resume"))
        assert code == 0, err
    finally:
        postgresql.start()
    code, out, err = finish(shared("store", "merge", str(file)))
    assert (code, "1 continued" in out) == (0, True), err
    back = Store(database).run()
    assert lines_of(back) == lines_of(Store(str(file)).run())
    # a round in which it was killed counts for nothing and is made again under the next number
    assert [len(rounds(entry)) for entry in back.contests[0].entries] == [14] * 2
    assert {"resumed", "finished"} <= {event.kind for event in back.events}


def test_a_run_at_work_is_neither_resumed_nor_merged(shared, local, database, tmp_path):
    process = shared(*RUN, "--rounds", "200")
    wait_for_turns(lambda: Store(database), process, 1)
    (run,) = Store(database).runs()
    owner = Store(database).owner(f"{run.id}")
    assert f"process {process.pid} on " in owner
    # another cache: as on another machine, where only the database knows the owner
    code, _, err = finish(shared("resume", ROSETTA_CACHE=str(tmp_path / "cache")))
    assert code == 2
    assert f"{owner} is at work on run {run.id}" in err
    target = tmp_path / "target.sqlite"
    code, out, err = finish(shared("store", "merge", database, "--into", str(target)))
    assert code == 0, err
    assert f"run {run.id} of " in err
    assert f"is left out: {owner} is at work on it" in err
    assert not Store(str(target)).runs()
    assert not PASSWORD.search(out + err)
