"""A worker's process: start it, talk to it over its own pipes, and end it without leaving anything behind."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any

from rosettabench.catalogue.roots import worker_folder
from rosettabench.client.messages import check_message
from rosettabench.client.replies import LONGEST_LINE, read_reply
from rosettabench.errors import FailureKind, WorkerError

PROTOCOL = 1
"""The version of docs/reference/protocol.md that this controller speaks."""

LOG_TAIL = 4000
"""How many characters of a dead worker's output are stored."""


TEARDOWN_S = 0.2
"""Seconds that a worker has to end after it answered `close`."""

PATIENCE_S = 5.0
"""Most seconds that a worker has to end after it closed its pipes."""

GLANCE_S = 1.0
"""Seconds between two checks, while waiting for a reply, that the worker lives."""

LIVING: set[WorkerProcess] = set()
"""All workers of this controller whose `kill` has not been called."""


def interrupt_all() -> None:
    """End every worker and its children now. A thread that waits for a worker's reply gets a WorkerError."""
    for worker in list(LIVING):
        worker.interrupt()


HINTS = {
    FailureKind.MISSING_PACKAGE: "rosetta env check says what is missing from the environment.",
    FailureKind.OUT_OF_MEMORY: "Choose a smaller batch: --set batch_size=…",
}
"""The hint for each kind of error that a worker reports."""


class WorkerProcess:
    """One worker. `ask` sends a request and blocks, without using the processor, until the reply arrives.

    The process leads its own operating-system session: Ctrl-C at the terminal reaches only the controller, and ending
    the worker ends all its children. If the controller is killed, the kernel kills the worker (see
    ``rosetta_worker/__main__.py``).
    """

    def __init__(
        self,
        python: Path,
        log: Path,
        variables: Mapping[str, str],
        folder: Path,
        service: str = "model",
        worker: Sequence[str] = (),
    ) -> None:
        """Start it with a `service` of docs/reference/protocol.md, "Transport".

        `worker` is the command of a worker in another language; empty for ours.
        """
        request_end, self._requests = os.pipe()
        self._replies, reply_end = os.pipe()
        self._rest = b""
        self._service = service
        self._number = 0
        self._out_of_memory_kills = out_of_memory_kills()
        self.log = log
        command = [
            *(worker or (str(python), str(worker_folder() / "__main__.py"))),
            str(request_end),
            str(reply_end),
            str(os.getpid()),
            service,
        ]
        with log.open("ab") as output:
            try:
                self._process = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    pass_fds=(request_end, reply_end),
                    start_new_session=True,
                    env=dict(variables),
                    cwd=folder,
                )
            except OSError as error:
                hint = "rosetta doctor" if worker else "rosetta env check"
                raise WorkerError(FailureKind.ENVIRONMENT, f"{command[0]} does not start: {error}", hint) from error
            finally:
                os.close(request_end)
                os.close(reply_end)
        self.pid = self._process.pid
        LIVING.add(self)

    def ask(self, do: str, timeout: float, **fields: Any) -> dict[str, Any]:  # noqa: ANN401 (fields are JSON)
        """Send one request and return the reply's fields.

        Raises WorkerError if the worker replies with an error, dies, sends an invalid reply, or does not reply within
        `timeout` seconds; in the last three cases it is dead afterwards. Raises ValueError, and sends nothing, for a
        request that does not fit the protocol.
        """
        check_message(do, fields, self._service)
        self._number += 1
        line = json.dumps({"id": self._number, "do": do, **fields}) + "\n"
        end = monotonic() + timeout
        try:
            os.write(self._requests, line.encode())
        except BrokenPipeError:
            raise self._death(end) from None
        reply = self._parse(do, self._read_line(do, timeout, end))
        if not reply["ok"]:
            error = reply["error"]
            what = f"{error['type']}: {error['message']}"
            kind = FailureKind(error["kind"])
            raise WorkerError(kind, what, HINTS.get(kind, ""), error["traceback"])
        return reply

    def _read_line(self, do: str, timeout: float, end: float) -> bytes:
        """Return the next line. It may come in pieces, but must be complete at the time `end`."""
        pieces, size = [], 0
        piece = self._rest
        while b"\n" not in piece:
            pieces.append(piece)
            size += len(piece)
            if size > LONGEST_LINE:
                self.kill()
                raise WorkerError(FailureKind.PROTOCOL, f"the answer to {do!r} is longer than {LONGEST_LINE >> 20} MiB")
            while not self._readable(end):
                if monotonic() >= end:
                    self.kill()
                    raise WorkerError(
                        FailureKind.TIMEOUT, f"no answer to {do!r} within {timeout:.0f} s", details=self.tail()
                    )
            piece = os.read(self._replies, 1 << 16)
            if not piece:
                raise self._death(end)
        last, _, self._rest = piece.partition(b"\n")
        return b"".join((*pieces, last))

    def _readable(self, end: float) -> bool:
        """Wait up to GLANCE_S for a piece of a reply; raise WorkerError if the worker died without leaving one.

        Its death does not always close the pipe: a child may hold the other end.
        """
        gone = self._process.poll() is not None
        ready = select.select([self._replies], [], [], 0 if gone else min(max(0.0, end - monotonic()), GLANCE_S))[0]
        if gone and not ready:
            raise self._death(end)
        return bool(ready)

    def _parse(self, do: str, line: bytes) -> dict[str, Any]:
        """Parse a reply; kill the worker if the line is not a valid one."""
        try:
            return read_reply(line, self._number, do, self._service)
        except ValueError as error:
            self.kill()
            told = f"the worker answered request {self._number} ({do}) with {line[:200]!r}"
            raise WorkerError(FailureKind.PROTOCOL, f"{told}: {error}") from None

    def _death(self, end: float) -> WorkerError:
        """Return the error for a dead worker, with the cause if the system reports it before `end`."""
        try:
            code = self._process.wait(min(PATIENCE_S, max(TEARDOWN_S, end - monotonic())))
        except subprocess.TimeoutExpired:  # it closed its pipes but still runs
            self.kill()
            return WorkerError(FailureKind.PROTOCOL, "the worker closed its pipes without ending", details=self.tail())
        self.kill()
        if code == -signal.SIGKILL and out_of_memory_kills() > self._out_of_memory_kills:
            return WorkerError(
                FailureKind.OUT_OF_MEMORY, "the system killed the worker: out of memory", details=self.tail()
            )
        how = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
        return WorkerError(FailureKind.CRASH, f"the worker died: {how}", details=self.tail())

    def tail(self) -> str:
        """Return the last part of what the worker and its framework printed."""
        return self.log.read_text(errors="replace")[-LOG_TAIL:]

    def close(self, patience: float = PATIENCE_S) -> None:
        """Send `close`, wait at most `patience` seconds for the reply, and end what is left of the process group.

        After its reply a worker only tears down its framework, which takes some frameworks seconds. One that was killed
        before is not asked.
        """
        if self._requests < 0:
            return
        try:
            self.ask("close", patience)
            self._process.wait(TEARDOWN_S)
        except (WorkerError, subprocess.TimeoutExpired):
            pass  # it is ended below in any case, and its results are already stored
        self.kill()

    def interrupt(self) -> None:
        """End the process and its children now, but leave the clean-up to `kill` in the owning thread."""
        with suppress(ProcessLookupError, PermissionError):  # the group has no process left
            os.killpg(self.pid, signal.SIGKILL)

    def kill(self) -> None:
        """End the process and its children now, and close its pipes. May be called again."""
        self.interrupt()
        self._process.wait()
        LIVING.discard(self)
        for descriptor in (self._requests, self._replies):
            if descriptor >= 0:
                os.close(descriptor)
        self._requests = self._replies = -1


def out_of_memory_kills() -> int:
    """Return how many processes the kernel killed for lack of memory since its start; 0 if it does not report it."""
    try:
        lines = Path("/proc/vmstat").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("oom_kill "))
