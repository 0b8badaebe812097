"""Where a report is written."""

from __future__ import annotations

import errno
import sys
from pathlib import Path

from rosettabench.errors import RosettaError, UsageError
from rosettabench.files import replace_file

STDOUT = Path("-")
"""As --output: write to standard output."""


NO_FAULT_OF_THE_NAME = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""What the system answers where a place is right, and writing fails nevertheless."""


def write(content: bytes, path: Path, option: str = "--output") -> None:
    """Write a report to `path`, which `option` names, or to standard output.

    Raises UsageError where the place is no good, and RosettaError where it has no room or fails. What was there stays
    until all of the new report is on disk.
    """
    if path == STDOUT:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and not path.is_file():  # a pipe, say
            path.write_bytes(content)
        else:
            replace_file(path, content)
    except OSError as error:
        what = f"the report cannot be written to {path}: {error.strerror}"
        if error.errno in NO_FAULT_OF_THE_NAME:
            raise RosettaError(what, f"Free some space there, or name another place with {option}.") from error
        raise UsageError(what, f"Name another place with {option}.") from error
