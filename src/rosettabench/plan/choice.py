"""The subject of a run: a suite, or the workloads and contenders that the user names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rosettabench.catalogue.suite import MAIN, Stopping, Suite, find_suite
from rosettabench.errors import UsageError
from rosettabench.plan.limits import Limits
from rosettabench.plan.own import own_contenders
from rosettabench.plan.request import RunRequest
from rosettabench.plan.scope import Scope, scope


@dataclass(frozen=True)
class Choice:
    """A suite, the part of it that can run here, and the `usual` stopping rule of its contests.

    If the user names workloads or contenders but no suite, contests stop by the documented defaults, not by those of
    the suite `quick`.
    """

    suite: Suite
    scope: Scope
    usual: Stopping

    def complete(self, asked: RunRequest, contenders: tuple[str, ...], limits: Limits) -> RunRequest:
        """Return the request, with the suite's values for everything that the user does not state."""
        return asked.model_copy(
            update={
                "workloads": asked.workloads or self.scope.workloads,
                "contenders": contenders or own_contenders(asked.workloads) or self.scope.contenders,
                "study": self.suite.study,
                "lacking": self.scope.lacks,
                "own_axes": self.scope.axes,
                "control": asked.control and self.suite.control,
                "stopping": limits.stopping(self.usual),
            }
        )


def choose(name: str | None, own_question: bool, gpus: int, real: Callable[[str], bool]) -> Choice:
    """Return the suite `name`, or the main one, on a machine with `gpus` GPUs; `real` tells which data have originals.

    Raises UsageError for an unknown suite, and if nothing of it can run.
    """
    suite = find_suite(name or MAIN)
    usual = Stopping() if name is None and own_question else suite.stopping
    return Choice(suite, scope(suite, gpus, real), usual)


def refuse_empty(option: str, names: Sequence[str]) -> None:
    """Raise UsageError if an option is given without any name."""
    if any(not name.strip(" ,") for name in names):
        raise UsageError(f"{option} is empty", "Leave it out, or name something: rosetta run --help")
