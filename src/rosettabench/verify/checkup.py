"""The requirements of Rosettabench on a machine: one check each, with the command that fixes a problem."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from rosettabench.errors import RosettaError

GIGABYTE = 10**9

MEMORY = 4 * GIGABYTE
"""Bytes for the five workers of the suite ``quick``, which are alive at once. The imports alone take 1.3 GB (measured:
PyTorch 0.22, Keras on TensorFlow 0.51, JAX 0.18, MXNet 0.13). The rest is for models, compilers and prepared data."""

ENVIRONMENT = 1.4 * GIGABYTE
"""Bytes on disk of the largest environment in a suite, TensorFlow's."""

COMPILERS = {
    "apt-get": "sudo apt-get install g++",
    "dnf": "sudo dnf install gcc-c++",
    "zypper": "sudo zypper install gcc-c++",
    "pacman": "sudo pacman -S gcc",
    "apk": "sudo apk add g++",
    "brew": "xcode-select --install",
}
"""{package manager: command that installs g++}."""

PROGRAMS = {"g++": COMPILERS, "Rscript": {"apt-get": "sudo apt-get install r-base-core r-cran-reticulate"}}
"""{program: {package manager: command that installs it}}. Outside Debian and Ubuntu, R installs its package reticulate
itself."""


@dataclass(frozen=True)
class DoctorCheck:
    """The result of one check. `state` is ``optional`` for something missing that the suite ``quick`` does not need."""

    subject: str
    state: Literal["ok", "missing", "optional"]
    found: str
    remedy: str = ""


def all_checks(data_dir: Path | None) -> Iterator[DoctorCheck]:
    """Yield every check, in the order in which a user would fix problems."""
    yield check_uv()
    yield from check_interpreters()
    yield from check_programs()
    yield from check_environments()
    yield check_disk()
    yield check_memory()
    yield from check_data(data_dir)
    yield check_nvidia()
    yield check_chromium()


def suite_locks() -> set[str]:
    """Return the names of the locks that the main suite needs. Other suites use what is there, and report the rest."""
    from rosettabench.catalogue.contender import parse_contender
    from rosettabench.catalogue.suite import MAIN, find_suite

    contenders = [parse_contender(text) for text in find_suite(MAIN).contenders]
    return {contender.lock for contender in contenders if contender.lock}


def check_uv() -> DoctorCheck:
    """Check for uv, which makes the environments."""
    from rosettabench.environments.installer import uv_path

    try:
        return DoctorCheck("uv", "ok", str(uv_path()))
    except RosettaError as error:
        return DoctorCheck("uv", "missing", error.what, error.hint)


def check_interpreters() -> Iterator[DoctorCheck]:
    """Check for a Python of every version that a lock needs."""
    from rosettabench.environments.interpreter import find_interpreter
    from rosettabench.environments.lock import all_locks

    wanted: dict[str, list[str]] = {}
    for lock in all_locks():
        wanted.setdefault(lock.python, []).append(lock.name)
    for version, names in wanted.items():
        try:
            yield DoctorCheck(f"Python {version}", "ok", str(find_interpreter(version)))
        except RosettaError as error:
            state: Literal["missing", "optional"] = "missing" if suite_locks() & {*names} else "optional"
            yield DoctorCheck(f"Python {version}", state, f"{error.what}; for {', '.join(names)}", error.hint)


def check_programs() -> Iterator[DoctorCheck]:
    """Check for the programs that frameworks call: torch.compile needs a compiler."""
    from rosettabench.environments.lock import all_locks

    wanted: dict[str, list[str]] = {}
    for lock in all_locks():
        for program in lock.needs:
            wanted.setdefault(program, []).append(lock.name)
    for program, names in wanted.items():
        found = shutil.which(program)
        if found:
            yield DoctorCheck(program, "ok", found)
        else:
            state: Literal["missing", "optional"] = "missing" if suite_locks() & {*names} else "optional"
            yield DoctorCheck(
                program, state, f"not on PATH; {', '.join(names)} need it, if only to compile", bringing(program)
            )


def bringing(program: str) -> str:
    """Return the command that installs a program with this machine's package manager."""
    for manager, command in PROGRAMS.get(program, {}).items():
        if shutil.which(manager):
            return command
    return f"install {program} with your package manager"


def check_environments() -> Iterator[DoctorCheck]:
    """Check which environments are made. A missing one is not an error, since a run makes what it needs."""
    from rosettabench.environments.environment import Environments
    from rosettabench.environments.lock import all_locks
    from rosettabench.places import cache_dir

    here = Environments(cache_dir() / "environments")
    for lock in all_locks():
        made = here.find(lock)
        if made:
            yield DoctorCheck(lock.name, "ok", f"Python {made.version}, {len(made.packages)} packages")
        else:
            yield DoctorCheck(
                lock.name, "optional", "not made yet; a run that needs it makes it", f"rosetta env make {lock.name}"
            )


def check_disk() -> DoctorCheck:
    """Compare the free space of the cache folder with the needs of missing environments and data."""
    from rosettabench.places import cache_dir

    folder = cache_dir()
    place = next(parent for parent in [folder, *folder.parents] if parent.exists())
    unmade = suite_locks() & {check.subject for check in check_environments() if check.state != "ok"}
    needed = ENVIRONMENT * len(unmade) + GIGABYTE
    free = shutil.disk_usage(place).free
    found = f"{free / GIGABYTE:.1f} GB free for {folder}"
    if not os.access(place, os.W_OK):
        return DoctorCheck("cache", "missing", f"{place} cannot be written", "export ROSETTA_CACHE=/folder/of/yours")
    if free < needed:
        remedy = "free some, or: export ROSETTA_CACHE=/folder/on/another/disk"
        return DoctorCheck("disk", "missing", f"{found}; {needed / GIGABYTE:.0f} GB are needed", remedy)
    return DoctorCheck("disk", "ok", found)


def check_memory() -> DoctorCheck:
    """Compare the available memory with the needs of a contest's workers."""
    import psutil

    available = psutil.virtual_memory().available
    found = f"{available / GIGABYTE:.1f} GB available"
    if available < MEMORY:
        remedy = "close something, or enter fewer contenders at once: rosetta run -f pytorch,jax"
        return DoctorCheck("memory", "missing", f"{found}; a contest of five takes {MEMORY / GIGABYTE:.0f} GB", remedy)
    return DoctorCheck("memory", "ok", found)


def check_data(data_dir: Path | None) -> Iterator[DoctorCheck]:
    """Report where the original of each data set was found."""
    from rosettabench.data.find import find
    from rosettabench.data.progress import silent
    from rosettabench.data.registry import SETS
    from rosettabench.places import cache_dir

    for name, data_set in SETS.items():
        try:
            found = find(data_set, data_dir, cache_dir(), offline=True, progress=silent)
        except RosettaError as error:
            yield DoctorCheck(name, "missing", error.what, error.hint)
            continue
        except OSError as error:
            yield DoctorCheck(name, "missing", f"{error.filename}: {error.strerror}", "give yourself access there")
            continue
        if found.source is not None:
            yield DoctorCheck(name, "ok", found.note)
        else:
            remedy = f"rosetta data {name}, or: export ROSETTA_DATA=/folder/with/it"
            yield DoctorCheck(
                name, "optional", "not here yet; a run downloads it, or makes a stand-in and says so", remedy
            )


def check_nvidia() -> DoctorCheck:
    """Check for an NVIDIA GPU and its driver. Without a GPU, everything is measured on the CPU."""
    if shutil.which("nvidia-smi"):
        query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
        try:
            result = subprocess.run(query, capture_output=True, text=True, timeout=20)
        except subprocess.TimeoutExpired:
            return DoctorCheck("NVIDIA driver", "missing", "nvidia-smi hangs", "reboot, or reinstall the driver")
        said = "; ".join((result.stdout or result.stderr).strip().splitlines())
        if result.returncode == 0:
            return DoctorCheck("NVIDIA driver", "ok", said)
        return DoctorCheck("NVIDIA driver", "missing", f"nvidia-smi fails: {said}", "reboot, or reinstall the driver")
    vendors = Path("/sys/bus/pci/devices").glob("*/vendor")
    if any(vendor.read_text().strip() == "0x10de" for vendor in vendors):
        return DoctorCheck(
            "NVIDIA driver", "optional", "a card, but no nvidia-smi", "install your distribution's NVIDIA driver"
        )
    return DoctorCheck("NVIDIA driver", "ok", "no NVIDIA card: everything runs on the CPU")


def check_chromium() -> DoctorCheck:
    """Check for Chromium, in which developers' tests open the report; others do not need it."""
    browsers = Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or Path.home() / ".cache" / "ms-playwright")
    names = ("chromium", "chromium-browser", "google-chrome")
    found = next(filter(None, map(shutil.which, names)), None) or next(iter(sorted(browsers.glob("chromium*"))), None)
    if found:
        return DoctorCheck("Chromium", "ok", f"{found}, for developers' tests")
    remedy = f"{sys.executable} -m playwright install chromium"
    return DoctorCheck("Chromium", "optional", "none; only developers' tests need it", remedy)
