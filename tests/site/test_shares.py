"""The shares of runs that processes write: all runs once, in order, and no more blocks in memory than fit."""

import pytest

from rosettabench.report.site.processes import FEWEST, MOST_BLOCKS, cut


@pytest.mark.parametrize(
    ("each", "runs", "most", "sizes"),
    [
        (300, 250, 100, [100, 100, 50]),
        (MOST_BLOCKS // 5, 12, 100, [5, 5, 2]),
        (MOST_BLOCKS, 5, 100, [FEWEST, FEWEST, 1]),
        (0, 7, 3, [3, 3, 1]),
        (300, 3, 0, [FEWEST, 1]),
    ],
)
def test_shares_hold_all_runs_in_order(each, runs, most, sizes):
    marked = [(f"run-{number}", "mark") for number in range(runs)]
    blocks = {name: each for name, _ in marked if each}
    shares = list(cut(marked, blocks, most))
    assert [len(share) for share in shares] == sizes
    assert [one for share in shares for one in share] == marked


def test_a_long_run_between_short_ones_ends_a_share():
    blocks = {"a": 10, "b": 10, "c": 10, "long": MOST_BLOCKS, "d": 10, "e": 10}
    shares = cut([(name, "mark") for name in blocks], blocks, most=100)
    assert [[name for name, _ in share] for share in shares] == [["a", "b", "c"], ["long", "d"], ["e"]]
