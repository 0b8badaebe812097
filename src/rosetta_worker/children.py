"""Processes that a worker starts, and the worker itself: none of them outlives the one that started it."""

import ctypes
import multiprocessing
import os
import signal
import sys


def die_with_parent(parent=None):
    """Ask Linux to kill this process when the one that started it dies, so that kill -9 leaves no orphan.

    `parent` is the process id that it must have: with another one, it is an orphan already. Elsewhere a process still
    ends by itself, when it next reads from its parent and finds the pipe closed.
    """
    if not sys.platform.startswith("linux"):
        return
    pr_set_pdeathsig = 1  # <linux/prctl.h>
    ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)
    if parent is not None and os.getppid() != parent:  # it died before we asked
        os.kill(os.getpid(), signal.SIGKILL)


def tie_children():
    """Let whatever is forked from here on die with this process.

    NotImplementedError where nothing can be forked.
    """
    if "fork" not in multiprocessing.get_all_start_methods():
        raise NotImplementedError(
            "this platform cannot fork the processes that load (--set workers=0: the worker loads by itself)"
        )
    if hasattr(os, "register_at_fork"):  # since Python 3.7
        os.register_at_fork(after_in_child=die_with_parent)
