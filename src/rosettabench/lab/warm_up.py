"""How long a block is, and when a contender is warm: both from its own times, never assumed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from statistics import median

from rosettabench.statistics.change_point import LEAST, Steadiness, steady_state
from rosettabench.statistics.rounds import TURNS

SHORTEST_BLOCK_S = 0.05
"""A block of the fastest contender lasts at least this long, several time slices of a usual scheduler."""

CLOCK_SHARE = 0.001
"""Reading the clock and synchronising may take at most this share of a block; what they take is measured (`tick`)."""

SETTLED = 0.1
"""The last blocks lie within 10% of the level that they are to belong to: a change point needs a few blocks to show,
and a steady fall has none."""

FEWEST_BLOCKS = LEAST + 1
"""Blocks of the final length: one that may still be slow, and enough to be a level of its own after it."""

PROBE = (1, 5)
"""Steps of the first two blocks: one, which still compiles and allocates, and a few, which show the speed.

The second has fewer where those of the first were so slow that no more of them are a turn."""

MOST_STEPS = 5000
"""Steps of a block at most, 50 ms of steps of 10 µs: all batches of a process are drawn before its turns."""

MOST_BLOCKS = 12
"""After so many blocks the warm-up ends in any case; the report shows them."""


class WarmUp:
    """Decides, block by block, how long the next block is, and whether the warm-up is over.

    It is over when the block times of everybody have come to rest, by their change points (statistics/change_point.py).
    A block has the same number of steps, `steps`, for every contender. When the first blocks have misled about the
    speed (they are short, and the machine is shared) the length is chosen anew, and warmth is judged from then on.
    """

    def __init__(self, round_seconds: float, tick: float, multiple: int = 1, turns: int = TURNS) -> None:
        """Begin. `round_seconds` is what all `turns` of a round may take, `tick` the seconds of an empty block.

        The final number of steps is a multiple of `multiple`: a share of planted work must come out whole.
        """
        self.steps = PROBE[0]
        self._multiple = multiple
        self._turn_seconds = round_seconds / turns
        self._shortest = max(SHORTEST_BLOCK_S, tick / CLOCK_SHARE)
        self.blocks = 0
        self._times: dict[str, list[float]] = {}

    def note(self, seconds_per_step: Mapping[str, float]) -> None:
        """Take in what one block of every contender took; those that are not among them have left."""
        self.blocks += 1
        wanted = self._block_steps(seconds_per_step) if seconds_per_step else self.steps
        if self.blocks < len(PROBE):
            self.steps = min(wanted, PROBE[self.blocks])
            return
        if self.blocks == len(PROBE) or not 0.5 <= wanted / self.steps <= 2:
            self.steps = wanted
            self._times = {}
            return
        self._times = {label: [*self._times.get(label, []), seconds] for label, seconds in seconds_per_step.items()}

    def _block_steps(self, seconds_per_step: Mapping[str, float]) -> int:
        """Return the steps of a block: a multiple that keeps planted work whole."""
        steps = block_steps(seconds_per_step, self._turn_seconds, self._shortest)
        return ceil(steps / self._multiple) * self._multiple

    @property
    def over(self) -> bool:
        """Whether everybody is warm, or the warm-up has lasted long enough."""
        if self.blocks >= MOST_BLOCKS:
            return True
        return bool(self._times) and all(is_warm(times) for times in self._times.values())


def block_steps(seconds_per_step: Mapping[str, float], turn_seconds: float, shortest: float) -> int:
    """Return how many steps a block has, the same for every contender, from what a step of each takes.

    As many as let one turn of everybody last `turn_seconds` in all, but enough for a block of the fastest to last
    `shortest` seconds.
    """
    fill = turn_seconds / sum(seconds_per_step.values())
    reach = shortest / min(seconds_per_step.values())
    return min(MOST_STEPS, max(1, round(fill), ceil(reach)))


def is_warm(seconds_per_step: Sequence[float]) -> bool:
    """Return whether the times of a contender's blocks of one length, in order, have come to rest at a level."""
    if len(seconds_per_step) < FEWEST_BLOCKS:
        return False
    state = steady_state(seconds_per_step)
    rest = seconds_per_step[state.start :]
    level = median(rest[-LEAST:]) / median(rest)
    return state.steadiness is not Steadiness.UNSETTLED and len(rest) >= LEAST and abs(level - 1) <= SETTLED
