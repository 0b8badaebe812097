"""Two processes that take turns: a worker's session, and a plain script of benchmarks/plain that trains the same."""

import random
import subprocess
import sys
from contextlib import contextmanager
from math import ceil
from pathlib import Path
from time import perf_counter

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from laboratory import environment, make_work, open_session, tamper

from rosettabench.catalogue.workload import ProofExtents
from rosettabench.client.machine import worker_variables
from rosettabench.resources.processors import confine_children, worker_processors

__all__ = [
    "NO_PROOF",
    "PROBES",
    "WARM_UP",
    "alternate",
    "in_mode",
    "in_words",
    "length_of_turn",
    "make_work",
    "plain_script",
    "script_of",
    "take_turns",
    "tamper",
    "worker",
]

PLAIN = Path(__file__).parent / "plain"
WARM_UP = 2
"""Rounds before those that count."""

TURN_S = 0.3
"""What a turn is to take."""

PROBES = 4096
"""Batches that are at hand while the length of a turn is sought, and for `alternate`."""

NO_PROOF = ProofExtents()
"""A proof at the workload's own extents: nothing is smaller than it is."""


def in_mode(contender):
    """Return the entry of a contender's framework, in the contender's mode."""
    return contender.entry.model_copy(update={"mode": contender.mode})


def script_of(workload, entry):
    """Return where the plain script of a workload in a framework is, or would be.

    Mode `tuned` is held against the script of the folder `fastest`, if there is one.
    """
    name = f"{workload.name.replace('-', '_')}_{entry.path.stem}.py"
    fastest = PLAIN / "fastest" / name
    return fastest if entry.mode == "tuned" and fastest.exists() else PLAIN / name


@contextmanager
def worker(entry, work, folder):
    """Start a session of the framework in its own mode, ready to train; close it at the end."""
    session = open_session(entry, entry.mode, environment(entry.locks[0]), work, folder)
    try:
        yield session
    finally:
        session.process.close()


def length_of_turn(session, probes):
    """Return how many steps take TURN_S: the first turn compiles, and the others grow until they can be timed.

    As many as `probes` batches are at hand for that.
    """
    session.block(0, 1)
    steps, seconds = 1, session.block(0, 1).elapsed_s
    while seconds < TURN_S / 3 and 2 * steps <= probes:
        steps *= 2
        seconds = session.block(0, steps).elapsed_s
    return max(1, ceil(steps * TURN_S / seconds))


class Script:
    """A plain script that is running and waits for its turn."""

    def __init__(self, process):
        self.process = process
        self.loss = None
        """The mean loss of its last turn."""

    def train(self, steps):
        """Let it take so many steps; return the seconds that it printed."""
        self.process.stdin.write(f"{steps}\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().split()
        if len(answer) != 2:
            raise RuntimeError(f"{self.process.args[1]} did not print seconds and loss, but {answer}")
        seconds, self.loss = map(float, answer)
        return seconds


@contextmanager
def plain_script(entry, work, folder):
    """Start the plain script on the same work, environment, variables and processors as a worker; end it at the end."""
    where, train, threads = environment(entry.locks[0]), work.data.train, work.setting.threads
    script = script_of(work.workload, entry)
    command = [str(each) for each in (where.python, script, train.inputs, train.labels, work.batches, threads)]
    folder.mkdir(parents=True, exist_ok=True)
    variables = worker_variables(threads, entry.backend, where.kind == "managed", folder)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with (folder / "script.log").open("wb") as log, confine_children(worker_processors(threads)):
        # A session of its own, as a worker has: Linux may share processors out among sessions (autogroup).
        process = subprocess.Popen(
            command, **pipes, stderr=log, text=True, env=variables, cwd=folder, start_new_session=True
        )
    try:
        yield Script(process)
    finally:
        process.kill()
        process.communicate()


def take_turns(session, script, steps, rounds):
    """Let both train so many steps in random order, round by round; the first WARM_UP rounds do not count.

    Return the seconds of the session's turns, those of the script's, those of messages (what each turn of the session
    took beyond its timed region), and the session's mean loss in its last turn.
    """

    def through_worker(first):
        start = perf_counter()
        turn = session.block(first, steps)
        messages.append(perf_counter() - start - turn.elapsed_s)
        losses.append(turn.loss)
        return turn.elapsed_s

    def in_script(_):
        return script.train(steps)

    ours, plain, messages, losses = [], [], [], []
    for number in range(WARM_UP + rounds):
        seconds = {}
        for turn in random.sample([through_worker, in_script], 2):
            seconds[turn] = turn(number * steps)
        ours.append(seconds[through_worker])
        plain.append(seconds[in_script])
    return ours[WARM_UP:], plain[WARM_UP:], messages[WARM_UP:], losses[-1]


def alternate(sessions, steps, rounds):
    """Let each of {name: session} take so many steps in random order, in each of the numbered rounds.

    Return {name: seconds of a step, by round}. PROBES batches are at hand; a turn that needs others begins again with
    the first.
    """
    times = {name: [] for name in sessions}
    for number in rounds:
        for name in random.sample(list(sessions), len(sessions)):
            first = number * steps % (PROBES - steps)
            times[name].append(sessions[name].block(first, steps).elapsed_s / steps)
    return times


def in_words(interval):
    """Return a ratio and its interval, as the tables have it; an interval is None after too few rounds."""
    if interval is None:
        return "too few rounds for an interval"
    return f"{interval.ratio:.3f} ({interval.low:.3f} to {interval.high:.3f})"
