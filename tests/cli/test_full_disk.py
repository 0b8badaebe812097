"""A full disk leaves every old file as it was, and no half of a new one. The command says so, with its exit code."""

import os
import subprocess
import sys
import threading
from functools import partial
from hashlib import sha256
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from command_line import fresh
from tiers import slow

from rosettabench.data.data_set import Remote
from rosettabench.data.download import fetch, is_here
from rosettabench.data.series.prepare_series import prepare_series
from rosettabench.data.series.series import files
from rosettabench.data.shelf import MANIFEST
from rosettabench.environments.environment import Environments
from rosettabench.environments.lock import read_lock
from rosettabench.errors import DataError, EnvironmentFault, StoreError
from rosettabench.store.store import Store

sys.path.insert(0, str(Path(__file__).parents[1] / "report"))
sys.path.insert(0, str(Path(__file__).parents[1] / "environments"))
from sample_run import write_sample_run
from wheels import write_lock, write_wheel

HERE = "{}.{}".format(*sys.version_info)
"""The Python that runs the tests: every machine has that one."""

NO_ROOM = "No space left on device"


@pytest.fixture
def stored(variables):
    """The store of the command line, with the sample run in it."""
    store = Store(variables["ROSETTA_STORE"])
    write_sample_run(store)
    store.engine.dispose()
    return store


def check_refused(process, code, *words):
    """Check the exit code of a command and the sentence that it said: what, where, and what to do."""
    assert process.returncode == code, process.stderr
    said = process.stderr[process.stderr.index("error: ") :]
    for word in words:
        assert str(word) in said
    assert "pace" in said or "room" in said, "it says that there must be room"
    assert "Traceback" not in process.stderr


@pytest.mark.parametrize("form", ["csv", *map(slow, ["html", "markdown", "json", "png"])])
@pytest.mark.usefixtures("stored")
def test_a_report(rosetta, disk, form):
    path = disk.folder / f"report.{form}"
    path.write_text("an earlier report")
    disk.fill()
    check_refused(rosetta("report", "--format", form, "--output", path), 1, path, NO_ROOM, "--output")
    assert path.read_text() == "an earlier report"
    assert disk.names() == [path.name]
    disk.free()
    assert rosetta("report", "--format", form, "--output", path).returncode == 0
    assert path.read_bytes() != b"an earlier report"


@pytest.mark.slow
@pytest.mark.usefixtures("stored")
def test_a_report_that_fits_by_half(rosetta, disk):
    path = disk.folder / "report.json"
    disk.fill(room=16 * 1024)
    check_refused(rosetta("report", "--format", "json", "--output", path), 1, path, NO_ROOM)
    assert disk.names() == []


@pytest.mark.usefixtures("stored")
def test_what_is_redirected(variables, disk):
    disk.fill()
    with (disk.folder / "record").open("w") as record:
        command = fresh("report", "--format", "json", "--output", "-")
        process = subprocess.run(command, env=variables, stdout=record, stderr=subprocess.PIPE, text=True)
    check_refused(process, 1, NO_ROOM)


PUBLISH = """
import os, sys
from pathlib import Path
import rosettabench.cli.list
from rosettabench.cli import main
from rosettabench.cli.laboratory import printer, publish
from rosettabench.store.store import Store
store = Store(os.environ["ROSETTA_STORE"])
rosettabench.cli.list.workloads = lambda: publish(store, store.run(), Path(sys.argv[1]), printer(verbose=True))
sys.exit(main(["list", "workloads"]))
"""


@pytest.mark.slow
@pytest.mark.usefixtures("stored")
def test_the_page_of_a_run_and_its_tables_are_printed_all_the_same(variables, disk):
    path = disk.folder / "page.html"
    path.write_text("an earlier page")
    disk.fill()
    command = [sys.executable, "-c", PUBLISH, str(path)]
    process = subprocess.run(command, env=variables, capture_output=True, text=True)
    check_refused(process, 1, path, NO_ROOM, "rosetta report --output")
    assert "jax is fastest" in process.stdout
    assert path.read_text() == "an earlier page"
    assert disk.names() == [path.name]


REGISTER = """
import sys
from pathlib import Path
import rosettabench.cli.list
from rosettabench.cli import main
from rosettabench.proof.register import read_register, write_register
rosettabench.cli.list.workloads = lambda: write_register(read_register().values(), Path(sys.argv[1]))
sys.exit(main(["list", "workloads"]))
"""


def test_the_register(variables, disk):
    path = disk.folder / "register.csv"
    path.write_text("an earlier register")
    disk.fill()
    command = [sys.executable, "-c", REGISTER, str(path)]
    process = subprocess.run(command, env=variables, capture_output=True, text=True)
    check_refused(process, 1, path, NO_ROOM)
    assert path.read_text() == "an earlier register"
    assert disk.names() == [path.name]


@pytest.mark.slow
def test_prepared_data(rosetta, disk):
    """The series fit, their windows do not, nor do the pictures of another set: what is there whole counts on."""
    prepare = partial(rosetta, "data", "--offline", ROSETTA_CACHE=str(disk.folder))
    check_refused(prepare("monash-tourism_monthly"), DataError.exit_code, "train_inputs.npy", NO_ROOM)
    before = {name: (disk.folder / name).read_bytes() for name in disk.names() if not name.endswith(".lock")}
    assert {Path(name).name for name in before} == {MANIFEST, *(path.name for path in files(disk.folder))}
    check_refused(prepare("fashion-mnist"), DataError.exit_code, "train_inputs.npy", NO_ROOM)
    after = {name: (disk.folder / name).read_bytes() for name in disk.names() if not name.endswith(".lock")}
    assert after == before
    disk.fill()
    series = prepare_series("tourism_monthly", data_dir=None, cache=disk.folder, offline=True)
    assert str((series.folder / MANIFEST).relative_to(disk.folder)) in before


class Quiet(SimpleHTTPRequestHandler):
    """A server that says nothing."""

    def log_message(self, *_):
        pass


def test_a_download(tmp_path, disk):
    """What has arrived stays under another name, and the next download goes on from there."""
    content = os.urandom(300_000)
    (tmp_path / "served").mkdir()
    (tmp_path / "served" / "file.gz").write_bytes(content)
    disk.fill(room=100_000)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=tmp_path / "served")) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/file.gz"
        remotes = [Remote("file.gz", url, f"sha256:{sha256(content).hexdigest()}")]
        with pytest.raises(OSError, match=NO_ROOM):
            fetch(disk.folder, remotes, lambda *_: None)
        assert disk.names() == ["file.gz.part"]
        assert not is_here(disk.folder, remotes)
        disk.free()
        fetch(disk.folder, remotes, lambda *_: None)
        server.shutdown()
    assert is_here(disk.folder, remotes)


@pytest.mark.slow
def test_an_environment_without_room_for_anything(rosetta, disk):
    disk.fill()
    process = rosetta("env", "make", "pytorch", ROSETTA_CACHE=str(disk.folder))
    check_refused(process, EnvironmentFault.exit_code, NO_ROOM)
    assert not list(disk.folder.glob("environments/pytorch*/"))


def test_an_environment_without_room_for_its_packages(tmp_path, disk, monkeypatch):
    """uv finds the disk full in the middle; what is left has no name that is looked for."""
    write_wheel(tmp_path / "wheels", "boulder", "1.0", f"weight = {os.urandom(1_000_000).hex()!r}")
    lock = read_lock(write_lock(tmp_path / "locks", "boulder@1.0", "boulder==1.0", python=HERE))
    for name in ("UV_OFFLINE", "UV_NO_INDEX"):
        monkeypatch.setenv(name, "1")
    monkeypatch.setenv("UV_FIND_LINKS", str(tmp_path / "wheels"))
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "uv-cache"))
    environments = Environments(disk.folder / "environments")
    disk.fill(room=1_000_000)
    with pytest.raises(EnvironmentFault, match=NO_ROOM):
        environments.make(lock, lambda line: None)
    assert environments.find(lock) is None and environments.made_folders() == []
    assert not [name for name in disk.names() if not name.endswith((".lock", ".log"))]
    disk.free()
    assert "boulder" in environments.make(lock, lambda line: None).packages


@pytest.mark.parametrize(
    ("room", "words"), [(0, ["disk I/O error"]), (40 * 1024, ["full", "continue with: rosetta resume"])]
)
def test_the_store(rosetta, disk, room, words):
    """Without any room SQLite cannot even open it; with some it opens, and cannot add to it."""
    path = disk.folder / "results.sqlite"
    store = Store(str(path))
    write_sample_run(store)
    before = store.run()
    store.engine.dispose()
    disk.fill(room)
    process = rosetta("run", "fashion-mlp", "-f", "pytorch", "--offline", "--store", path)
    check_refused(process, StoreError.exit_code, path, *words)
    disk.free()
    after = Store(str(path))
    assert [run.id for run in after.runs()] == [before.id]
    assert len(after.run().contests) == len(before.contests)
    with after.engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"
