"""Account for the seconds of a training: each belongs to exactly one part, while the library runs unchanged.

The functions that the library calls are wrapped so that the clock is read before and after each call.
"""

from contextlib import ExitStack, contextmanager
from functools import wraps
from time import perf_counter

PARTS = ("setup", "first", "input", "checkpoints", "steps")
"""The parts of a training: the setup (model, training loop, and the predictor at the end); the first batch, for which a
graph may be built; waiting for batches; writing and loading checkpoints; and all other batches."""


class Account(object):
    """Seconds by part, from its creation, in the part ``setup``, to `close`.

    One part begins where another ends, so the seconds add up to the total time.
    """

    def __init__(self):
        self.seconds = dict.fromkeys(PARTS, 0.0)
        self._part = "setup"
        self._since = self.begun = perf_counter()

    def turn_to(self, part):
        """Count the time from now on for `part`. Return the part that was counted before."""
        now = perf_counter()
        self.seconds[self._part] += now - self._since
        before, self._part, self._since = self._part, part, now
        return before

    @contextmanager
    def during(self, part):
        """Count the time within the context for `part`, except the time of parts within it."""
        before = self.turn_to(part)
        try:
            yield
        finally:
            self.turn_to(before)

    def begin_batch(self):
        """Count the beginning of a batch: the first one, or another one."""
        self.turn_to({"setup": "first"}.get(self._part, "steps"))

    def move(self, seconds, part, other):
        """Move some seconds of a part to another one."""
        self.seconds[part] -= seconds
        self.seconds[other] += seconds

    def close(self):
        """End the last part. Return {part: seconds}."""
        self.turn_to("setup")
        return dict(self.seconds)


class Watched(object):
    """Batches whose creation is reported to an account. They can be iterated as often as the batches behind them.

    Like GluonTS's batches they have no length. `asked` is called before each batch, `arrived` after it.
    """

    def __init__(self, batches, account):
        self.batches, self.account = batches, account

    def asked(self):
        """Do nothing; subclasses may."""

    def arrived(self):
        """Do nothing; subclasses may."""

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
    """Within the ``with`` block, let `function` replace the attribute `name` of `holder`."""
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
    """Count every call of some functions for an account. Each function is given by its holder and its name there."""
    with ExitStack() as stack:
        for holder, name in functions:
            stack.enter_context(replaced(holder, name, timed(account, part, getattr(holder, name))))
        yield


def timed(account, part, function):
    """Return a function that does the same and whose time counts for `part`."""

    @wraps(function)
    def call(*args, **more):
        with account.during(part):
            return function(*args, **more)

    return call
