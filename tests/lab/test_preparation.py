"""Data and environments are made side by side, each once, and nothing is begun while something is timed."""

import signal
import sys
import time
from threading import Barrier, Event, Thread, current_thread
from threading import enumerate as living

import pytest
from commands import ended, finish, workers

from rosettabench.environments.program import program
from rosettabench.errors import DataError, EnvironmentFault
from rosettabench.lab.display import Silent
from rosettabench.lab.preparation import AT_ONCE, Job, Preparation

LONG = 60
"""Seconds after which a test that waits for something has failed."""


def job(kind, name, make, seconds=0.0):
    return Job((kind, name), name, lambda progress: make(), seconds)


def prepared(*jobs, display=None):
    preparation = Preparation(display or Silent())
    for one in jobs:
        preparation.add(one)
    preparation.begin()
    return preparation


def test_data_and_two_environments_are_made_at_the_same_time():
    together = Barrier(3)
    jobs = [job("data", "words", lambda: together.wait(LONG))]
    jobs += [job("environment", name, lambda: together.wait(LONG)) for name in ("one", "other")]
    with prepared(*jobs) as preparation:
        assert {preparation.get(one.key) for one in jobs} == {0, 1, 2}, "each came to the same place as the others"


def test_data_are_prepared_one_after_the_other_in_their_order():
    order = []
    jobs = [job("data", name, lambda name=name: order.append(name)) for name in "cab"]
    with prepared(*jobs) as preparation:
        for one in reversed(jobs):
            preparation.get(one.key)
    assert order == ["c", "a", "b"]


def test_what_has_the_same_key_is_made_once():
    made = []
    jobs = [job("environment", "one", lambda: made.append(1)) for _ in range(3)]
    with prepared(*jobs) as preparation:
        for one in jobs:
            preparation.get(one.key)
            preparation.obtain(one, lambda message: None)
    assert made == [1]


def fail(error):
    raise error


def test_an_environment_that_fails_leaves_the_others():
    bad = job("environment", "bad", lambda: fail(EnvironmentFault("no Python 3.6")))
    good = job("environment", "good", lambda: "good")
    with prepared(bad, good) as preparation:
        for _ in range(2):  # every contest that needs it is told
            with pytest.raises(EnvironmentFault, match=r"no Python 3\.6"):
                preparation.get(bad.key)
        assert preparation.get(good.key) == "good"


def test_wrong_data_are_told_while_environments_are_still_made():
    never = Event()
    slow = job("environment", "slow", lambda: never.wait(LONG))
    wrong = job("data", "wrong", lambda: fail(DataError("cut off")))
    with pytest.raises(DataError, match="cut off"), prepared(slow, wrong) as preparation:
        try:
            preparation.get(wrong.key)
        finally:
            assert not slow.made.done()
            never.set()


class Watching(Silent):
    """A display that sets an event when somebody waits before it, and keeps what it was shown."""

    def __init__(self):
        self.seen, self.waited = [], Event()

    def preparing(self, message, done, begun, total):
        self.seen.append((done, begun, total))
        self.waited.set()


def test_while_something_is_timed_nothing_is_begun_and_what_has_begun_is_over():
    display, begun = Watching(), Event()

    def first():
        begun.set()
        return display.waited.wait(LONG)  # until somebody waits for it

    jobs = [job("data", "first", first), job("data", "second", current_thread)]
    with prepared(*jobs, display=display) as preparation:
        assert begun.wait(LONG)
        with preparation.pause_jobs():
            assert jobs[0].made.done()
            maker = preparation.obtain(jobs[1], lambda message: None)
            assert maker is current_thread(), "nobody had begun it, and whoever needs it now makes it"


def test_what_was_held_back_is_made_afterwards():
    display, begun = Watching(), Event()

    def first():
        begun.set()
        return display.waited.wait(LONG)

    jobs = [job("data", "first", first), job("data", "second", lambda: "second")]
    with prepared(*jobs, display=display) as preparation:
        assert begun.wait(LONG)
        with preparation.pause_jobs():
            pass
        assert preparation.get(jobs[1].key) == "second"


def test_whoever_waits_sees_how_much_is_done_and_begun():
    display = Watching()
    jobs = [job("data", "first", lambda: display.waited.wait(LONG)), job("data", "second", lambda: None)]
    with prepared(*jobs, display=display) as preparation:
        preparation.get(jobs[1].key)
    assert (0, 1, 2) in display.seen, "the first was at work before anything was there"


def test_the_time_that_is_left_counts_what_is_not_there_yet():
    finished = Event()
    jobs = [job("data", "first", lambda: None, 5), job("data", "second", lambda: finished.wait(LONG), 7)]
    with prepared(*jobs) as preparation:
        preparation.get(jobs[0].key)
        assert preparation.seconds == 7
        finished.set()
        preparation.get(jobs[1].key)
        assert preparation.seconds == 0


def test_leaving_ends_what_is_being_made_with_its_programs():
    started, before = [], set(living())

    def sleep(progress):
        with program([sys.executable, "-c", "import time; time.sleep(600)"]) as process:
            started.append(process)
            process.communicate()

    def count(progress):
        while True:
            progress("counting")
            time.sleep(0.01)

    later = job("data", "later", lambda: None)
    jobs = [Job(("environment", "sleeps"), "", sleep), Job(("data", "counts"), "", count), later]
    with prepared(*jobs):
        while not started:
            time.sleep(0.01)
    assert started[0].returncode == -signal.SIGTERM
    assert set(living()) <= before
    assert not later.claimed.locked(), "what has not begun is not begun any more"


def test_ctrl_c_while_threads_begin_is_nothing_else(monkeypatch):
    started, over = [], Event()

    def start_once(thread, start=Thread.start):
        if started:
            raise KeyboardInterrupt
        started.append(thread)
        start(thread)

    monkeypatch.setattr(Thread, "start", start_once)
    with pytest.raises(KeyboardInterrupt), Preparation(Silent()) as preparation:
        for kind in AT_ONCE:
            preparation.add(job(kind, "a long one", lambda: over.wait(1)))
        preparation.begin()
    assert len(started) == 1


@pytest.mark.environment
def test_ctrl_c_ends_an_installation_and_leaves_nothing_behind(rosetta, store, tmp_path):
    cache = tmp_path / "cache"
    process = rosetta("run", "fashion-mlp", "-f", "mxnet-gluon", "--no-control", ROSETTA_CACHE=str(cache))
    while not list((cache / "environments").glob(".*.building")):
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    alive = workers(process)
    process.send_signal(signal.SIGINT)
    code, _, err = finish(process, LONG)
    assert code == 130, err
    assert "Traceback" not in err
    assert ended(alive)
    assert not [path for path in (cache / "environments").glob("*") if path.is_dir()], "no half of an environment"
    run = store().run()
    assert run.events[-1].kind == "interrupted"
    assert not run.failures, "to be interrupted is no failure of an environment"
