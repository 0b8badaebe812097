"""A PostgreSQL server of the tests' own, in a temporary folder: started, stopped in the middle, started again."""

import os
import pwd
import shutil
import socket
import subprocess
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp

PASSWORD = "s3cret/@?#% word"  # noqa: S105 (all that a URL must encode)
ENCODED = "s3cret%2F%40%3F%23%25%20word"
ADVICE = "apt install postgresql-15, or name the folder of its programs in PATH"


class Missing(Exception):
    """This machine cannot start a PostgreSQL server."""


def program(name):
    """The path of a program of PostgreSQL; raise Missing with the command that brings it."""
    places = [shutil.which(name), *sorted(map(str, Path("/usr/lib/postgresql").glob(f"*/bin/{name}")), reverse=True)]
    found = next(filter(None, places), None)
    if found is None:
        raise Missing(f"no {name} here: {ADVICE}")
    return found


def other_user():
    """The user that the server runs as: PostgreSQL refuses root; None for another user."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise Missing("PostgreSQL refuses root, and there is no user postgres or nobody: useradd --system postgres")


@dataclass
class Server:
    """A server that listens on this machine only, with password authentication for its user `rosetta`."""

    folder: Path
    port: int
    user: pwd.struct_passwd | None

    def run(self, *words):
        """Run a program of PostgreSQL as the server's user."""
        own = {} if self.user is None else {"user": self.user.pw_uid, "group": self.user.pw_gid, "extra_groups": []}
        done = subprocess.run(words, cwd=self.folder, capture_output=True, text=True, timeout=120, **own)
        assert done.returncode == 0, (words, done.stdout, done.stderr)

    def start(self):
        """Start it and wait until it answers."""
        options = f"-p {self.port} -k {self.folder} -c listen_addresses=127.0.0.1 -c shared_buffers=32MB"
        log = str(self.folder / "log")
        self.run(program("pg_ctl"), "-D", str(self.folder / "data"), "-l", log, "-w", "-o", options, "start")

    def stop(self, mode="immediate"):
        """Stop it: `immediate` is what a crash does."""
        self.run(program("pg_ctl"), "-D", str(self.folder / "data"), "-m", mode, "-w", "stop")

    def url(self, database="results", password=ENCODED):
        """The URL of a database."""
        return f"postgresql://rosetta:{password}@127.0.0.1:{self.port}/{database}"

    def sql(self, statement, database="postgres"):
        """Execute a statement as the owner of the server; return its rows."""
        import psycopg

        facts = {"host": "127.0.0.1", "port": self.port, "user": "rosetta", "password": PASSWORD}
        with psycopg.connect(dbname=database, autocommit=True, **facts) as connection:
            done = connection.execute(statement)
            return done.fetchall() if done.description else []

    def make(self, database, template="template0"):
        """Make a database and return its URL."""
        self.sql(f'CREATE DATABASE "{database}" TEMPLATE "{template}"')
        return self.url(database)


@contextmanager
def server():
    """Lend a running server; raise Missing, with the reason, if there can be none."""
    initdb, user = program("initdb"), other_user()
    folder = Path(mkdtemp(prefix="rosetta-postgresql-"))  # short: the path of a socket has 107 bytes at most
    try:
        (folder / "password").write_text(PASSWORD)
        if user is not None:
            for place in (folder, folder / "password"):
                os.chown(place, user.pw_uid, user.pw_gid)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            made = Server(folder, free.getsockname()[1], user)
        words = ("-A", "scram-sha-256", "--pwfile", str(folder / "password"), "-E", "UTF8", "--locale", "C")
        made.run(initdb, "-D", str(folder / "data"), "-U", "rosetta", *words)
        made.start()
        try:
            yield made
        finally:
            if (folder / "data" / "postmaster.pid").exists():
                made.stop()
    finally:
        shutil.rmtree(folder)
