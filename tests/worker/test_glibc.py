"""Freed memory is kept where it is asked for: the system has no page to bring again."""

import subprocess
import sys

import pytest

FAULTS = """
import ctypes, resource, sys, threading
from rosetta_worker.runtimes.glibc import keep_freed_memory

if sys.argv[1] == "keep" and not keep_freed_memory():
    sys.exit("this C library cannot")
libc = ctypes.CDLL(None)
libc.malloc.restype, libc.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
libc.free.argtypes = [ctypes.c_void_p]
pieces, size = int(sys.argv[3]), int(sys.argv[4]) * 2**20


def use():
    taken = [libc.malloc(size) for _ in range(pieces)]
    for piece in taken:
        ctypes.memset(piece, 1, size)
    for piece in reversed(taken):
        libc.free(piece)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt


def main():
    first = use()
    print(use() - first)


if sys.argv[2] == "thread":
    thread = threading.Thread(target=main)
    thread.start()
    thread.join()
else:
    main()
"""


def faults(way, *taken):
    """Page faults of taking and filling pieces that were free a moment ago."""
    words = [sys.executable, "-c", FAULTS, way, *map(str, taken)]
    return int(subprocess.run(words, capture_output=True, text=True, check=True).stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="glibc is Linux' C library")
@pytest.mark.parametrize(
    "taken",
    [("main", 1, 64), ("thread", 1, 20), ("thread", 4, 30)],
    ids=["one large piece", "a piece of a thread", "several heaps of a thread"],
)
def test_freed_memory_is_kept(taken):
    assert faults("keep", *taken) < 5
    assert faults("leave", *taken) > 5 * (faults("keep", *taken) + 1)
