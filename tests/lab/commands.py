"""What the tests of whole runs share: the quickest contender, and how to watch a command at work."""

import sys
import time
from pathlib import Path

import psutil

THIRD_PARTY = Path(__file__).resolve().parents[1] / "third_party"
NUMPY = f"numpy@{sys.executable}"

QUICK = ("--suite", "quick", "--round-seconds", "0.3")
"""One process of each contender, two turns in a round, and short ones."""


def finish(process, seconds=300):
    """Wait for a command; its exit code and what it said."""
    out, err = process.communicate(timeout=seconds)
    return process.returncode, out, err


def turns(entry):
    """The timed blocks of an entry."""
    return [block for block in entry.blocks if block.phase == "turn"]


def failures_of(run):
    """{label: why it is not ranked} of those that left the only contest of a run."""
    (contest,) = run.contests
    return {one.label: failure for one in contest.entries for failure in run.failures if failure.entry_id == one.id}


def rounds(entry):
    """The rounds that an entry has completed: it took both turns."""
    numbers = [block.round for block in turns(entry)]
    return sorted({number for number in numbers if numbers.count(number) == 2})


def wait_for_turns(store, process, wanted, seconds=120):
    """Wait until every entry of the newest run has so many turns."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        runs = store().runs()
        entries = store().run().contests[0].entries if runs and store().run().contests else []
        if entries and all(len(turns(entry)) >= wanted for entry in entries):
            return
        if process.poll() is not None:
            raise AssertionError(process.communicate())
        time.sleep(0.1)
    raise AssertionError("the turns do not come")


def workers(process):
    """The worker processes of a controller."""
    return psutil.Process(process.pid).children(recursive=True)


def ended(processes, seconds=20):
    """Whether all of some processes end within a while."""
    return not psutil.wait_procs(processes, timeout=seconds)[1]
