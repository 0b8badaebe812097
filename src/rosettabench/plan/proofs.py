"""What ``rosetta prove`` proves, and how many proofs go on at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rosettabench.catalogue.contender import every_contender
from rosettabench.catalogue.suite import MAIN, find_suite
from rosettabench.catalogue.workload import all_workloads
from rosettabench.errors import UsageError
from rosettabench.plan.own import absolute_paths, own_contenders
from rosettabench.plan.setting import most_devices
from rosettabench.resources.processors import usable_cores


def share_cores(jobs: int | None, axes: Mapping[str, Sequence[int | str]]) -> tuple[int, int]:
    """Return how many proofs go on at a time, by default as many as fit, and the processors of each."""
    threads = max(int(value) for value in axes.get("threads", (1,)))
    together = jobs or max(1, usable_cores() // (most_devices(axes) * threads))
    return together, max(1, usable_cores() // together)


def choose_names(
    workloads: Sequence[str] | None, contenders: tuple[str, ...], whole: bool
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the workloads and contenders to prove; all of them for the `whole` catalogue.

    Raises UsageError if the options contradict each other, or select nothing.
    """
    if whole == bool(workloads):
        raise UsageError("name the workloads to prove, or give --all", "Example: rosetta prove imdb-gru -f pytorch,jax")
    asked = absolute_paths(workloads or all_workloads())
    usual = tuple(one.label for one in every_contender()) if whole else find_suite(MAIN).contenders
    return asked, contenders or own_contenders(asked) or usual
