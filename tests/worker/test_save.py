"""Arrays on their way to the controller: a disk that is full is named, whatever NumPy says of it."""

import errno

import numpy as np
import pytest

from rosetta_worker.loop import save


def test_what_is_saved_is_read_again(tmp_path):
    arrays = {"kernel": np.arange(12.0, dtype=np.float32).reshape(3, 4), "step": np.int64(7)}
    files = save(str(tmp_path / "new"), arrays)
    assert {name: np.load(path).tolist() for name, path in files.items()} == {
        "kernel": arrays["kernel"].tolist(),
        "step": 7,
    }


def test_a_full_disk_is_called_full(disk):
    disk.fill(room=64 * 1024)
    with pytest.raises(OSError) as told:
        save(str(disk.folder / "new"), {"kernel": np.zeros(1 << 18, np.float32)})
    assert told.value.errno == errno.ENOSPC
