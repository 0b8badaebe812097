"""The C library's allocator, for frameworks without an allocator of their own."""

import ctypes
import sys

TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3
"""Parameters in glibc's malloc.h, M_TRIM_THRESHOLD and M_MMAP_THRESHOLD: the amount of free memory at the end of the
heap, and the size of a freed piece, from which memory is returned to the system."""

NEVER = -1
"""The value that disables trimming: mallopt(3)."""

LARGEST = 2**30
"""Bytes. Larger pieces are mapped separately and returned when freed, as by default any piece of 128 KiB or more."""


def keep_freed_memory():
    """Make this process keep freed memory for later requests. Return whether the C library supports it.

    Memory that is returned to the system comes back page by page, filled with zeros, in every step of a training.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    return mallopt is not None and bool(mallopt(MMAP_THRESHOLD, LARGEST) and mallopt(TRIM_THRESHOLD, NEVER))
