"""The axes of a trial: what a contest holds equal for all its contenders."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from itertools import product
from typing import Any

from rosettabench.catalogue.names import nearest
from rosettabench.catalogue.workload import Workload
from rosettabench.errors import UsageError
from rosettabench.lab.machine import usable_cores

Value = int | str
"""A value on an axis."""


@dataclass(frozen=True)
class Setting:
    """One value on each axis. `threads` is what every numerical library is told to use."""

    batch_size: int
    device: str
    precision: str
    seed: int
    threads: int
    input: str = "memory"
    workers: int = 0

    def __post_init__(self) -> None:
        """Refuse workers that would have nothing to do."""
        if self.workers and self.input == "memory":
            raise UsageError(
                f"workers={self.workers} without a loader: out of memory, a model's own process cuts its batches",
                "Add --set input=loader.",
            )

    def as_json(self) -> dict[str, Any]:
        """Return the setting as the store and the protocol write it."""
        return asdict(self)


def canonical_setting(workload: Workload) -> Setting:
    """Return the setting that a workload states, on the CPU with all processors of this process."""
    return Setting(workload.training.batch_size, "cpu", "float32", 0, usable_cores())


def count(word: str) -> int:
    """Read a whole number of at least 1."""
    if not word.isascii() or not word.isdigit() or int(word) < 1:
        raise UsageError(f"{word!r} is not a whole number of at least 1")
    return int(word)


def seed(word: str) -> int:
    """Read a whole number from 0 on."""
    if not word.isascii() or not word.isdigit():
        raise UsageError(f"{word!r} is not a whole number from 0 on")
    return int(word)


def one_of(*values: str) -> Callable[[str], str]:
    """Return a reader that accepts the `values` only."""
    return lambda word: nearest("value", word, values)


AXES: Mapping[str, Callable[[str], int | str]] = {
    "batch_size": count,
    "device": one_of("cpu", "cuda"),
    "input": one_of("memory", "loader"),
    "precision": one_of("float32"),
    "seed": seed,
    "threads": count,
    "workers": seed,
}
"""Every axis that --set knows, and how its values are read."""


def read_axes(assignments: Iterable[str]) -> dict[str, list[int | str]]:
    """Return {axis: values} for words like ``batch_size=32,256``.

    Raises UsageError for an unknown axis or value, with the nearest match, and for an axis that is set twice.
    """
    axes: dict[str, list[int | str]] = {}
    for word in assignments:
        name, equals, values = word.partition("=")
        if not equals or not values:
            raise UsageError(f"--set {word!r} sets nothing", "Write --set axis=value or axis=value,value.")
        reader = AXES[nearest("axis", name.strip(), AXES)]
        if name.strip() in axes:
            raise UsageError(f"--set names the axis {name.strip()} twice", "Separate its values by commas.")
        try:
            axes[name.strip()] = [reader(value.strip()) for value in values.split(",")]
        except UsageError as error:
            raise UsageError(f"--set {word}: {error.what}", error.hint) from None
    return axes


def settings(workload: Workload, axes: Mapping[str, list[int | str]]) -> list[Setting]:
    """Return every combination of the values on the axes, starting from the workload's own setting."""
    base = canonical_setting(workload)
    combinations = product(*axes.values())
    return [replace(base, **dict(zip(axes, values, strict=True))) for values in combinations]  # type: ignore[arg-type]
