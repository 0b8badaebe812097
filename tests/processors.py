"""The processors that all tests together may use; each process that takes part in them keeps to one."""

import os

PROCESSORS = sorted(os.sched_getaffinity(0))
"""Read when the first test file is: before anybody is held to less."""
