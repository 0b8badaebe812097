"""Where the seconds of a training go: each of them to exactly one part, while the library does what it always does.

Nothing of the library is changed: what it calls is called, with a reading of the clock before and after it.
"""

from contextlib import ExitStack, contextmanager
from functools import wraps
from time import perf_counter

PARTS = ("setup", "first", "input", "checkpoints", "steps")
"""The parts of a training: what comes once (the model, the loop around it, and the predictor at the end); the first
batch, for which a graph may be built; waiting for batches; writing and loading checkpoints; and all other batches."""


class Account(object):
    """Seconds by part, from its making, in the part ``setup``, to `close`.

    They add up to the time between: where one part begins, another ends.
    """

    def __init__(self):
        self.seconds = dict.fromkeys(PARTS, 0.0)
        self._part = "setup"
        self._since = self.begun = perf_counter()

    def turn_to(self, part):
        """From now on, time goes to `part`; return the one that it went to until now."""
        now = perf_counter()
        self.seconds[self._part] += now - self._since
        before, self._part, self._since = self._part, part, now
        return before

    @contextmanager
    def during(self, part):
        """Let time go to `part` for a while; what has a part of its own within it keeps that."""
        before = self.turn_to(part)
        try:
            yield
        finally:
            self.turn_to(before)

    def begin_batch(self):
        """A batch is there, and the training begins with it: the first one, or another one."""
        self.turn_to({"setup": "first"}.get(self._part, "steps"))

    def move(self, seconds, part, other):
        """Give some of the seconds of a part to another one."""
        self.seconds[part] -= seconds
        self.seconds[other] += seconds

    def close(self):
        """End the last part, and return {part: seconds}."""
        self.turn_to("setup")
        return dict(self.seconds)


class Watched(object):
    """Batches whose making is told to an account; as often as they are asked for, as those that it is made of are.

    It has no length, as those of GluonTS have none. `asked` is called before each batch, `arrived` after it.
    """

    def __init__(self, batches, account):
        self.batches, self.account = batches, account

    def asked(self):
        """Do nothing."""

    def arrived(self):
        """Do nothing."""

    def __iter__(self):
        batches = iter(self.batches)
        while True:
            self.asked()
            with self.account.during("input"):
                batch = next(batches, None)
            if batch is None:
                return
            self.arrived()
            yield batch


@contextmanager
def replaced(holder, name, function):
    """Let `function` take the place of what `holder` has under a name, and give it back after the ``with`` block."""
    inherited = name not in vars(holder)
    before = getattr(holder, name)
    setattr(holder, name, function)
    try:
        yield
    finally:
        if inherited:
            delattr(holder, name)
        else:
            setattr(holder, name, before)


@contextmanager
def told(account, part, *functions):
    """Tell an account of every call of some functions, each given by what holds it and its name there."""
    with ExitStack() as stack:
        for holder, name in functions:
            stack.enter_context(replaced(holder, name, timed(account, part, getattr(holder, name))))
        yield


def timed(account, part, function):
    """Return a function that does the same, and whose time goes to a part."""

    @wraps(function)
    def call(*args, **more):
        with account.during(part):
            return function(*args, **more)

    return call
