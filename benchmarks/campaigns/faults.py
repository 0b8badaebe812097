"""Lets runs meet faults of the machine, and looks whether anything is lost, left behind, or cannot go on.

    .venv/bin/python benchmarks/campaigns/faults.py [--trials 100] [--seed 0] [--results faults.jsonl]

Each trial is a small run under one fault, drawn at random. Then the fault is removed, and the run goes on.

    full        the folder of the store, the cache, the report or temporary files is a disk that fills up
    read-only   one of these four is a disk that nothing can be written to
    files       the controller and its workers may open few files (RLIMIT_NOFILE)
    size        no file may be larger than so much (RLIMIT_FSIZE)
    memory      no process may have more memory than so much (RLIMIT_AS)
    clock       the wall clock jumps by up to ten years; simulated in Python, see shifted/sitecustomize.py
    network     there is none: downloads are wanted, and every index and proxy refuses; sometimes environments are, too
    together    two or three runs at once on one store

What must hold:

    stuck       the controller ends within its patience; without the fault, the run comes to its end
    code        it ends with a documented exit code, without a traceback and without an unexpected error
    lost        every block that was seen in the store while it ran is there in the end, unchanged
    damaged     the database passes SQLite's own check; each report is whole
    orphans     no process is left that descends from the trial

Disks are file systems in memory, so this takes root. One line for each trial is added to `--results`; trials that stand
there already are not made again. The exit code is 1 where anything was found.
"""

import argparse
import json
import os
import random
import re
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

from kills import (
    NUMPY,
    PATIENCE_S,
    TESTS,
    Room,
    check_end,
    cut_pages,
    has_run,
    is_finished,
    lose,
    none_left,
    tail,
    undisturbed,
)

from rosettabench.places import cache_dir

HERE = Path(__file__).resolve().parent
CODES = HERE.parents[1] / "docs" / "reference" / "exit-codes.md"

ROUNDS = 2
RUN = ("run", "fashion-mlp", "--suite", "quick", "--round-seconds", "0.05", "--rounds", str(ROUNDS), "--no-control")
RUN = (*RUN, "--offline", "-f", NUMPY)
"""What meets a fault: all stages of a run, none of them longer than it must be."""

KILOBYTE, MEGABYTE, DAY_S = 2**10, 2**20, 86_400
ROOM = 512 * MEGABYTE
"""Size of a disk once there is room again."""

FAULTS = {"full": 32, "read-only": 12, "files": 10, "size": 10, "memory": 8, "clock": 10, "network": 8, "together": 10}
"""The faults, and how often each is drawn in a hundred trials."""

PLACES = ("store", "cache", "page", "tmp")

MOST_OF = {"store": 600 * KILOBYTE, "cache": 16 * MEGABYTE, "page": 3 * MEGABYTE, "tmp": 32 * MEGABYTE}
"""Up to how much fits on a disk that fills up: about what a run writes there."""

LIMITS = {
    "files": (resource.RLIMIT_NOFILE, 8, 48),
    "size": (resource.RLIMIT_FSIZE, 4 * KILOBYTE, 8 * MEGABYTE),
    "memory": (resource.RLIMIT_AS, 100 * MEGABYTE, 3_000 * MEGABYTE),
}
"""What is limited, and between which values, evenly by their logarithms."""

REFUSING = "http://127.0.0.1:9"
"""Nobody listens there."""


@dataclass
class Trial:
    """What was done in a trial, and what was found."""

    number: int
    fault: str
    details: str = ""
    codes: list[int] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    blocks: int = 0
    lost: int = 0
    code: str = ""
    orphans: list[str] = field(default_factory=list)
    damaged: str = ""
    stuck: str = ""
    took_s: float = 0.0

    @property
    def good(self):
        """Whether nothing was found."""
        return not (self.lost or self.code or self.orphans or self.damaged or self.stuck)


class Disk:
    """A file system in memory at `folder`, of a size that can be changed."""

    def __init__(self, folder, size):
        self.folder = folder
        folder.mkdir(exist_ok=True)
        mount("-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder))

    def remount(self, options):
        """Change the options of the mounted file system."""
        mount("-o", f"remount,{options}", str(self.folder))

    def unmount(self):
        """Take it away, with what is on it."""
        subprocess.run(["umount", "--lazy", str(self.folder)], check=True)  # noqa: S607


def mount(*words):
    """Run the program mount."""
    subprocess.run(["mount", *words], check=True, capture_output=True)  # noqa: S607


def documented_codes():
    """Return the exit codes that the document has, and those of the three signals left out: nobody sends them."""
    rows = re.findall(r"^\| (\d+) \|", CODES.read_text(encoding="utf-8"), re.MULTILINE)
    return {int(code) for code in rows} - {129, 130, 143}


def link_cache(folder, without):
    """Fill `folder` with links to what is in the user's own cache, except for some folders of it."""
    folder.mkdir(exist_ok=True)
    for place in cache_dir().iterdir():
        if place.name not in (*without, "runs"):
            (folder / place.name).symlink_to(place)


class Fault:
    """A fault of the machine in a room: what commands are started with while it lasts."""

    def __init__(self, room, kind, dice, trial):
        self.room, self.kind, self.disk = room, kind, None
        self.variables, self.limit, self.words = {}, lambda: None, RUN
        if kind in ("full", "read-only"):
            self._take_disk(dice, trial)
        elif kind in LIMITS:
            number, least, most = LIMITS[kind]
            value = int(least * (most / least) ** dice.random())
            trial.details = f"{value:,}"
            self.limit = lambda: resource.setrlimit(number, (value, value))
        elif kind == "clock":
            after, jump = dice.uniform(0, 25), dice.choice((-1, 1)) * 10 ** dice.uniform(0, 8.5)
            trial.details = f"by {jump:,.0f} s after {after:.0f} s"
            path = os.pathsep.join((str(HERE / "shifted"), str(TESTS / "third_party")))
            self.variables = {"PYTHONPATH": path, "ROSETTA_JUMP": str(jump), "ROSETTA_JUMP_AFTER": str(after)}
        elif kind == "network":
            self._cut_network(dice, trial)

    def _take_disk(self, dice, trial):
        """Put one of the four places on a disk, with a random room or none."""
        room, place = self.room, dice.choice(PLACES)
        folder = room.folder / "disk"
        self.disk = Disk(folder, ROOM)
        if place == "store":
            room.store = Path(shutil.move(room.store, folder / room.store.name))
        elif place == "cache":
            room.cache = folder
            link_cache(folder, ("prepared", "downloads"))
        else:
            setattr(room, place, folder)
        if self.kind == "read-only":
            trial.details = place
            self.disk.remount("ro")
            return
        used = shutil.disk_usage(folder).used
        free = int(dice.uniform(0, MOST_OF[place]))
        trial.details = f"{place}, {free // KILOBYTE:,} KB free"
        self.disk.remount(f"size={max(used + free, 4 * KILOBYTE)}")

    def _cut_network(self, dice, trial):
        """Want what the cache has not, and let everybody refuse it."""
        wanted = ["prepared", "downloads", *dice.choice(([], ["environments"]))]
        trial.details = "without " + ", ".join(wanted)
        self.room.cache = self.room.folder / "cache"
        link_cache(self.room.cache, wanted)
        self.words = tuple(word for word in RUN if word != "--offline")
        names = ("PIP_INDEX_URL", "UV_INDEX_URL", "UV_DEFAULT_INDEX", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
        self.variables = dict.fromkeys((*names, *map(str.lower, names[3:])), REFUSING)
        self.variables |= {"UV_CACHE_DIR": str(self.room.folder / "uv"), "UV_HTTP_RETRIES": "0", "PIP_RETRIES": "0"}

    def start(self):
        """Start the run under the fault."""
        return self.room.start(*self.words, more=self.variables, limit=self.limit)

    def remove(self):
        """Give everything back that was taken."""
        self.limit, self.variables = lambda: None, {}
        if self.disk:
            self.disk.remount(f"rw,size={ROOM}")
        if self.kind == "network":
            self.room.cache = cache_dir()

    def end(self):
        """Take the disk away."""
        if self.disk:
            self.disk.unmount()


def watch(trial, room, processes, seen):
    """Wait for commands and note in `seen` which blocks are in the store meanwhile."""
    patience = PATIENCE_S * len(processes)
    end = time.monotonic() + patience
    while any(process.poll() is None for process in processes) and time.monotonic() < end:
        with suppress(sqlite3.Error):  # a store that cannot be read under its fault
            seen |= room.blocks()
        time.sleep(0.3)
    for process in processes:
        if process.poll() is None:
            trial.stuck = f"no end within {patience:.0f} s: {tail(room)}"
            process.kill()
        trial.codes.append(process.wait())


def check_words(trial, room, codes, begun):
    """Note what a command should not have said, in the part of the log from `begun` on, and how it should not end."""
    said = (room.folder / "log").read_text(errors="replace")[begun:]
    errors = re.findall(r"^error: (.*)$", said, re.MULTILINE)
    trial.said += errors
    unknown = [code for code in trial.codes[-codes:] if code not in documented_codes()]
    if unknown:
        trial.code = f"exit code {unknown[0]}: {said[-1500:]}"
    elif "Traceback (most recent call last)" in said:
        trial.code = f"a traceback: {said[-3000:]}"
    elif any("unexpected error" in error for error in errors):
        trial.code = f"an unexpected error: {errors}"
    elif sum(code != 0 for code in trial.codes[-codes:]) > len(errors):
        trial.code = f"no sentence with the codes {trial.codes[-codes:]}: {said[-1500:]}"


def attempt(trial, room, dice):
    """Make the run under its fault, remove the fault, and let the run come to its end."""
    fault, seen = Fault(room, trial.fault, dice, trial), {}
    try:
        processes = [fault.start()]
        if trial.fault == "together":
            for _ in range(dice.choice((1, 2))):
                time.sleep(dice.uniform(0, 3))
                processes.append(fault.start())
            trial.details = f"{len(processes)} runs"
        watch(trial, room, processes, seen)
        check_words(trial, room, len(processes), 0)
        trial.orphans += room.orphans()
        if trial.fault == "together" and any(trial.codes):
            trial.stuck = trial.stuck or f"they ended with {trial.codes}: {tail(room)}"
        fault.remove()
        recover(trial, room, seen)
    finally:
        for process in room.descendants():  # only where this campaign itself was interrupted
            process.kill()
        fault.end()


def recover(trial, room, seen):
    """Look at the store, and go on with the run, or make another, without the fault."""
    trial.damaged = room.complaints() or cut_pages(room)
    seen |= room.blocks()
    if not (has_run(room) and is_finished(room) and not trial.codes[0]) and not trial.stuck:
        begun = len((room.folder / "log").read_text(errors="replace"))
        words = ("resume",) if has_run(room) else RUN
        watch(trial, room, [room.start(*words)], seen)
        check_words(trial, room, 1, begun)
        if trial.codes[-1] != 0 and not (trial.codes[-1] == 2 and "is finished" in tail(room)):
            trial.stuck = trial.stuck or f"{words[0]} ended with {trial.codes[-1]}: {tail(room)}"
    after = room.blocks()
    lose(trial, seen, after)
    trial.blocks = len(after)
    if not trial.stuck:
        check_end(trial, room, ROUNDS)
    trial.orphans += room.orphans()
    trial.damaged = trial.damaged or room.complaints() or cut_pages(room)


def make_trial(number, seed, template):
    """Make one trial in a folder of its own; keep that where something was found."""
    dice = random.Random(f"{seed} {number}")
    trial = Trial(number, dice.choices(tuple(FAULTS), tuple(FAULTS.values()))[0])
    folder = Path(tempfile.mkdtemp(prefix="rosetta-fault-"))
    begun = time.monotonic()
    attempt(trial, Room(folder, "turns", template), dice)
    trial.took_s = round(time.monotonic() - begun, 1)
    if trial.good:
        shutil.rmtree(folder)
    else:
        print(f"trial {number}: {folder} is kept", flush=True)
    return trial


def main():
    """Make the trials that are not made yet, and sum up all of them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--results", type=Path, default=Path("faults.jsonl"))
    asked = parser.parse_args()
    done = [json.loads(line) for line in asked.results.read_text().splitlines()] if asked.results.exists() else []
    left = sorted(set(range(asked.trials)) - {one["number"] for one in done})
    with tempfile.TemporaryDirectory() as folder, asked.results.open("a") as results, none_left():
        if left:
            room = undisturbed(Path(folder), "proof", "prove", "fashion-mlp", "-f", NUMPY, "-j", "1", "--offline")
        for number in left:
            done.append(asdict(make_trial(number, asked.seed, room.store)))
            results.write(json.dumps(done[-1]) + "\n")
            results.flush()
    sys.exit(sum_up(done))


def sum_up(done):
    """Print what all trials found; return 1 where that is anything."""
    found = {what: sum(bool(one[what]) for one in done) for what in ("stuck", "code", "lost", "damaged", "orphans")}
    took = sum(one["took_s"] for one in done)
    print(f"{len(done)} trials, {sum(one['blocks'] for one in done)} blocks, {took:.0f} s")
    print(", ".join(f"{what}: {count}" for what, count in found.items()))
    for fault in FAULTS:
        codes = Counter(one["codes"][0] for one in done if one["fault"] == fault)
        print(f"{fault}: {sum(codes.values())} trials, ended with {dict(sorted(codes.items()))}")
    return int(any(found.values()))


if __name__ == "__main__":
    main()
