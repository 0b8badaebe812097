"""What can go wrong, as sentences for the user, and the exit code that each kind has."""

from __future__ import annotations

import copyreg
from enum import StrEnum
from typing import Any


class RosettaError(Exception):
    """An error that the user can act on: what was wrong and where, and what to type next.

    Every kind has an exit code of its own, and its docstring says when a command ends with it: together they are the
    table of docs/reference/exit-codes.md.
    """

    exit_code = 1

    def __init__(self, what: str, hint: str = "") -> None:
        """`what` says what was wrong, `hint` what to do or type next."""
        super().__init__(what)
        self.what = what
        self.hint = hint

    def __reduce__(self) -> tuple[Any, ...]:
        """Let another process have it as it is: some kinds are not made of `what` and `hint` alone."""
        return copyreg.__newobj__, (type(self), *self.args), self.__dict__  # type: ignore[attr-defined]


class UsageError(RosettaError):
    """An unknown workload, framework, mode, axis, value, run or option (the nearest match is offered).

    Also options that contradict each other, and a plan with nothing in it.
    """

    exit_code = 2


class EnvironmentFault(RosettaError):
    """An interpreter that is missing, an installation that failed, a framework that cannot be imported.

    `rosetta doctor` and `rosetta env check` end with it when they found something missing.
    Under `--on`, a Ray cluster that does not answer, or a node that does not fit (docs/guide/ray.md).
    """

    exit_code = 3


class DataError(RosettaError):
    """Data that is missing where it should be, cut off, or not what its checksum says.

    Also data that cannot be prepared, for lack of room, say; and a file of weights that is damaged or does not fit.
    `rosetta repeat` ends with it for a bundle that is damaged or changed, or whose verdicts do not follow from its
    blocks.
    """

    exit_code = 4


class ProofError(RosettaError):
    """A proof that failed, or that could not be made."""

    exit_code = 5


class StoreError(RosettaError):
    """A results store, or a certificate in it, that cannot be read or written."""

    exit_code = 6


class FailureKind(StrEnum):
    """Why a contender failed, in one word. The first four are a worker's own answers to a request."""

    MISSING_PACKAGE = "missing_package"
    """The environment lacks a package."""
    UNSUPPORTED = "unsupported"
    """The framework cannot do what was asked for."""
    OUT_OF_MEMORY = "out_of_memory"
    """There was not enough memory. Also if the system killed the worker for that."""
    ERROR = "error"
    """Anything else that the framework raised."""
    CRASH = "crash"
    """The worker ended, with an exit code or a signal."""
    TIMEOUT = "timeout"
    """The worker did not answer in time."""
    PROTOCOL = "protocol"
    """The worker answered what is not a valid reply."""
    ENVIRONMENT = "environment"
    """The worker did not start, or its environment could not be made."""
    CLOCK = "clock"
    """The worker's times contradict the laboratory's clock."""
    OTHER_WORK = "other_work"
    """The worker did other work while it was timed."""
    UNEQUAL = "unequal"
    """Its settings are not those of the others, and `--strict` was given."""
    NOT_PROVEN = "not_proven"
    """Nothing could be compared: it has no certificate."""
    PROOF_FAILED = "proof_failed"
    """Its certificate is one of a failed proof."""
    INCOMPLETE = "incomplete"
    """Not everything could be measured."""
    INTERRUPTED = "interrupted"
    """The user stopped the measurement."""
    TOO_LONG = "too long"
    """A training was left out: its graph takes minutes to build, or is never finished."""
    OUT_OF_TIME = "budget"
    """A training was left out: no time was left for it."""


class WorkerError(RosettaError):
    """A contender failed or is missing, but the rest was measured and the report is whole: it says who, and why.

    Its worker crashed, hung, ran out of memory or answered nonsense. Under `rosetta run --strict` also a contest that
    was ended because its contenders do not work under the same settings.
    """

    exit_code = 7

    def __init__(self, kind: FailureKind, what: str, hint: str = "", details: str = "") -> None:
        """`kind` becomes the cause in the result row."""
        super().__init__(what, hint)
        self.kind = kind
        self.details = details


class OtherWork(WorkerError):
    """A contender did other work while it was timed than it was proven to do, or did not report it truly.

    It is named and not ranked, the others are measured and reported (docs/explanation/watch.md).
    """

    exit_code = 10

    def __init__(self, what: str, hint: str = "") -> None:
        """The cause in the result row is always `FailureKind.OTHER_WORK`."""
        super().__init__(FailureKind.OTHER_WORK, what, hint)


class Slower(RosettaError):
    """`rosetta verify` found an installation slower than it should be, `rosetta compare` a trial slower than it was."""

    exit_code = 8


class Undecided(RosettaError):
    """`rosetta verify` measured, and cannot say: too few rounds, too much noise, nothing to compare it with.

    Also `rosetta repeat`, if nothing contradicts the bundle, and some of its verdicts are undecided here.
    """

    exit_code = 9


class Contradicted(RosettaError):
    """`rosetta repeat` measured, and a verdict of the bundle does not hold here."""

    exit_code = 11
