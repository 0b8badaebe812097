"""Environments: an interpreter with its packages, managed (made from a lock) or external (the user's)."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from rosettabench.environments.bytecode import write_bytecode
from rosettabench.environments.check import EnvironmentFinding, compare, imports, missing_programs
from rosettabench.environments.installer import Installer, Progress
from rosettabench.environments.interpreter import find_interpreter
from rosettabench.environments.lock import Lock, read_lock
from rosettabench.environments.probe import ask
from rosettabench.environments.stubs import FOLDER as STUBS
from rosettabench.environments.stubs import make_stubs
from rosettabench.environments.torch_build import torch_arguments
from rosettabench.errors import EnvironmentFault

RECORD = "environment.json"
"""The file that describes a managed environment. It is written last, before the folder gets its final name."""


@dataclass(frozen=True)
class Environment:
    """An interpreter that a framework can run in.

    name: the lock's ("pytorch@2.13.0"), or the interpreter's path; python: the interpreter; packages: lower-case name →
    version; lock_digest: that of the lock it was made from, None if external; version: Python's ("3.11.7").
    """

    name: str
    python: Path
    kind: Literal["managed", "external"]
    packages: dict[str, str]
    lock_digest: str | None
    version: str = ""

    @property
    def release(self) -> str | None:
        """The release of its lock, such as ``1.0.0``; None if external."""
        return self.name.partition("@")[2] if self.kind == "managed" else None

    @property
    def variables(self) -> dict[str, str]:
        """The environment variables that its programs need: the folder of its stub libraries, if it has some."""
        stubs = self.python.parent.parent / STUBS
        if self.kind == "external" or not stubs.is_dir():
            return {}
        others = os.environ.get("LD_LIBRARY_PATH")
        return {"LD_LIBRARY_PATH": f"{stubs}{os.pathsep}{others}" if others else str(stubs)}


class Environments:
    """The folder of the managed environments: it has one folder and one log for each lock.

    An environment is built under another name and renamed at the end, so a folder with its name is complete. In a
    renamed virtual environment the interpreter works; the scripts of packages may not, but nothing here uses them.
    """

    def __init__(self, folder: Path) -> None:
        """`folder` need not exist: it is created for the first environment."""
        self.folder = folder

    def find(self, lock: Lock) -> Environment | None:
        """Return the environment of the lock; None if it is not made, or if the Python it was made with is gone."""
        place = self.place(lock)
        python = place / "bin" / "python"
        if not python.exists():
            return None
        try:
            record = json.loads((place / RECORD).read_text(encoding="utf-8"))
            return Environment(lock.name, python, "managed", record["packages"], lock.digest, record["version"])
        except (FileNotFoundError, ValueError, KeyError):
            return None  # `make` then makes it again

    def make(self, lock: Lock, progress: Progress) -> Environment:
        """Return the environment of the lock; make it if it does not exist. Raises EnvironmentFault if that fails.

        If two processes want one environment, the second waits for the first.
        """
        try:
            found = self.find(lock)
            if found is not None:
                return found
            python = find_interpreter(lock.python)
            with self._alone(self.place(lock), progress) as descriptor:
                return self.find(lock) or self._build(lock, python, Installer(self.log(lock), progress, descriptor))
        except OSError as error:
            raise EnvironmentFault(
                f"{error.filename or self.folder} cannot be written: {error.strerror}",
                "Make room or give yourself permission there, or set ROSETTA_CACHE to another folder.",
            ) from error

    def check(
        self, environment: Environment, modules: Sequence[str], variables: Mapping[str, str] | None = None
    ) -> list[EnvironmentFinding]:
        """Return what is wrong: packages that differ from the lock, missing programs, `modules` that do not import.

        `variables` are added to the environment variables for the imports. An external environment has no lock, so only
        its modules are checked.
        """
        try:
            answer = ask(environment.python)
        except EnvironmentFault as fault:
            return [EnvironmentFinding("python", fault.what)]
        findings: list[EnvironmentFinding] = []
        if environment.kind == "managed":
            place = environment.python.parent.parent
            lock = read_lock(place / (place.name.rpartition("-")[0] + ".txt"))
            findings = [*compare(lock, answer.packages), *missing_programs(lock)]
        return [
            *findings,
            *imports(environment.python, modules, variables=environment.variables | dict(variables or {})),
        ]

    def remove(self, name: str) -> list[Path]:
        """Delete every environment made from a lock `name`, whatever its digest, with its log; return the folders."""
        places = [place for place in self.made_folders() if place.name.rpartition("-py")[0] == name]
        for place in places:
            with self._alone(place, lambda line: None):
                discard(place)
                place.with_name(f"{place.name}.log").unlink(missing_ok=True)
        return places

    def made_folders(self) -> list[Path]:
        """Return the folders of all managed environments, including those whose locks no longer exist."""
        return sorted(record.parent for record in self.folder.glob(f"[!.]*/{RECORD}"))

    def place(self, lock: Lock) -> Path:
        """Return the folder of the lock's environment, which need not exist."""
        return self.folder / f"{lock.name}-py{lock.python}-{lock.digest[:8]}"

    def log(self, lock: Lock) -> Path:
        """Return the file with the output of uv when it made the lock's environment, or failed to."""
        return self.folder / f"{self.place(lock).name}.log"

    def size(self, lock: Lock) -> int:
        """Return the size on disk of the lock's environment when it was made; most of it is shared with uv's cache."""
        return int(json.loads((self.place(lock) / RECORD).read_text(encoding="utf-8"))["bytes"])

    @contextmanager
    def _alone(self, place: Path, progress: Progress) -> Iterator[int]:
        """Lock the folder `place` against other processes that make or remove it; yield the locked descriptor."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / f".{place.name}.lock").open("w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                progress(f"Another process is at work on {place.name}: waiting for it.")
                fcntl.flock(file, fcntl.LOCK_EX)
            yield file.fileno()

    def _build(self, lock: Lock, python: Path, installer: Installer) -> Environment:
        """Build the environment beside its place and move it there. The caller holds the lock."""
        place = self.place(lock)
        building = self.folder / f".{place.name}.building"
        for leftover in (building, place):  # left by a killed run, or damaged
            discard(leftover)
        installer.log.unlink(missing_ok=True)
        try:
            fill(building, lock, python, installer)
            building.rename(place)
        finally:
            discard(building)
        made = self.find(lock)
        if made is None:
            raise EnvironmentFault(f"{place} was made, and is not there", "Did something else remove it? Try again.")
        return made


def fill(folder: Path, lock: Lock, python: Path, installer: Installer) -> None:
    """Make the environment of the lock in `folder`: interpreter, packages, stubs, a copy of the lock, the record."""
    installer.run(
        f"making {lock.name}",
        ["venv", "--quiet", "--no-project", "--relocatable", "--python", str(python), str(folder)],
    )
    own = folder / "bin" / "python"
    install = ["pip", "install", "--python", str(own), "--requirement", str(lock.path)]
    installer.run(f"installing {lock.name}", [*install, *torch_arguments(installer, lock, install)])
    if lock.stubs:
        installer.progress(f"Making up {', '.join(lock.stubs)}")
        make_stubs(folder, lock.stubs)
    installer.progress("Compiling to bytecode")
    write_bytecode(own, folder / "lib", lock.imports)
    shutil.copyfile(lock.path, folder / lock.path.name)
    answer = ask(own)
    record = {"version": answer.version, "packages": answer.packages, "bytes": disk_size(folder)}
    (folder / RECORD).write_text(json.dumps(record, indent=1), encoding="utf-8")


def check_interpreter(python: Path) -> None:
    """Raise EnvironmentFault if there is no program `python`."""
    if python.is_dir():
        raise EnvironmentFault(
            f"{python} is a folder, not an interpreter", f"Did you mean {python / 'bin' / 'python'}?"
        )
    if not python.exists():
        raise EnvironmentFault(f"there is no {python}", "--python takes the path of an interpreter.")


def external(python: Path) -> Environment:
    """Return the user's interpreter as an environment; raise EnvironmentFault if it does not start or has no NumPy.

    The path is not resolved: the link of a virtual environment's interpreter leads out of it.
    """
    check_interpreter(python)
    answer = ask(python.absolute())
    if answer.numpy_fault is not None:
        raise EnvironmentFault(
            f"{python} cannot import NumPy, which a worker needs ({answer.numpy_fault})",
            f"Run: {python} -m pip install numpy",
        )
    return Environment(str(python.absolute()), python.absolute(), "external", answer.packages, None, answer.version)


def discard(folder: Path) -> None:
    """Delete a folder if it exists. It is renamed first, so that no partial folder is found."""
    doomed = folder.with_name(f".{folder.name.strip('.')}.doomed")
    if doomed.exists():
        shutil.rmtree(doomed)
    if folder.exists():
        folder.rename(doomed)
        shutil.rmtree(doomed)


def disk_size(folder: Path) -> int:
    """Return the size on disk of the files in `folder`, in bytes."""
    files = (Path(root) / name for root, _, names in os.walk(folder) for name in names)
    return sum(file.lstat().st_blocks * 512 for file in files)
