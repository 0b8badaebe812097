"""Libraries that packages are linked with, and never call, are made up with their environment."""

import shutil
import subprocess
import sys

import pytest
from wheels import write_lock, write_wheel

from rosettabench.environments.environment import Environment
from rosettabench.environments.lock import read_lock
from rosettabench.environments.stubs import make_stubs
from rosettabench.errors import EnvironmentFault

HERE = "{}.{}".format(*sys.version_info)
LIBRARY = """
extern char ompi_mpi_comm_world[];
int MPI_Init(int *count);
int MPI_Never(void);
char *world(void) { return ompi_mpi_comm_world; }
int answer(void) { return 6 * 7; }
int call(void) { return MPI_Init(0); }
"""
ASK = "import ctypes, sys; print(getattr(ctypes.CDLL(sys.argv[1]), sys.argv[2])())"

pytestmark = pytest.mark.skipif(
    not (shutil.which("cc") and shutil.which("nm")), reason="no C compiler on PATH: apt-get install gcc"
)


@pytest.fixture
def linked(tmp_path):
    """An environment's folder with a library that is linked with an MPI that nobody has."""
    home, away = tmp_path / "environment", tmp_path / "away"
    package = home / "lib" / "python" / "site-packages" / "package"
    package.mkdir(parents=True)
    away.mkdir()
    (home / "bin").mkdir()
    (home / "lib" / "notes.so.txt").write_text("libmpi.so.12, but no library")
    shared = ["cc", "-shared", "-fPIC", "-x", "c", "-", "-o"]
    theirs = "char ompi_mpi_comm_world[8]; int MPI_Init(int *count) { return 0; }"
    subprocess.run([*shared, away / "libmpi.so", "-Wl,-soname,libmpi.so.12"], input=theirs, text=True, check=True)
    library = package / "libpackage.so"
    subprocess.run([*shared, library, f"-L{away}", "-Wl,--no-as-needed", "-lmpi"], input=LIBRARY, text=True, check=True)
    shutil.rmtree(away)
    return home, library


def ask(environment, library, function):
    words = [sys.executable, "-c", ASK, str(library), function]
    return subprocess.run(words, capture_output=True, text=True, env=environment.variables)


def test_a_library_loads_with_a_stub_and_tells_when_that_is_called(linked):
    home, library = linked
    where = Environment("package@1", home / "bin" / "python", "managed", {}, None)
    assert "libmpi.so.12: cannot open" in ask(where, library, "answer").stderr
    make_stubs(home, ["libmpi.so.12"])
    assert ask(where, library, "answer").stdout == "42\n"
    called = ask(where, library, "call")
    assert called.returncode < 0
    assert "MPI_Init was called, and libmpi.so.12 is a stub" in called.stderr


def test_a_stub_has_what_is_asked_for_and_nothing_else(linked):
    home, _ = linked
    make_stubs(home, ["libmpi.so.12", "libmpi_cxx.so.1"])
    symbols = {}
    for stub in (home / "stubs").iterdir():
        words = ["nm", "--dynamic", "--defined-only", str(stub)]
        lines = subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()
        symbols[stub.name] = {line.split()[-1] for line in lines} - {"_init", "_fini"}
    assert symbols == {"libmpi.so.12": {"MPI_Init", "ompi_mpi_comm_world"}, "libmpi_cxx.so.1": set()}


def test_a_lock_asks_for_stubs_and_they_come_before_the_users_own(environments, tmp_path, monkeypatch):
    write_wheel(tmp_path / "wheels", "pebble", "1.0")
    path = write_lock(tmp_path / "locks", "pebble@1.0", "pebble==1.0", python=HERE)
    plain = read_lock(path)
    assert environments.make(plain, print).variables == {}
    path.write_text(path.read_text().replace("pebble==1.0", "# stubs: libmpi.so.12\npebble==1.0"))
    lock = read_lock(path)
    assert lock.stubs == ("libmpi.so.12",)
    assert lock.digest != plain.digest
    stubs = environments.place(lock) / "stubs"
    monkeypatch.setenv("LD_LIBRARY_PATH", "/their/own")
    assert environments.make(lock, print).variables == {"LD_LIBRARY_PATH": f"{stubs}:/their/own"}
    assert [stub.name for stub in stubs.iterdir()] == ["libmpi.so.12"]


def test_without_a_compiler_nothing_is_made_and_it_says_how_to_get_one(environments, tmp_path, monkeypatch):
    write_wheel(tmp_path / "wheels", "pebble", "1.0")
    path = write_lock(tmp_path / "locks", "pebble@1.0", "# stubs: libmpi.so.12", "pebble==1.0", python=HERE)
    lock = read_lock(path)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EnvironmentFault, match="the program cc is missing") as fault:
        environments.make(lock, print)
    assert "apt-get install gcc" in fault.value.hint
    assert environments.find(lock) is None
