import subprocess
import sys

import pytest
from wheels import write_lock, write_wheel

from rosettabench.environments import torch_build
from rosettabench.environments.installer import Installer
from rosettabench.environments.lock import read_lock
from rosettabench.environments.torch_build import torch_arguments

HERE = "{}.{}".format(*sys.version_info)


@pytest.fixture
def choose(tmp_path, monkeypatch):
    """A function that says what would be added for a lock of PyTorch on a machine without a driver, and what is told.

    PyTorch's own index is out of reach: the fixture `offline` sees to that.
    """
    monkeypatch.setattr(torch_build, "nvidia_driver", lambda: False)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "venv")], check=True)
    install = ["pip", "install", "--python", str(tmp_path / "venv" / "bin" / "python")]
    said = []

    def chosen(*requirements):
        lock = read_lock(write_lock(tmp_path, "pytorch@9", *requirements, python=HERE))
        with (tmp_path / "lock").open("w") as descriptor:
            installer = Installer(tmp_path / "log", said.append, descriptor.fileno())
            return torch_arguments(installer, lock, [*install, "--requirement", str(lock.path)]), said

    return chosen


@pytest.fixture
def cuda_wheel(tmp_path):
    write_wheel(tmp_path / "wheels", "nvidia_cublas", "1.0")
    return write_wheel(tmp_path / "wheels", "torch", "9.0", requires=("nvidia-cublas",))


def test_a_lock_without_pytorch_adds_nothing(choose, tmp_path):
    assert choose("numpy==1.0") == ([], [])
    assert not (tmp_path / "log").exists()


def test_a_cpu_wheel_at_hand_is_taken_as_it_is(choose, cuda_wheel, tmp_path):
    write_wheel(tmp_path / "wheels", "torch", "9.0+cpu")
    assert choose("torch==9.0") == ([], [])
    assert "torch==9.0+cpu" in (tmp_path / "log").read_text()


def test_where_only_cudas_can_be_had_it_is_said_with_its_size(choose, cuda_wheel):
    arguments, said = choose("torch==9.0")
    assert arguments == []
    assert len(said) == 1
    assert "2.7 GB" in said[0]
    assert "find-links" in said[0]


def test_the_users_own_choice_stands(choose, cuda_wheel, tmp_path, monkeypatch):
    monkeypatch.setenv("UV_TORCH_BACKEND", "cpu")
    assert choose("torch==9.0") == ([], [])
    assert not (tmp_path / "log").exists()


def test_with_a_driver_uv_is_asked_first_for_the_build_that_fits_it(choose, cuda_wheel, tmp_path, monkeypatch):
    monkeypatch.setattr(torch_build, "nvidia_driver", lambda: True)
    seen = []
    monkeypatch.setattr(Installer, "plan", lambda self, arguments: seen.append(arguments) or ["Would install"])
    assert choose("torch==9.0") == (["--torch-backend", "auto"], [])
    assert seen[0][-3:] == ["--dry-run", "--torch-backend", "auto"]
    monkeypatch.setattr(Installer, "plan", lambda self, arguments: None)
    assert choose("torch==9.0")[0] == []


def test_pytorchs_own_index_is_used_where_it_answers(choose, cuda_wheel, monkeypatch):
    answers = {True: ["Would install", " + torch==9.0+cpu"], False: ["Would install", " + nvidia-cublas==1.0"]}
    monkeypatch.setattr(Installer, "plan", lambda self, arguments: answers["--torch-backend" in arguments])
    assert choose("torch==9.0") == (["--torch-backend", "cpu"], [])
