"""The C library's allocator, below those frameworks that have none of their own."""

import ctypes
import sys

TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3
"""Parameters in glibc's malloc.h, M_TRIM_THRESHOLD and M_MMAP_THRESHOLD: how much free memory at the end of the heap,
and how large a piece of it, goes back to the system as soon as it is free."""

NEVER = -1
"""Switches trimming off: mallopt(3)."""

LARGEST = 2**30
"""Bytes: a larger piece is mapped by itself and given back, as any one of 128 KiB would be at first."""


def keep_freed_memory():
    """Have this process keep memory that is freed, for whoever asks next; return whether the C library can.

    What is given back to the system comes again page by page, filled with zeros, in every step of a training.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    return mallopt is not None and bool(mallopt(MMAP_THRESHOLD, LARGEST) and mallopt(TRIM_THRESHOLD, NEVER))
