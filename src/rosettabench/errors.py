"""What can go wrong, as sentences for the user, and the exit code that each kind has."""

from __future__ import annotations


class RosettaError(Exception):
    """An error that the user can act on: what was wrong and where, and what to type next.

    Every kind has an exit code of its own; docs/reference/exit-codes.md lists them.
    """

    exit_code = 1

    def __init__(self, what: str, hint: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.hint = hint


class UsageError(RosettaError):
    """A word on the command line that means nothing here, or options that contradict each other."""

    exit_code = 2


class EnvironmentFault(RosettaError):
    """An interpreter that is missing, an installation that failed, a framework that cannot be imported."""

    exit_code = 3


class DataError(RosettaError):
    """Data that is missing, cut off, or not what its checksum says."""

    exit_code = 4


class ProofError(RosettaError):
    """A proof that failed, or that could not be made."""

    exit_code = 5


class StoreError(RosettaError):
    """A results store that cannot be read or written."""

    exit_code = 6


class WorkerError(RosettaError):
    """A worker that crashed, hung, ran out of memory or answered nonsense.

    `kind` is one of the failure kinds of docs/reference/protocol.md; it becomes the cause in the result row.
    """

    exit_code = 7

    def __init__(self, kind: str, what: str, hint: str = "", details: str = "") -> None:
        super().__init__(what, hint)
        self.kind = kind
        self.details = details


class OtherWork(WorkerError):
    """A contender that did other work while it was timed than it was proven to do, or did not report it truly."""

    exit_code = 10
    KIND = "other_work"

    def __init__(self, what: str, hint: str = "") -> None:
        super().__init__(self.KIND, what, hint)


class Slower(RosettaError):
    """Something that was measured, and is surely slower than it should be, or than it was."""

    exit_code = 8


class Undecided(RosettaError):
    """A question that was measured, and that the measurements do not answer."""

    exit_code = 9
