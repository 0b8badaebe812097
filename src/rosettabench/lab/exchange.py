"""The exchange between the devices of a group: how much longer a step takes because of it.

After the rounds of each process, one contender after the other::

    together    block        block  block     …     the group, whose devices average their gradients in each step
    apart              block               block    as many devices, each of which trains alone on its part of a batch

Frameworks send the gradients of the last layers while they compute those of the first. What is measured is the time
that this does not hide.
"""

from __future__ import annotations

from time import monotonic

from numpy.random import Generator

from rosettabench.client.session import Session
from rosettabench.lab.contest import LiveContest
from rosettabench.lab.load import machine_load, watch_load
from rosettabench.store.record import Exchanged, FailureStage

PAIRS = 8
"""The most blocks of each kind in one process: enough for an interval if there is only one process."""

LEAST_PAIRS = 2
"""The fewest, however long a step takes: the spread within a process needs two."""

MOST_S = 10.0
"""After this many seconds of blocks in one process, no further pair begins."""

WARM_UP = 2
"""Blocks of devices apart that do not count: in the first, they compile."""

Seconds = tuple[float, ...]
"""Seconds per step, one for each pair."""


def measure_exchange(contest: LiveContest, steps: int) -> None:
    """Measure the exchange of each contender that is present, in blocks of `steps` steps, and store it.

    The contenders' weights are other ones afterwards. The copy of a control is left out.
    """
    present = [one for one in contest.present if one.row.control_of is None]
    for number, one in enumerate(present):
        contest.display.doing(f"measuring the exchange of {one.label}", number, len(present))
        with (
            one.stage(FailureStage.EXCHANGE),
            one.apart(contest.folder / f"entry-{one.row.id}-apart-{one.number}") as apart,
        ):
            load = watch_load([*contest.sessions, apart], contest.work.setting.cores)
            together, alone = compare_blocks(one.live, apart, steps, contest.random)
            one.journal.event(Exchanged(process=one.number, together=together, apart=alone, load=machine_load(load)))


def compare_blocks(group: Session, apart: Session, steps: int, random: Generator) -> tuple[Seconds, Seconds]:
    """Let a group and devices apart do the same block, in pairs of random order; return seconds per step of both."""
    for _ in range(WARM_UP):
        apart.block(0, steps)
    pairs: list[dict[Session, float]] = []
    end = monotonic() + MOST_S
    while len(pairs) < PAIRS and (len(pairs) < LEAST_PAIRS or monotonic() < end):
        order = [(group, apart), (apart, group)][random.integers(2)]
        pairs.append({session: session.block(0, steps).elapsed_s / steps for session in order})
    return tuple(pair[group] for pair in pairs), tuple(pair[apart] for pair in pairs)
