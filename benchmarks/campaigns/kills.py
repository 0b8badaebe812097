"""Kills runs at random moments, and looks whether anything is lost, left behind, or cannot go on.

    .venv/bin/python benchmarks/campaigns/kills.py [--kills 1000] [--seed 0] [--jobs 2] [--results kills.jsonl]
                                                   [--store postgresql://me@host/postgres]

Each trial is a run, or a report of one, with a store of its own. At a random moment of a random stage a random victim
gets a random signal: the controller, a worker, or a child of a worker; SIGKILL, SIGTERM or SIGINT. A command that lives
on gets another, and what was killed goes on and is killed again, several times. When a command has ended, these hold:

    lost        every block that the store had at the moment of the signal is there, unchanged, after the resume, too
    orphans     no process is left that descends from the trial, known by a variable in its environment
    damaged     the database passes SQLite's own check, or every row can be read; a report is not there, or whole
    stuck       the controller ends; `rosetta resume` brings the run to its end, with all rounds that were asked for

With `--store`, each trial has a database of its own on that PostgreSQL server, whose user must be allowed to make some.
They are removed again, except those of trials that found something and of an interrupted campaign. The password belongs
into PGPASSWORD or ~/.pgpass.

One line for each trial is added to `--results`; trials that stand there already are not made again, so a campaign may
be interrupted, too. The exit code is 1 where anything of the four was found.
"""

import argparse
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import uuid
from collections import Counter
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass, field
from itertools import count
from pathlib import Path
from threading import Event

import psutil

from rosettabench.places import cache_dir
from rosettabench.store.address import address_of
from rosettabench.store.kind import kind_of

TESTS = Path(__file__).resolve().parents[2] / "tests"
NUMPY = f"numpy@{sys.executable}"
"""A contender of the tests that needs no framework: what is killed is the laboratory."""

MARK = "ROSETTA_CAMPAIGN"
"""The variable by which the descendants of a trial are known; workers inherit it."""

CAMPAIGN = uuid.uuid4().hex
"""What the marks of all trials of this campaign begin with."""

STOPPED = Event()
"""Set where the campaign is interrupted: its trials start nothing more."""

ROUNDS = 24
"""More than the eight that give an interval: a run is to last for many kills, since its start and end cost most."""

RUN = ("run", "fashion-mlp", "--suite", "quick", "--round-seconds", "0.1", "--rounds", str(ROUNDS), "--offline")
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)

PATIENCE_S = 240.0
"""Seconds after which a controller that has not ended is stuck."""

ORPHANED_S = 10.0
"""Seconds that a descendant has to end after its controller."""

STAGES = {"environment": 2, "data": 4, "proof": 12, "turns": 52, "children": 12, "report": 18}
"""What is killed, and how often in a hundred trials."""

MOST_KILLS = 25
"""Kills of a trial: 1 to so many. A trial may end with fewer, when the run was faster than the next one."""


SHARE = 3
"""Up to which part of the time of an undisturbed command a kill waits. A run is then killed many times before its end;
as it goes on where it stopped, its later stages are reached, too."""

EARLIER = "an earlier report"
"""What stands where a report is to be written."""


@dataclass
class Trial:
    """What was done in a trial, and what was found."""

    number: int
    stage: str
    victims: list[str] = field(default_factory=list)
    signals: list[str] = field(default_factory=list)
    after_s: list[float] = field(default_factory=list)
    kills: int = 0
    took_s: float = 0.0
    blocks: int = 0
    lost: int = 0
    orphans: list[str] = field(default_factory=list)
    damaged: str = ""
    stuck: str = ""

    @property
    def good(self):
        """Whether nothing was found."""
        return not (self.lost or self.orphans or self.damaged or self.stuck)


class SqliteResults:
    """The store of a trial as an SQLite file, read without Rosettabench."""

    def __init__(self, room):
        self.room = room

    def has_tables(self):
        """Whether there is a store with tables yet."""
        return self.room.store.exists() and bool(self.rows("SELECT 1 FROM sqlite_master WHERE name = 'blocks'"))

    def rows(self, query):
        """Return what a query finds."""
        with closing(sqlite3.connect(f"file:{self.room.store}?mode=ro", uri=True, timeout=30)) as store:
            return store.execute(query).fetchall()

    def complaints(self):
        """Return what SQLite's own check says of the store; nothing where it is whole."""
        with closing(sqlite3.connect(self.room.store, timeout=30)) as store:
            said = store.execute("PRAGMA integrity_check").fetchone()[0]
        return "" if said == "ok" else said

    def remove(self):
        """Nothing: the file goes with the folder of the trial."""


class DatabaseResults:
    """The store of a trial as a database on a PostgreSQL server, read without Rosettabench."""

    def __init__(self, url, template):
        self.server = address_of(url)
        self.name = f"rosetta_kill_{uuid.uuid4().hex}"
        self.template = address_of(template).database if template else "template0"
        self.execute(self.server.database, f'CREATE DATABASE "{self.name}" TEMPLATE "{self.template}"')

    @property
    def url(self):
        """The URL of the database."""
        return self.server.set(database=self.name).render_as_string(hide_password=False)

    def execute(self, database, query):
        """Execute a statement in a database of the server; return its rows."""
        import psycopg

        at = self.server
        where = {"host": at.host, "port": at.port, "user": at.username, "password": at.password, "dbname": database}
        with psycopg.connect(autocommit=True, **where) as connection:
            done = connection.execute(query)
            return done.fetchall() if done.description else []

    def has_tables(self):
        """Whether there are tables yet."""
        return bool(self.rows("SELECT 1 FROM pg_tables WHERE tablename = 'blocks'"))

    def rows(self, query):
        """Return what a query finds."""
        return self.execute(self.name, query)

    def complaints(self):
        """Return which tables cannot be read; nothing where all can. PostgreSQL has no check of its own for this."""
        for (table,) in self.rows("SELECT tablename FROM pg_tables WHERE schemaname = 'public'"):
            try:
                self.rows(f"SELECT * FROM {table}")  # noqa: S608 (a name from the database itself)
            except Exception as error:  # noqa: BLE001 (whatever it is, it is what was looked for)
                return f"{table}: {error}"
        return ""

    def remove(self):
        """Remove the database. Connections of killed processes may still be there."""
        self.execute(self.server.database, f'DROP DATABASE "{self.name}" WITH (FORCE)')


class Room:
    """The folder of one trial, and how commands are started in it.

    The store is a file in the folder, or a database of its own on the server of the campaign.
    """

    def __init__(self, folder, stage, template, server=None):
        self.folder, self.stage = folder, stage
        used = template if stage not in ("proof", "environment", "data") else None
        self.results = DatabaseResults(server, used) if server else SqliteResults(self)
        self.store = self.results.url if server else folder / "results.sqlite"
        self.mark = f"{CAMPAIGN} {uuid.uuid4().hex}"
        self.cache = cache_of(folder, stage)
        self.page = folder
        self.tmp = folder / "tmp"
        self.tmp.mkdir()
        if used is not None and not server:
            shutil.copy(used, self.store)

    def start(self, *words, more=None, limit=lambda: None):
        """Start the command line in a process group of its own, which obeys Ctrl-C.

        `more` are further environment variables, `limit` is called in the new process before it begins.
        """
        if STOPPED.is_set():
            raise InterruptedError("the campaign was interrupted")

        def begin():
            signal.signal(signal.SIGINT, signal.default_int_handler)
            limit()

        variables = os.environ | {
            MARK: self.mark,
            "ROSETTA_CACHE": str(self.cache),
            "ROSETTA_STORE": str(self.store),
            "PYTHONPATH": str(TESTS / "third_party"),
            "TMPDIR": str(self.tmp),
            "COLUMNS": "100",
            **(more or {}),
        }
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "rosettabench.cli", *words],
                cwd=self.page,
                env=variables,
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=begin,
            )

    def blocks(self):
        """Return the blocks that are committed, {id: row}; none where there is no store, or no table, yet."""
        if not self.results.has_tables():
            return {}
        return {row[0]: row for row in self.results.rows("SELECT * FROM blocks ORDER BY id")}

    def complaints(self):
        """Return what is damaged in the store; nothing where it is whole, or not there yet."""
        return self.results.complaints() if self.results.has_tables() else ""

    def descendants(self):
        """Return the living processes of this trial."""
        return marked(self.mark)

    def orphans(self):
        """Return the processes that outlive their controller, as text, and end them."""
        end = time.monotonic() + ORPHANED_S
        while (left := self.descendants()) and time.monotonic() < end:
            time.sleep(0.2)
        told = [" ".join(process.cmdline())[:200] for process in left if process.is_running()]
        for process in left:
            process.kill()
        return told


def marked(mark):
    """Return the living processes whose mark begins so."""
    return [process for process in psutil.process_iter() if is_marked(process, mark)]


def is_marked(process, mark):
    """Whether a process is alive and has a mark in its environment that begins so."""
    try:
        alive = process.status() != psutil.STATUS_ZOMBIE
        return alive and process.environ().get(MARK, "").startswith(mark)
    except (psutil.NoSuchProcess, psutil.AccessDenied, ProcessLookupError):
        return False


def cache_of(folder, stage):
    """Return the cache of a trial: the user's own; without its data, or its environments, where these are to be made.

    What is there already stands in the new one by links.
    """
    if stage not in ("environment", "data"):
        return cache_dir()
    cache, without = folder / "cache", {"environment": "environments", "data": "prepared"}[stage]
    cache.mkdir()
    for place in cache_dir().iterdir():
        if place.name not in (without, "runs"):
            (cache / place.name).symlink_to(place)
    return cache


def words_of(stage):
    """Return the run that is killed in a stage."""
    if stage == "children":  # a loader has processes of its own
        return (*RUN, "-f", "pytorch", "--no-control", "--set", "input=loader", "--set", "workers=1")
    return (*RUN, "-f", NUMPY)


def victim_of(process, wanted):
    """Return the process that is wanted and its kind; the next above it where there is none."""
    try:
        workers = psutil.Process(process.pid).children()
        children = [child for worker in workers for child in worker.children(recursive=True)]
    except psutil.NoSuchProcess:
        workers, children = [], []
    if wanted == "child" and children:
        return random.choice(children), "child"
    if wanted != "controller" and workers:
        return random.choice(workers), "worker"
    return psutil.Process(process.pid), "controller"


def kill_some(trial, room, process, dice, longest, most):
    """Signal up to `most` processes of a command at random moments; wait for it, and note what is wrong by then.

    Return the blocks that were there at one of these moments, and how many signals were sent.
    """
    before, sent = {}, 0
    while sent < most:
        after_s = dice.uniform(0.05, longest / (1 if room.stage == "report" else SHARE))
        with suppress(subprocess.TimeoutExpired):
            process.wait(after_s)
        before |= room.blocks()
        wanted = dice.choices(("controller", "worker", "child"), (5, 3, 4 if room.stage == "children" else 0))[0]
        number = dice.choice(SIGNALS)
        if process.poll() is not None:
            break
        try:
            victim, kind = victim_of(process, wanted)
            victim.send_signal(number)
        except psutil.NoSuchProcess:
            continue  # it was faster
        trial.victims.append(kind)
        trial.signals.append(number.name)
        trial.after_s.append(round(after_s, 3))
        sent += 1
    trial.kills += sent
    wait(trial, room, process)
    trial.orphans += room.orphans()
    trial.damaged = trial.damaged or room.complaints() or cut_pages(room)
    lose(trial, before, room.blocks())
    return before, sent


def wait(trial, room, process):
    """Wait for a command; one that does not end is stuck, and is ended. Return its exit code."""
    try:
        return process.wait(PATIENCE_S)
    except subprocess.TimeoutExpired:
        trial.stuck = f"no end within {PATIENCE_S:.0f} s: {tail(room)}"
        process.kill()
        return process.wait()


def lose(trial, before, after):
    """Count the blocks that were there and are not, or are others."""
    trial.lost += sum(after.get(number) != row for number, row in before.items())


def cut_pages(room):
    """Return which reports lack their end; nothing where each is whole."""
    pages = {page.name: page.read_text(encoding="utf-8") for page in room.folder.glob("*.html")}
    cut = [name for name, text in pages.items() if text != EARLIER and not text.rstrip().endswith("</html>")]
    return f"without their end: {', '.join(cut)}" if cut else ""


def tail(room):
    """Return the end of what the commands have said."""
    return (room.folder / "log").read_text(errors="replace")[-600:]


def has_run(room):
    """Whether the store has a run that measures; what was proven beforehand is one, too."""
    requests = room.results.rows("SELECT CAST(request AS TEXT) FROM runs") if room.results.has_tables() else []
    return any(kind_of(json.loads(request)).is_timed for (request,) in requests)


def attempt_run(trial, room, dice, durations):
    """Kill a run and its resumes, and let it come to its end."""
    before = {}
    planned = dice.randint(1, MOST_KILLS)
    while not trial.stuck:
        words = ("resume",) if has_run(room) else words_of(room.stage)
        process = room.start(*words)
        if planned:
            seen, sent = kill_some(trial, room, process, dice, durations[room.stage], dice.randint(1, planned))
            before |= seen
            planned = 0 if is_finished(room) else planned - max(1, sent)
            continue
        code = wait(trial, room, process)
        if code not in (0, 2) or (code == 2 and "is finished" not in tail(room)):
            trial.stuck = f"{words[0]} ended with {code}: {tail(room)}"
        break
    after = room.blocks()
    lose(trial, before, after)
    trial.blocks = len(after)
    check_end(trial, room)


def is_finished(room):
    """Whether the newest run that measures says that nothing of it is left."""
    if not has_run(room):
        return False
    newest = "(SELECT id FROM runs ORDER BY at DESC LIMIT 1)"
    return bool(room.results.rows(f"SELECT 1 FROM events WHERE kind = 'finished' AND run_id = {newest}"))  # noqa: S608


def check_end(trial, room, wanted=ROUNDS):
    """Note what the finished run lacks: rounds, or a whole report."""
    every = """
        SELECT entries.id, label, CAST(request AS TEXT) FROM entries, contests, runs
        WHERE contests.id = contest_id AND runs.id = run_id
    """
    found = room.results.rows(every)
    entries = {key: label for key, label, request in found if kind_of(json.loads(request)).is_timed}
    for key, label in entries.items():
        rounds = complete_rounds(room, key)
        if rounds < wanted:
            trial.stuck = trial.stuck or f"{label} has {rounds} of {wanted} rounds"
    if not entries:
        trial.stuck = trial.stuck or "the run has no contenders"
    trial.orphans += room.orphans()
    trial.damaged = trial.damaged or room.complaints() or cut_pages(room)


def complete_rounds(room, entry):
    """Return of how many rounds an entry has both turns."""
    turns = f"SELECT round FROM blocks WHERE entry_id = {int(entry)} AND phase = 'turn'"  # noqa: S608 (a number)
    return len(room.results.rows(f"{turns} GROUP BY round HAVING count(*) = 2"))


def attempt_report(trial, room, dice, durations):
    """Kill reports, over one that is there already: it must be that one, or the new one, whole."""
    page = room.folder / "page.html"
    for _ in range(dice.randint(1, MOST_KILLS)):
        page.write_text(EARLIER)
        kill_some(trial, room, room.start("report", "--output", str(page)), dice, durations["report"], 1)
    code = wait(trial, room, room.start("report", "--output", str(page)))
    if code != 0 or page.read_text(encoding="utf-8") == EARLIER or cut_pages(room):
        trial.stuck = f"report ended with {code}: {tail(room)}"


def make_trial(number, seed, templates, durations, server=None):
    """Make one trial in a folder of its own; keep that where something was found."""
    dice = random.Random(f"{seed} {number}")
    stage = dice.choices(tuple(STAGES), tuple(STAGES.values()))[0]
    folder = Path(tempfile.mkdtemp(prefix="rosetta-kill-"))
    trial = Trial(number, stage)
    room = Room(folder, stage, templates["finished" if stage == "report" else "proven"], server)
    begun = time.monotonic()
    (attempt_report if stage == "report" else attempt_run)(trial, room, dice, durations)
    trial.took_s = round(time.monotonic() - begun, 1)
    if trial.good:
        room.results.remove()
        shutil.rmtree(folder)
    else:
        print(f"trial {number}: {folder} is kept", flush=True)
    return trial


def prepare(folder, server=None):
    """Return rooms with two stores, with a certificate and with a finished run, and how long each stage takes."""
    made = [undisturbed(folder, "proof", "prove", "fashion-mlp", "-f", NUMPY, "-j", "1", "--offline", server=server)]
    proven, finished, durations = made[0].store, None, {}
    for stage in ("proof", "turns", "children", "report"):
        begun = time.monotonic()
        words = ("report", "--output", "page.html") if stage == "report" else words_of(stage)
        template = finished if stage == "report" else proven
        made.append(undisturbed(folder, stage, *words, template=template, server=server))
        durations[stage] = time.monotonic() - begun
        if stage == "turns":
            finished = made[-1].store
    durations |= {"environment": 3 * durations["proof"], "data": 2 * durations["proof"]}
    return made, {"proven": proven, "finished": finished}, durations


def undisturbed(folder, stage, *words, template=None, server=None):
    """Let a command come to its end in a room of its own; return the room."""
    place = Path(tempfile.mkdtemp(dir=folder))
    room = Room(place, stage, template, server)
    if room.start(*words).wait(600) != 0:
        sys.exit(f"{words} failed: {tail(room)}")
    return room


def main():
    """Make trials until there were so many kills, and sum up all of them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--results", type=Path, default=Path("kills.jsonl"))
    parser.add_argument("--store", help="a PostgreSQL server, by the URL of a database on it; else SQLite files")
    asked = parser.parse_args()
    done = [json.loads(line) for line in asked.results.read_text().splitlines()] if asked.results.exists() else []
    with tempfile.TemporaryDirectory() as folder:
        made, enough = {one["number"] for one in done}, asked.kills
        numbers = (number for number in count() if number not in made)
        is_left = sum(one["kills"] for one in done) < enough
        rooms, templates, durations = prepare(Path(folder), asked.store) if is_left else ([], {}, {})
        with ThreadPoolExecutor(asked.jobs) as pool, asked.results.open("a") as results, none_left():
            at_work = set()
            while at_work or sum(one["kills"] for one in done) < enough:
                while len(at_work) < asked.jobs and sum(one["kills"] for one in done) < enough:
                    at_work.add(pool.submit(make_trial, next(numbers), asked.seed, templates, durations, asked.store))
                ended, at_work = wait_for(at_work, return_when=FIRST_COMPLETED)
                for one in ended:
                    done.append(asdict(one.result()))
                    results.write(json.dumps(done[-1]) + "\n")
                    results.flush()
        for room in rooms:
            room.results.remove()
    sys.exit(sum_up(done))


@contextmanager
def none_left():
    """End what the trials have started where the campaign is interrupted, by SIGTERM as well as by Ctrl-C.

    Their results are not written.
    """
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        yield
    finally:
        STOPPED.set()
        for process in marked(CAMPAIGN):
            with suppress(psutil.NoSuchProcess):
                process.kill()


def sum_up(done):
    """Print what all trials found; return 1 where that is anything."""
    kills = sum(one["kills"] for one in done)
    found = {what: sum(bool(one[what]) for one in done) for what in ("lost", "orphans", "damaged", "stuck")}
    took = sum(one["took_s"] for one in done)
    print(
        f"{len(done)} trials, {kills} kills, {sum(one['blocks'] for one in done)} blocks, {took / kills:.1f} s a kill"
    )
    print(", ".join(f"{what}: {count}" for what, count in found.items()))
    print(f"by stage: {dict(Counter(one['stage'] for one in done))}")
    for what in ("victims", "signals"):
        print(f"by {what}: {dict(Counter(word for one in done for word in one[what]))}")
    return int(any(found.values()))


if __name__ == "__main__":
    main()
