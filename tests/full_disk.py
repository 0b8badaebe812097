"""A disk of four mebibytes that can be filled: a file system in memory, mounted for one test."""

import errno
import subprocess
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

PAGE = 4096
"""Bytes that the file system gives out at once."""


@dataclass
class Disk:
    """A mounted file system."""

    folder: Path

    def fill(self, room=0):
        """Fill it up, except for `room` bytes."""
        with (self.folder / "filler").open("wb", buffering=0) as filler:
            with suppress(OSError):
                while True:
                    filler.write(bytes(PAGE))
            filler.truncate(max(0, filler.tell() - room))
        assert room or self.is_full(), "nothing that is written now may fit"

    def is_full(self):
        """Whether the next byte does not fit."""
        probe = self.folder / "probe"
        try:
            probe.write_bytes(b"1")
        except OSError as error:
            return error.errno == errno.ENOSPC
        finally:
            probe.unlink(missing_ok=True)
        return False

    def free(self):
        """Remove what fills it."""
        (self.folder / "filler").unlink()

    def names(self):
        """Return the names of all its files, without the one that fills it."""
        found = (path for path in self.folder.rglob("*") if path.is_file() and path.name != "filler")
        return sorted(str(path.relative_to(self.folder)) for path in found)


@contextmanager
def mounted(folder, size="4m"):
    """Lend a disk of `size` in a new folder; raise PermissionError, with the reason, where none can be mounted."""
    folder.mkdir()
    try:
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)], check=True, capture_output=True
        )
    except FileNotFoundError:
        raise PermissionError("this system has no program mount") from None
    except subprocess.CalledProcessError as error:
        raise PermissionError(f"no file system can be mounted here: {error.stderr.decode().strip()}") from None
    try:
        yield Disk(folder)
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)
