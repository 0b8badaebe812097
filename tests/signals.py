"""How a test starts a command that it ends by Ctrl-C."""

import signal


def obey_ctrl_c():
    """Undo what a shell does to the jobs that it starts in the background: they ignore SIGINT."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
