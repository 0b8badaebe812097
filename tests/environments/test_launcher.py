"""The launcher ./rosetta at work on a project of one module, which is built without anything from a network."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from wheels import write_wheel

REPOSITORY = Path(__file__).resolve().parents[2]
READS_CONFIGURATION = ("__init__", "errors", "environments/__init__", "environments/pip_configuration")
"""What the launcher imports of Rosettabench itself, to hand pip's configuration on to uv."""
PROJECT = """
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]

[project]
name = "rosettabench"
version = "1.0"
[project.optional-dependencies]
test = []
docs = []
[project.scripts]
rosetta = "program:main"
"""
BACKEND = """
from pathlib import Path
from zipfile import ZipFile

INFO = "rosettabench-1.0.dist-info"

def build_editable(folder, config_settings=None, metadata_directory=None):
    here = Path(__file__).parent
    with (here / "builds").open("a") as log:
        log.write("built\\n")
    files = {
        "rosettabench.pth": f"{here}\\n{here / 'src'}\\n",
        "pytest.py": "import sys; print('tests', *sys.argv[1:])",
        "mkdocs.py": "import sys; print('site', *sys.argv[1:])",
        INFO + "/METADATA": "Metadata-Version: 2.1\\nName: rosettabench\\nVersion: 1.0\\n"
        "Provides-Extra: test\\nProvides-Extra: docs\\n",
        INFO + "/WHEEL": "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n",
        INFO + "/entry_points.txt": "[console_scripts]\\nrosetta = program:main\\n",
    }
    files[INFO + "/RECORD"] = "".join(name + ",,\\n" for name in [*files, INFO + "/RECORD"])
    name = "rosettabench-1.0-py3-none-any.whl"
    with ZipFile(Path(folder) / name, "w") as wheel:
        for path, text in files.items():
            wheel.writestr(path, text)
    return name
"""
BASE = getattr(sys, "_base_executable", sys.executable)
"""The interpreter behind the one that runs the tests: that in .venv has no pip."""


UV = f"""
import json, os, subprocess, sys
def main():
    with open("uv-calls", "a") as log:
        log.write(json.dumps([*sys.argv[1:], os.environ["UV_FIND_LINKS"]]) + chr(10))
    if os.path.exists("uv-is-broken"):
        sys.exit("error: broken")
    _, _, *how = sys.argv[1:]
    subprocess.run([{BASE!r}, "-m", "pip", "--python", how[1], "install", *how[2:]], check=True, stdout=subprocess.PIPE)
if __name__ == "__main__":
    main()
"""


@pytest.fixture
def clone(tmp_path):
    """A folder with blanks and quotes in its name, the launcher, and the little project. There is no uv to be had."""
    if subprocess.run([BASE, "-m", "pip", "--version"], capture_output=True).returncode != 0:
        pytest.skip(f"{BASE} has no pip")
    folder = tmp_path / "a 'clone' of \"it\""
    folder.mkdir()
    shutil.copy(REPOSITORY / "rosetta", folder / "rosetta")
    for name in READS_CONFIGURATION:
        path = folder / "src" / "rosettabench" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(REPOSITORY / path.relative_to(folder), path)
    (folder / "pyproject.toml").write_text(PROJECT)
    (folder / "backend.py").write_text(BACKEND)
    (folder / "program.py").write_text("import sys\ndef main():\n    print('program', *sys.argv[1:])\n    return 5\n")
    (folder / "src" / "rosettabench" / "cli.py").write_text("import program, sys\nsys.exit(program.main())\n")
    (folder / "requirements.lock").write_text("# nothing\n")
    return folder


def launch(clone, *arguments):
    others = ("PYTHONPATH", "VIRTUAL_ENV", "UV_FIND_LINKS")
    environment = {name: value for name, value in os.environ.items() if name not in others}
    environment |= {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(clone.parent / "packages")}
    command = [BASE, str(clone / "rosetta"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, cwd=clone.parent)


def builds(clone):
    return (clone / "builds").read_text().count("built")


def test_it_sets_up_once_and_hands_arguments_and_exit_code_on(clone):
    first = launch(clone, "run", "--set", "a b")
    assert (first.returncode, first.stdout) == (5, "program run --set a b\n"), first.stderr
    assert "Installing" in first.stderr
    again = launch(clone, "list")
    assert (again.stdout, again.stderr) == ("program list\n", "")
    assert builds(clone) == 1


@pytest.mark.slow
def test_it_sets_up_again_when_the_lock_has_changed_and_when_it_was_interrupted(clone):
    launch(clone)
    (clone / "requirements.lock").write_text("# something else\n")
    launch(clone)
    assert builds(clone) == 2
    (clone / ".venv" / "rosetta-stamp").unlink()  # it is written last
    (clone / ".venv" / "bin" / "rosetta").unlink()
    assert launch(clone, "list").stdout == "program list\n"
    assert builds(clone) == 3


@pytest.fixture
def uv(clone):
    """A program that is called uv, and that does what it is asked for, where pip is told to fetch packages from."""
    write_wheel(clone.parent / "packages", "uv", "9.9", UV, program=True)
    return clone / "uv-calls"


def test_uv_installs_and_is_told_what_pip_is_told(clone, uv):
    first = launch(clone, "list")
    assert first.stdout == "program list\n", first.stderr
    assert "pip tries" not in first.stderr
    (call,) = map(json.loads, uv.read_text().splitlines())
    assert call[:2] == ["pip", "install"]
    assert call[-3:] == ["--editable", ".", str(clone.parent / "packages")]


@pytest.mark.slow
def test_what_uv_cannot_install_pip_does(clone, uv):
    (clone / "uv-is-broken").touch()
    first = launch(clone, "list")
    assert first.stdout == "program list\n", first.stderr
    assert len(uv.read_text().splitlines()) == 1
    assert "uv could not do it; pip tries" in first.stderr


@pytest.mark.slow
def test_tests_are_added_to_what_is_there(clone):
    launch(clone)
    tests = launch(clone, "test", "-k", "proof")
    assert (tests.returncode, tests.stdout) == (0, "tests -k proof\n"), tests.stderr
    assert "Making" not in tests.stderr
    assert launch(clone, "list").stderr == ""
    assert builds(clone) == 2


@pytest.mark.slow
def test_what_the_site_needs_is_added_and_stays(clone):
    launch(clone, "test")
    site = launch(clone, "docs", "--clean")
    assert (site.returncode, site.stdout) == (0, "site build --strict --clean\n"), site.stderr
    assert "Making" not in site.stderr
    assert launch(clone, "test").stderr == launch(clone, "docs").stderr == launch(clone, "list").stderr == ""
    assert builds(clone) == 2


@pytest.mark.slow
def test_a_clone_that_was_moved_is_set_up_in_its_new_place(clone):
    launch(clone)
    moved = clone.rename(clone.with_name("moved"))
    assert launch(moved, "list").stdout == "program list\n"


@pytest.mark.slow
def test_an_installation_that_fails_says_so_and_is_not_taken_for_done(clone):
    (clone / "backend.py").write_text("raise RuntimeError('cannot build')")
    failed = launch(clone, "run")
    assert failed.returncode == 1
    assert "cannot build" in failed.stderr
    assert "that failed, as told above" in failed.stderr
    assert "Traceback" not in failed.stderr.splitlines()[-1]
    (clone / "backend.py").write_text(BACKEND)
    assert launch(clone, "run").stdout == "program run\n"


def test_a_python_without_pip_is_told_what_to_do(clone, tmp_path):
    subprocess.run([BASE, "-m", "venv", "--without-pip", str(tmp_path / "bare")], check=True)
    command = [str(tmp_path / "bare" / "bin" / "python"), str(clone / "rosetta"), "run"]
    refused = subprocess.run(command, capture_output=True, text=True)
    assert refused.returncode == 1
    assert "has no pip. Run:" in refused.stderr


@pytest.mark.parametrize("version", ["3.6", "3.8", "3.10"])
def test_a_python_that_is_too_old_is_told_which_is_needed(clone, version):
    from rosettabench.environments.interpreter import find_interpreter
    from rosettabench.errors import EnvironmentFault

    try:
        old = find_interpreter(version)
    except EnvironmentFault as fault:
        pytest.skip(f"{fault.what}. {fault.hint}")
    refused = subprocess.run([str(old), str(clone / "rosetta"), "run"], capture_output=True, text=True)
    assert refused.returncode == 1
    assert "Python 3.11 or newer is needed" in refused.stderr
    assert "python3.11 rosetta run" in refused.stderr
