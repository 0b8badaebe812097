"""The processes of a loader end with the worker that started them, and are counted as its own."""

import os
import signal
from dataclasses import replace

import psutil
import pytest
from commands import ended
from laboratory import environment, make_work, open_session
from tiers import slow

from rosettabench.catalogue.framework import competing_frameworks
from rosettabench.catalogue.workload import find_workload

pytestmark = pytest.mark.environment


@pytest.fixture(params=["pytorch", slow("mxnet-gluon")])
def session(request, tmp_path):
    """A session whose loader has two processes."""
    entry = competing_frameworks()[request.param]
    work = make_work(find_workload("fashion-mlp"), tmp_path)
    work = replace(work, setting=replace(work.setting, input="loader", workers=2))
    opened = open_session(entry, entry.mode, environment(entry.locks[0]), work, tmp_path / "session")
    yield opened
    opened.process.kill()


def test_kill_9_of_the_worker_leaves_none(session):
    """They are stopped first, so that none can see by itself that it is alone: the kernel has to end them."""
    session.train(0, 2)
    loaders = psutil.Process(session.process.pid).children(recursive=True)
    assert len(loaders) == 2
    for one in loaders:
        one.suspend()
    os.kill(session.process.pid, signal.SIGKILL)
    assert ended(loaders)


@pytest.mark.slow
def test_they_are_started_once_and_not_within_a_block(session):
    before = [one.pid for one in psutil.Process(session.process.pid).children(recursive=True)]
    session.train(0, 2)
    session.train(2, 3)
    session.build()
    session.train(0, 2)
    assert [one.pid for one in psutil.Process(session.process.pid).children(recursive=True)] == before


@pytest.mark.slow
def test_what_they_compute_is_counted(session):
    """In the end the processor seconds of all blocks are more than what the worker itself has used in them."""
    loaders = psutil.Process(session.process.pid).children(recursive=True)
    before = sum(sum(one.cpu_times()[:2]) for one in loaders)
    own, told = sum(psutil.Process(session.process.pid).cpu_times()[:2]), 0.0
    for _ in range(40):
        told += session.train(0, 30).cpu_s
    spent = sum(sum(one.cpu_times()[:2]) for one in loaders) - before
    own = sum(psutil.Process(session.process.pid).cpu_times()[:2]) - own
    assert spent > 0
    assert told > own, "without the loaders it would be less: some of its own time falls between the blocks"
