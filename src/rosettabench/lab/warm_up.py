"""Choose the length of a block, and decide when a contender is warm: both from measured times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from statistics import median

from rosettabench.statistics.change_point import LEAST, Steadiness, steady_state
from rosettabench.statistics.rounds import TURNS

SHORTEST_BLOCK_S = 0.05
"""A block of the fastest contender lasts at least this long: several time slices of a common scheduler."""

CLOCK_SHARE = 0.001
"""Reading the clock and synchronising may take at most this share of a block; their cost is measured (`tick`)."""

SETTLED = 0.1
"""A warm contender's last blocks are within 10% of its level. This catches what change points miss: a change in the
last few blocks, and a steady fall."""

FEWEST_BLOCKS = LEAST + 1
"""Blocks of the final length: one that may still be slow, and enough after it to form a level."""

PROBE = (1, 5)
"""Steps of the first two blocks: one, which still compiles and allocates, and a few, which show the speed.

The second block has fewer steps if the first was so slow that fewer fill a turn."""

MOST_STEPS = 5000
"""Most steps of a block (50 ms at 10 µs per step): all batches of a process are drawn before its turns."""

MOST_BLOCKS = 12
"""The warm-up ends after this many blocks in any case; the report shows them."""


class WarmUp:
    """Decides after each block how long the next one is, and whether the warm-up is over.

    It is over when the block times of all contenders are steady, by their change points (statistics/change_point.py).
    A block has `steps` steps for every contender. The first blocks may mislead about the speed, because they are short
    and the machine is shared. Then the length is chosen again, and only the blocks after that are judged.
    """

    def __init__(
        self, round_seconds: float, tick: float, multiple: int = 1, turns: int = TURNS, second: int | None = None
    ) -> None:
        """`round_seconds` is the time for all `turns` of a round, `tick` the seconds of an empty block.

        The final number of steps is a multiple of `multiple`, so that planted work is a whole number of steps. `second`
        are the steps of the second block, if an earlier process of the contest has decided on them.
        """
        self.steps = PROBE[0]
        self._multiple = multiple
        self._second = second
        self._turn_seconds = round_seconds / turns
        self._shortest = max(SHORTEST_BLOCK_S, tick / CLOCK_SHARE)
        self.blocks = 0
        self._times: dict[str, list[float]] = {}

    def note(self, seconds_per_step: Mapping[str, float]) -> None:
        """Take in the seconds per step of one block of every contender. A missing contender has left."""
        self.blocks += 1
        wanted = self._block_steps(seconds_per_step) if seconds_per_step else self.steps
        if self.blocks < len(PROBE):
            self.steps = self._second or min(wanted, PROBE[self.blocks])
            return
        if self.blocks == len(PROBE) or not 0.5 <= wanted / self.steps <= 2:
            self.steps = wanted
            self._times = {}
            return
        self._times = {label: [*self._times.get(label, []), seconds] for label, seconds in seconds_per_step.items()}

    def _block_steps(self, seconds_per_step: Mapping[str, float]) -> int:
        """Return the steps of a block, rounded up to a multiple of `multiple`."""
        steps = block_steps(seconds_per_step, self._turn_seconds, self._shortest)
        return ceil(steps / self._multiple) * self._multiple

    @property
    def over(self) -> bool:
        """Whether all contenders are warm, or the warm-up has lasted long enough."""
        if self.blocks >= MOST_BLOCKS:
            return True
        return bool(self._times) and all(is_warm(times) for times in self._times.values())


def block_steps(seconds_per_step: Mapping[str, float], turn_seconds: float, shortest: float) -> int:
    """Return how many steps a block has, for every contender, from the seconds per step of each.

    One block of each contender takes `turn_seconds` in all, but a block of the fastest takes at least `shortest`
    seconds.
    """
    fill = turn_seconds / sum(seconds_per_step.values())
    reach = shortest / min(seconds_per_step.values())
    return min(MOST_STEPS, max(1, round(fill), ceil(reach)))


def is_warm(seconds_per_step: Sequence[float]) -> bool:
    """Return whether a contender's block times, in order and of equal length, are steady at the end."""
    if len(seconds_per_step) < FEWEST_BLOCKS:
        return False
    state = steady_state(seconds_per_step)
    rest = seconds_per_step[state.start :]
    level = median(rest[-LEAST:]) / median(rest)
    return state.steadiness is not Steadiness.UNSETTLED and len(rest) >= LEAST and abs(level - 1) <= SETTLED
