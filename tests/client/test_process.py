"""Whatever a worker does, the controller gets an answer or a cause, and nothing is left running."""

import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from rosettabench.client import process
from rosettabench.client.process import WorkerProcess
from rosettabench.errors import WorkerError

HERE = Path(__file__).parent


@pytest.fixture
def worker(tmp_path, monkeypatch):
    """A process of the misbehaving worker."""
    folder = tmp_path / "worker"
    folder.mkdir()
    (folder / "__main__.py").write_text((HERE / "fake_worker.py").read_text())
    monkeypatch.setattr(process, "worker_folder", lambda: folder)
    started = WorkerProcess(Path(sys.executable), tmp_path / "log", os.environ, tmp_path)
    yield started
    started.kill()


def gone(pid):
    """Whether a process has ended, or is only waiting to be reaped."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def until(condition, seconds=20.0):
    """Wait for a condition; whether it came true."""
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    return condition()


def test_prints_do_not_reach_the_protocol(worker):
    assert worker.ask("print", 10)["ok"]
    assert worker.ask("hello", 10, protocol=1)["ok"]
    assert "xxx" in worker.log.read_text()


@pytest.mark.parametrize(
    ("do", "kind", "words"),
    [
        ("hang", "timeout", "within 0 s"),
        ("exit", "crash", "exit code 3"),
        ("segfault", "crash", "SIGSEGV"),
        ("nonsense", "protocol", "this is no JSON"),
        ("wrong id", "protocol", "answered request 1"),
        ("fail", "out_of_memory", "E: m"),
    ],
)
def test_every_misbehaviour_has_its_cause(worker, do, kind, words):
    with pytest.raises(WorkerError) as told:
        worker.ask(do, 0.3 if do == "hang" else 10)
    assert told.value.kind == kind
    assert words in told.value.what
    assert do == "fail" or gone(worker.pid)
    worker.close()  # which hides nothing of the error, whether or not it is dead


def test_a_killed_worker_is_told(worker):
    pid = worker.ask("hello", 10, protocol=1)["pid"]
    os.kill(pid, 9)
    with pytest.raises(WorkerError, match="SIGKILL") as told:
        worker.ask("hello", 10, protocol=1)
    assert told.value.kind == "crash"


def test_children_of_a_worker_end_with_it(worker):
    worker.ask("child", 10)
    (child,) = psutil.Process(worker.pid).children()
    worker.kill()
    assert until(lambda: gone(child.pid))


def test_a_worker_that_says_goodbye_is_not_killed(worker):
    worker.close()
    assert worker._process.returncode == 0


def test_waiting_costs_no_processor_time(worker):
    before = time.process_time()
    with pytest.raises(WorkerError):
        worker.ask("hang", 1.0)
    assert time.process_time() - before < 0.05


def test_no_file_descriptor_is_lost(worker, tmp_path):
    worker.kill()
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(5):
        another = WorkerProcess(Path(sys.executable), tmp_path / "log", os.environ, tmp_path)
        another.ask("hello", 10, protocol=1)
        another.close()
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_an_interpreter_that_does_not_start_is_told(tmp_path):
    with pytest.raises(WorkerError, match="does not start") as told:
        WorkerProcess(tmp_path / "no-python", tmp_path / "log", os.environ, tmp_path)
    assert told.value.kind == "environment"


def test_a_program_that_is_not_there_is_told_with_who_knows_the_command_for_it(tmp_path):
    command = ("no-such-program", "worker.R")
    with pytest.raises(WorkerError, match="no-such-program does not start") as told:
        WorkerProcess(Path(sys.executable), tmp_path / "log", os.environ, tmp_path, worker=command)
    assert (told.value.kind, told.value.hint) == ("environment", "rosetta doctor")


CONTROLLER = """
import os, sys, time
from pathlib import Path
from rosettabench.client.process import WorkerProcess
worker = WorkerProcess(Path(sys.executable), Path(sys.argv[1]) / "log", os.environ, Path(sys.argv[1]))
print(worker.ask("hello", 30, protocol=1)["pid"], flush=True)
time.sleep(600)
"""


def test_the_real_worker_dies_with_its_controller(tmp_path):
    """kill -9 of the controller, without a chance to clean up: the kernel ends the worker."""
    controller = subprocess.Popen([sys.executable, "-c", CONTROLLER, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    pid = int(controller.stdout.readline())
    assert not gone(pid)
    controller.kill()
    controller.wait()
    assert until(lambda: gone(pid))
    controller.stdout.close()


def test_the_real_worker_ends_when_told_to(tmp_path):
    worker = WorkerProcess(Path(sys.executable), tmp_path / "log", os.environ, tmp_path)
    worker.ask("hello", 30, protocol=1)
    worker.close()
    assert worker._process.returncode == 0


def test_the_real_worker_refuses_another_protocol_and_unknown_requests(tmp_path):
    worker = WorkerProcess(Path(sys.executable), tmp_path / "log", os.environ, tmp_path)
    with pytest.raises(WorkerError, match="speaks protocol 99"):
        worker.ask("hello", 30, protocol=99)
    with pytest.raises(WorkerError, match="knows no request 'dance'"):
        worker.ask("dance", 30)
    assert worker.ask("hello", 30, protocol=1)["language"] == "Python"
    worker.close()


def test_an_answer_that_trickles_in_is_too_late_all_the_same(worker):
    begun = time.monotonic()
    with pytest.raises(WorkerError) as told:
        worker.ask("trickle", 1)
    assert told.value.kind == "timeout"
    assert time.monotonic() - begun < 10
    assert gone(worker.pid)


def test_a_worker_that_closes_its_pipe_and_lives_on_has_its_time_and_no_more(worker, monkeypatch):
    monkeypatch.setattr(process, "PATIENCE_S", 60.0)
    with pytest.raises(WorkerError, match="without ending") as told:  # the worker ends after 20 s
        worker.ask("mute", 0.5)
    assert told.value.kind == "protocol"
    assert gone(worker.pid)


def test_a_line_without_end_is_no_answer(worker, monkeypatch):
    monkeypatch.setattr(process, "LONGEST_LINE", 1 << 20)
    with pytest.raises(WorkerError, match="longer than 1 MiB") as told:
        worker.ask("flood", 60)
    assert told.value.kind == "protocol"
    assert gone(worker.pid)


def test_a_long_answer_is_read_in_one_go(worker):
    assert len(worker.ask("long", 60)["text"]) == 20_000_000


def test_what_does_not_fit_the_protocol_is_told(worker):
    with pytest.raises(WorkerError, match="elapsed_s: Field required") as told:
        worker.ask("train", 10, first=0, steps=1)
    assert told.value.kind == "protocol"
    assert gone(worker.pid)


def test_the_death_of_a_worker_shows_though_its_child_holds_the_pipe(worker):
    with pytest.raises(WorkerError, match="exit code 3") as told:
        worker.ask("orphan", 60)
    assert told.value.kind == "crash"
    child = int(worker.log.read_text().split()[-1])
    assert until(lambda: gone(child)), "the child is ended with its worker"
