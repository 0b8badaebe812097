"""The rules by which a contest checks that contenders do, while timed, the work that was proven, and report it truly.

A proof covers a few steps before the timing. These rules cover losses, moves of the parameters, outputs and the clock
during a contest, always between timed blocks. They take numbers and return the odd contenders; lab/watch.py asks the
workers and acts on the result.
"""
