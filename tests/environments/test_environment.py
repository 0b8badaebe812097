import json
import os
import shutil
import signal
import subprocess
import sys
import textwrap
from dataclasses import replace
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from tiers import slow
from wheels import write_lock, write_wheel

from rosettabench.environments.check import agrees, imports
from rosettabench.environments.environment import RECORD, external
from rosettabench.environments.lock import read_lock
from rosettabench.environments.probe import ask
from rosettabench.errors import EnvironmentFault

HERE = "{}.{}".format(*sys.version_info)


def ignore(line):
    pass


def run(python, source):
    result = subprocess.run([str(python), "-c", source], capture_output=True, text=True, check=True)
    return result.stdout.strip()


def make_elsewhere(environments, lock, progress):
    """Start another process that makes the environment and prints its interpreter; `progress` is its source."""
    source = f"""
        import os, signal, sys, time
        from pathlib import Path
        from rosettabench.environments.environment import Environments
        from rosettabench.environments.lock import read_lock
        def progress(line):
            {progress}
        print(Environments(Path(sys.argv[1])).make(read_lock(Path(sys.argv[2])), progress).python)
    """
    command = [sys.executable, "-c", textwrap.dedent(source), str(environments.folder), str(lock.path)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_what_is_made_holds_what_the_lock_says_and_is_used_again(environments, pebble):
    assert environments.find(pebble) is None
    made = environments.make(pebble, ignore)
    assert made.name == "pebble@1.0"
    assert made.kind == "managed"
    assert made.packages == {"pebble": "1.0", "sand": "2.5"}
    assert made.lock_digest == pebble.digest
    assert made.version.startswith(HERE)
    assert run(made.python, "import pebble, sand; print(pebble.weight * sand.grains)") == "7000000"
    assert environments.size(pebble) > 0
    written = environments.log(pebble).stat().st_mtime_ns
    assert environments.make(pebble, ignore) == environments.find(pebble) == made
    assert environments.log(pebble).stat().st_mtime_ns == written


@pytest.mark.parametrize(
    ("imports", "compiled"), [((), {"pebble", "sand"}), (("sand",), {"sand"}), (("sand", "dust"), {"pebble", "sand"})]
)
def test_what_a_lock_says_is_imported_is_compiled_and_all_where_that_fails(environments, pebble, imports, compiled):
    made = environments.make(replace(pebble, imports=imports), ignore)
    found = made.python.parent.parent.glob("lib/python*/site-packages/__pycache__/*.pyc")
    assert {file.name.partition(".")[0] for file in found} & {"pebble", "sand"} == compiled


def test_a_make_that_is_killed_leaves_nothing_usable_and_the_next_one_mends_it(environments, pebble):
    killed = make_elsewhere(
        environments, pebble, 'os.kill(os.getpid(), signal.SIGKILL) if "Resolved" in line else None'
    )
    assert killed.wait() == -signal.SIGKILL
    left = environments.folder / f".{environments.place(pebble).name}.building"
    assert left.is_dir()
    assert environments.find(pebble) is None
    assert environments.made_folders() == []
    made = environments.make(pebble, ignore)
    assert run(made.python, "import pebble; print(pebble.weight)") == "7"
    assert not left.exists()


def test_two_processes_that_want_the_same_get_the_same_and_one_makes_it(environments, pebble, tmp_path):
    begun, waiting = tmp_path / "begun", tmp_path / "waiting"
    hold = f"Path({str(begun)!r}).touch()\n            while not Path({str(waiting)!r}).exists(): time.sleep(0.01)"
    first = make_elsewhere(environments, pebble, hold)
    while not begun.exists():
        assert first.poll() is None
    second = make_elsewhere(environments, pebble, f'"Another process" in line and Path({str(waiting)!r}).touch()')
    answers = [process.communicate()[0].strip() for process in (first, second)]
    assert answers == [str(environments.place(pebble) / "bin" / "python")] * 2
    assert environments.log(pebble).read_text().count("Installed 2 packages") == 1


def test_ctrl_c_leaves_nothing_behind(environments, pebble):
    def interrupted(line):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        environments.make(pebble, interrupted)
    assert [path.name for path in environments.folder.iterdir() if path.is_dir()] == []


def test_a_package_that_does_not_exist_is_named_with_the_log(environments, tmp_path):
    lock = read_lock(write_lock(tmp_path, "ghost@1", "no-such-package==1.0", python=HERE))
    with pytest.raises(EnvironmentFault, match=r"installing ghost@1 failed: .*no-such-package") as fault:
        environments.make(lock, ignore)
    assert str(environments.log(lock)) in fault.value.hint
    assert "pip config list" in fault.value.hint
    assert "no-such-package" in environments.log(lock).read_text()
    assert environments.find(lock) is None
    assert not any(path.is_dir() for path in environments.folder.iterdir())


def test_credentials_reach_neither_error_nor_log_nor_screen(environments, pebble, monkeypatch):
    monkeypatch.setenv("UV_DEFAULT_INDEX", "http://user:hunter2@127.0.0.1:9/simple")
    monkeypatch.setenv("UV_HTTP_RETRIES", "0")
    for name in ("UV_OFFLINE", "UV_NO_INDEX"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("UV_FIND_LINKS", "")
    said = []
    with pytest.raises(EnvironmentFault, match=r"127\.0\.0\.1") as fault:
        environments.make(pebble, said.append)
    assert "network" in fault.value.hint
    told = [fault.value.what, fault.value.hint, environments.log(pebble).read_text(), *said]
    assert not [text for text in told if "hunter2" in text]


@pytest.mark.slow
def test_a_lock_that_changed_gets_another_environment(environments, pebble, tmp_path):
    old = environments.make(pebble, ignore)
    write_wheel(tmp_path / "wheels", "sand", "2.6")
    newer = read_lock(write_lock(tmp_path / "locks", "pebble@1.0", "pebble==1.0", "sand==2.6", python=HERE))
    new = environments.make(newer, ignore)
    assert new.packages["sand"] == "2.6"
    assert old.python.exists()
    assert len(environments.remove("pebble@1.0")) == 2
    assert environments.made_folders() == []
    assert environments.remove("pebble@1.0") == []


@pytest.mark.parametrize("damage", ["record", slow("interpreter")])
def test_a_damaged_one_is_not_used_and_is_made_anew(environments, pebble, damage):
    made = environments.make(pebble, ignore)
    if damage == "record":
        (environments.place(pebble) / RECORD).write_text('{"packages":')
    else:
        made.python.unlink()
        made.python.symlink_to("/no/such/python")
    assert environments.find(pebble) is None
    assert environments.make(pebble, ignore) == made


def test_a_folder_that_cannot_be_written_is_a_sentence(environments, pebble):
    environments.folder.write_text("a file where the folder should be")
    with pytest.raises(EnvironmentFault, match=str(environments.folder)) as fault:
        environments.make(pebble, ignore)
    assert "ROSETTA_CACHE" in fault.value.hint


def test_a_check_finds_what_differs_from_the_lock_and_what_does_not_import(environments, tmp_path):
    write_wheel(tmp_path / "wheels", "pebble", "1.0")
    write_wheel(tmp_path / "wheels", "sand", "2.5", "raise OSError('libsand.so is missing')")
    lock = read_lock(write_lock(tmp_path, "p@1", "pebble==1.0", "sand==2.5", python=HERE, needs="no-such-compiler"))
    made = environments.make(lock, ignore)
    assert [finding.subject for finding in environments.check(made, ["pebble"])] == ["no-such-compiler"]
    site = Path(run(made.python, "import pebble; print(pebble.__file__)")).parent
    metadata = site / "pebble-1.0.dist-info" / "METADATA"
    changed = metadata.read_text().replace("Version: 1.0", "Version: 1.1")
    metadata.unlink()  # not written over: uv's cache has the same file
    metadata.write_text(changed)
    shutil.rmtree(site / "sand-2.5.dist-info")
    told = {finding.subject: finding.what for finding in environments.check(made, ["pebble", "sand"])}
    assert "1.1" in told["pebble"]
    assert "libsand.so is missing" in told["sand"]
    subjects = [finding.subject for finding in environments.check(made, [])]
    assert subjects == ["pebble", "sand", "no-such-compiler"]


@pytest.mark.parametrize(
    ("pin", "version", "agree"),
    [
        ("pebble==2.7.post2", "2.7", True),
        ("pebble==2.7.post2", "2.7.post2", True),
        ("pebble==2.7.post2", "2.7.post1", False),
        ("pebble==2.7.post2", "2.6", False),
        ("pebble==2.7", "2.7.post2", False),
        ("pebble==2.13.0", "2.13.0+cpu", True),
    ],
)
def test_a_post_release_may_call_itself_by_its_release(pin, version, agree):
    assert agrees(Requirement(pin), version) == agree


def test_an_import_that_hangs_ends_at_its_limit(environments, tmp_path):
    write_wheel(tmp_path / "wheels", "tar", "1.0", "import time\ntime.sleep(1000)")
    made = environments.make(read_lock(write_lock(tmp_path, "tar@1", "tar==1.0", python=HERE)), ignore)
    (finding,) = imports(made.python, ["tar"], time_limit_s=2)
    assert "had not finished after 2 s" in finding.what


def test_a_check_of_one_that_does_not_start_says_so(environments, pebble):
    made = environments.make(pebble, ignore)
    made.python.unlink()
    assert [finding.subject for finding in environments.check(made, ["pebble"])] == ["python"]


def test_an_external_one_says_what_it_is():
    own = external(Path(sys.executable))
    assert own.kind == "external"
    assert own.lock_digest is None
    assert own.python == Path(sys.executable)
    assert own.packages["numpy"]
    assert own.version.startswith(HERE)


def test_an_external_one_without_numpy_says_what_to_type(environments, pebble):
    python = environments.make(pebble, ignore).python
    with pytest.raises(EnvironmentFault, match="NumPy") as fault:
        external(python)
    assert f"{python} -m pip install numpy" in fault.value.hint


def test_an_external_one_that_is_none_is_a_sentence(tmp_path):
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\necho 'pyenv: command not found' >&2\nexit 127\n")
    broken.chmod(0o755)
    with pytest.raises(EnvironmentFault, match=r"127: pyenv: command not found"):
        external(broken)
    broken.write_text("#!/bin/sh\necho hello\n")
    with pytest.raises(EnvironmentFault, match="did not answer as a Python does"):
        external(broken)
    with pytest.raises(EnvironmentFault, match="is a folder") as fault:
        external(tmp_path)
    assert "bin/python" in fault.value.hint
    with pytest.raises(EnvironmentFault, match="there is no"):
        external(tmp_path / "absent")


def test_probing_imports_nothing_from_the_current_folder(tmp_path, monkeypatch):
    (tmp_path / "json.py").write_text("raise SystemExit('the wrong json')")
    monkeypatch.chdir(tmp_path)
    assert ask(Path(sys.executable)).version.startswith(HERE)


def test_what_an_interpreter_prints_on_its_own_does_not_disturb(tmp_path, monkeypatch):
    (tmp_path / "sitecustomize.py").write_text("print('welcome', end='')")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]))
    assert ask(Path(sys.executable)).version.startswith(HERE)


def test_the_record_can_be_read_by_anybody(environments, pebble):
    environments.make(pebble, ignore)
    record = json.loads((environments.place(pebble) / RECORD).read_text())
    assert record["packages"] == {"pebble": "1.0", "sand": "2.5"}
