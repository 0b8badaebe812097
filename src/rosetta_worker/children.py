"""Make sure that neither a worker nor the processes that it starts outlive their parent."""

import ctypes
import multiprocessing
import os
import signal
import sys


def die_with_parent(parent=None):
    """Ask Linux to kill this process when its parent dies, so that even kill -9 leaves no orphan.

    `parent` is the expected process id of the parent. If it is another one, this process is already an orphan. On other
    systems, a process ends when it next reads from its parent and finds the pipe closed.
    """
    if not sys.platform.startswith("linux"):
        return
    pr_set_pdeathsig = 1  # <linux/prctl.h>
    ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)
    if parent is not None and os.getppid() != parent:  # it died before the request
        os.kill(os.getpid(), signal.SIGKILL)


def tie_children():
    """Let all processes that are forked from now on die with this process.

    Raises NotImplementedError if the system cannot fork.
    """
    if "fork" not in multiprocessing.get_all_start_methods():
        raise NotImplementedError(
            "this platform cannot fork the processes that load (--set workers=0: the worker loads by itself)"
        )
    if hasattr(os, "register_at_fork"):  # since Python 3.7
        os.register_at_fork(after_in_child=die_with_parent)
