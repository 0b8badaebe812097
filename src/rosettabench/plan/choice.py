"""What a run is about: a suite, or what the user names in its place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rosettabench.catalogue.suite import MAIN, Stopping, Suite, find_suite
from rosettabench.errors import UsageError
from rosettabench.plan.scope import Scope, scope


@dataclass(frozen=True)
class Choice:
    """A suite, the part of it that can be run here, and the `usual` end of its contests.

    Whoever names workloads or contenders, and no suite, asks a question of their own: its contests end as the
    documentation says, and not as those of the suite `quick`.
    """

    suite: Suite
    scope: Scope
    usual: Stopping


def choose(name: str | None, own_question: bool, gpus: int, real: Callable[[str], bool]) -> Choice:
    """Return the suite `name`, or the main one, on a machine with so many GPUs; `real` tells what has originals here.

    Raises UsageError for an unknown suite, and where nothing of it can be run.
    """
    suite = find_suite(name or MAIN)
    usual = Stopping() if name is None and own_question else suite.stopping
    return Choice(suite, scope(suite, gpus, real), usual)


def refuse_empty(option: str, names: Sequence[str]) -> None:
    """Raise UsageError where an option is given and names nothing."""
    if any(not name.strip(" ,") for name in names):
        raise UsageError(f"{option} is empty", "Leave it out, or name something: rosetta run --help")
