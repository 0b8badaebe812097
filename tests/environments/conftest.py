import sys

import pytest
from wheels import write_lock, write_wheel

from rosettabench.environments.environment import Environments
from rosettabench.environments.lock import read_lock

HERE = "{}.{}".format(*sys.version_info)
"""The Python that runs the tests: every machine has that one."""


@pytest.fixture(autouse=True)
def offline(request, tmp_path, monkeypatch):
    """uv sees the wheels of the test and nothing else, and keeps its cache in the test's own folder."""
    if request.node.get_closest_marker("environment"):
        return
    for name, value in {
        "UV_OFFLINE": "1",
        "UV_NO_INDEX": "1",
        "UV_FIND_LINKS": str(tmp_path / "wheels"),
        "UV_CACHE_DIR": str(tmp_path / "uv-cache"),
        "UV_PYTHON_INSTALL_DIR": str(tmp_path / "uv-pythons"),
    }.items():
        monkeypatch.setenv(name, value)
    for name in ("UV_TORCH_BACKEND", "UV_INDEX", "UV_DEFAULT_INDEX"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "wheels").mkdir()


@pytest.fixture
def environments(tmp_path):
    return Environments(tmp_path / "environments")


@pytest.fixture
def pebble(tmp_path):
    """A lock of two small packages, one of which needs the other."""
    write_wheel(tmp_path / "wheels", "pebble", "1.0", "weight = 7", requires=("sand",))
    write_wheel(tmp_path / "wheels", "sand", "2.5", "grains = 10**6")
    return read_lock(write_lock(tmp_path / "locks", "pebble@1.0", "pebble==1.0", "sand==2.5", python=HERE))
