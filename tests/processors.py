"""The processors that all tests together may use; each process that takes part in them keeps to one."""

import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager

PROCESSORS = sorted(os.sched_getaffinity(0))
"""Read when the first test file is: before anybody is held to less."""


@contextmanager
def on_processors(processors: Collection[int]) -> Iterator[None]:
    """Let this thread, and the processes that it starts, use exactly these processors."""
    own = os.sched_getaffinity(0)
    os.sched_setaffinity(0, processors)
    try:
        yield
    finally:
        os.sched_setaffinity(0, own)
