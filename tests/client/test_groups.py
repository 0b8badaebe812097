"""A group of devices in a real framework: whoever dies or hangs takes the others along, and the cause is told."""

import os
import signal
import socket
import time
from dataclasses import replace

import psutil
import pytest
from laboratory import environment, open_session, small_work, tamper

from rosettabench.catalogue.framework import all_frameworks
from rosettabench.errors import WorkerError

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("two_processors")]


@pytest.fixture
def start(tmp_path):
    """Start a group of two devices in PyTorch, ready to train, with changes to the adapter for several devices."""
    started = []

    def make(*changes):
        work = small_work("fashion-mlp", tmp_path / "work")
        work = replace(work, setting=replace(work.setting, devices=2))
        entry = all_frameworks()["pytorch"]
        copied = tamper(entry.path, (), tmp_path / "frameworks" / entry.path.name)
        tamper(entry.parallel, changes, tmp_path / "parallel" / entry.path.name)
        planted = entry.model_copy(update={"path": copied})
        started.append(open_session(planted, "eager", environment(entry.locks[0]), work, tmp_path / "session"))
        return started[-1]

    yield make
    for session in started:
        session.process.kill()


@pytest.fixture
def session(start):
    """A group of two devices as it is."""
    return start()


def devices(session):
    """The processes of the devices, in their order."""
    return sorted(psutil.Process(session.process.pid).children(), key=lambda one: one.pid)


def wait_for_end(processes):
    """Wait until all processes have ended, or are only waited for by nobody."""
    end = time.monotonic() + 10
    while any(one.is_running() and one.status() != psutil.STATUS_ZOMBIE for one in processes):
        assert time.monotonic() < end, "a process of the group is left"
        time.sleep(0.05)


def test_each_device_has_its_own_processor(session):
    found = [one.cpu_affinity() for one in devices(session)]
    assert len(found) == 2 and all(len(one) == 1 for one in found) and found[0] != found[1]
    assert session.settings()["devices"] == 2


def test_a_device_that_dies_ends_the_others_and_is_named(session):
    group, victims = psutil.Process(session.process.pid), devices(session)
    session.train(0, 1)
    victims[1].kill()
    with pytest.raises(WorkerError, match=r"device 1 was killed by SIGKILL; the others were ended"):
        session.train(1, 1)
    wait_for_end(victims)
    with pytest.raises(WorkerError, match="device 1 was killed"):
        session.train(2, 1)
    session.process.kill()
    wait_for_end([group])


def test_a_device_that_hangs_ends_the_group_when_the_time_is_over(session):
    every = [psutil.Process(session.process.pid), *devices(session)]
    session.train(0, 1)
    every[2].send_signal(signal.SIGSTOP)
    session.timeout = 3.0
    with pytest.raises(WorkerError, match="no answer to 'train' within 3 s") as caught:
        session.train(1, 1)
    assert caught.value.kind == "timeout"
    wait_for_end(every)


FAILS = "        if self.setting.number == 1:\n            raise MemoryError('planted')\n"


def test_a_device_that_fails_while_the_others_wait_is_named(start):
    session = start(("        logits = self.parallel(inputs)\n", FAILS + "        logits = self.parallel(inputs)\n"))
    left = devices(session)
    with pytest.raises(WorkerError, match="MemoryError: device 1: planted; the others were ended") as caught:
        session.train(0, 1)
    assert caught.value.kind == "out_of_memory"
    wait_for_end(left)


def test_an_error_of_all_devices_ends_nothing(session):
    with pytest.raises(WorkerError, match=r"^ValueError: only 0 batches are left"):
        session.train(10**6, 1)
    assert session.train(0, 1).samples == session.work.setting.batch_size


def test_the_death_of_the_group_leaves_no_device(session):
    left = devices(session)
    os.kill(session.process.pid, signal.SIGKILL)
    wait_for_end(left)


def test_a_port_in_use_is_the_cause_of_the_failure(start):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(WorkerError, match=r"device 0: .*(address already in use|EADDRINUSE)"):
            start(("self.setting.ports[0]", str(port)))
