"""Write a report to a file or to standard output."""

from __future__ import annotations

import errno
import sys
from pathlib import Path

from rosettabench.errors import RosettaError, UsageError
from rosettabench.files import replace_file

STDOUT = Path("-")
"""The value of --output that means standard output."""


NO_FAULT_OF_THE_NAME = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""Errors of the system that can occur although the file's name is valid."""


def write(content: bytes, path: Path, option: str = "--output") -> None:
    """Write a report to `path`, which `option` names, or to standard output.

    Raises UsageError if the file cannot be created, and RosettaError if writing fails, for example on a full disk. The
    old file stays until the new report is completely on disk.
    """
    if path == STDOUT:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and not path.is_file():  # for example a pipe
            path.write_bytes(content)
        else:
            replace_file(path, content)
    except OSError as error:
        what = f"the report cannot be written to {path}: {error.strerror}"
        if error.errno in NO_FAULT_OF_THE_NAME:
            raise RosettaError(what, f"Free some space there, or name another place with {option}.") from error
        raise UsageError(what, f"Name another place with {option}.") from error
