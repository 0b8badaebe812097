"""The C library's allocator, for frameworks without an allocator of their own."""

import ctypes
import sys

TRIM_THRESHOLD, TOP_PAD, MMAP_MAX = -1, -2, -4
"""Parameters in glibc's malloc.h, M_TRIM_THRESHOLD, M_TOP_PAD and M_MMAP_MAX: the amount of free memory at the end of a
heap from which it is returned to the system, how much of it stays, and how many pieces are mapped by themselves, which
are returned when they are freed."""

NEVER = -1
"""The value that disables trimming: mallopt(3)."""

HEAP = 2**26
"""Bytes of the heap of a thread, which is returned as a whole unless so much of it stays."""


def keep_freed_memory():
    """Make this process keep freed memory for later requests. Return whether the C library supports it.

    Memory that is returned to the system comes back page by page, filled with zeros, in every step of a training.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    settings = ((MMAP_MAX, 0), (TOP_PAD, HEAP), (TRIM_THRESHOLD, NEVER))
    return mallopt is not None and all(mallopt(*one) for one in settings)
