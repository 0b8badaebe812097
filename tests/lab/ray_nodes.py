"""A Ray cluster on this machine: a head that measures nothing, and nodes with a cache folder and an address each.

What is simulated: the nodes share processors, memory, system and clock; they are told apart by loopback addresses. What
is real: their processes, their messages over TCP, their cache folders, and their death by SIGKILL.
"""

import json
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import psutil

PATIENCE_S = 60


def free_port():
    """A port that nobody listens on."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def processes_below(process):
    """The processes that a process has started, and they, without those that have ended."""
    with suppress(psutil.NoSuchProcess):
        return psutil.Process(process.pid).children(recursive=True)
    return []


def is_worker(process):
    """Whether a process is a worker of Rosettabench, or one of its children."""
    with suppress(psutil.NoSuchProcess):
        return any("rosetta_worker" in word for word in process.cmdline())
    return False


class RayNodes:
    """Starts nodes in the foreground of processes of their own, and kills them."""

    def __init__(self, folder, variables, **more):
        """Start the head, with more variables for it alone."""
        self.folder = folder
        self.variables = variables
        self.port, self.client_port = free_port(), free_port()
        self.address = f"127.0.0.1:{self.port}"
        self.temp = tempfile.mkdtemp(prefix="ray-", dir="/tmp")  # a socket's path is limited to 107 characters
        self.started = {}
        self.start(
            *("head", "--head", f"--port={self.port}", f"--ray-client-server-port={self.client_port}"),
            *(f"--temp-dir={self.temp}", "--include-dashboard=false"),
            **more,
        )
        self.wait_for(lambda: self.answers(), "the head")

    def start(self, name, *words, **more):
        """Start a node."""
        command = [sys.executable, "-m", "ray.scripts.scripts", "start", "--block", f"--node-name={name}"]
        common = ("--num-cpus=2", "--object-store-memory=80000000", "--disable-usage-stats")
        ports = ("--min-worker-port=0", "--max-worker-port=0")
        cache = self.folder / f"cache-{name}"
        cache.mkdir()
        (cache / "environments").symlink_to(Path(self.variables["ROSETTA_CACHE"]) / "environments")
        own = {
            "ROSETTA_CACHE": str(cache),
            "PYTHONUNBUFFERED": "1",
            "RAY_AUTH_MODE": "disabled",  # else a head asks for a token if the user's home happens to have one
            "RAY_worker_niceness": "0",
            "RAY_memory_monitor_refresh_ms": "0",
            **more,
        }
        log = (self.folder / f"{name}.log").open("w")
        self.started[name] = subprocess.Popen(
            [*command, *common, *ports, *words],
            env={**self.variables, **own},
            cwd=self.folder,
            stdout=log,
            stderr=subprocess.STDOUT,
        )

    def add(self, name, times=1, **more):
        """Start a node that measures, at a loopback address of its own."""
        number = len(self.started) + 1
        self.start(
            *(name, f"--address={self.address}", f"--node-ip-address=127.0.0.{number}"),
            f"--resources={json.dumps({'rosetta': times})}",
            **more,
        )
        self._wait_for_log(name)

    def open(self):
        """Start one more node that measures nothing. A command connects to it, or to the head.

        Ray keeps the address of the node that was started last in a file that all nodes of a machine share.
        """
        self.start("desk", f"--address={self.address}")
        self._wait_for_log("desk")

    def _wait_for_log(self, name):
        """Wait until a node says that it runs."""
        log = self.folder / f"{name}.log"
        self.wait_for(lambda: "Ray runtime started" in log.read_text(), f"node {name}")

    def answers(self):
        """Whether the head listens."""
        with suppress(OSError):
            socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
            return True
        return False

    def wait_for(self, happened, what):
        """Wait until something happened."""
        end = time.monotonic() + PATIENCE_S
        while not happened():
            assert time.monotonic() < end, f"{what} does not begin"
            time.sleep(0.1)

    def kill(self, name):
        """End a node by SIGKILL, with all that belongs to Ray; return its workers of Rosettabench, which we spare."""
        below = processes_below(self.started[name])
        workers = [one for one in below if is_worker(one)]
        for one in [psutil.Process(self.started[name].pid), *below]:
            if one not in workers:
                with suppress(psutil.NoSuchProcess):
                    one.kill()
        self.started[name].wait()
        return workers

    def end(self):
        """End all nodes."""
        for name, process in self.started.items():
            if process.poll() is None:
                for one in self.kill(name):
                    with suppress(psutil.NoSuchProcess):
                        one.kill()
        shutil.rmtree(self.temp, ignore_errors=True)
