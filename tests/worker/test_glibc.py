"""Freed memory is kept where it is asked for: the system has no page to bring again."""

import subprocess
import sys

import pytest

FAULTS = """
import ctypes, resource, sys
from rosetta_worker.runtimes.glibc import keep_freed_memory

if sys.argv[1] == "keep" and not keep_freed_memory():
    sys.exit("this C library cannot")
libc = ctypes.CDLL(None)
libc.malloc.restype, libc.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
libc.free.argtypes = [ctypes.c_void_p]
size = 64 * 2**20


def use():
    piece = libc.malloc(size)
    ctypes.memset(piece, 1, size)
    libc.free(piece)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt


first = use()
print(use() - first)
"""


def faults(way):
    """Page faults of taking and filling 64 MiB that were free a moment ago."""
    done = subprocess.run([sys.executable, "-c", FAULTS, way], capture_output=True, text=True, check=True)
    return int(done.stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="glibc is Linux' C library")
def test_freed_memory_is_kept():
    assert faults("keep") < 5
    assert faults("leave") > 5 * (faults("keep") + 1)
