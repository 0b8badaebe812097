"""Whether a verdict holds here: the four answers, and that no ratio mixes two machines."""

import pytest
from drawn_run import SECONDS, write_drawn_run

from rosettabench.evidence.collection import collect
from rosettabench.evidence.content import StatedInterval, StatedVerdict
from rosettabench.evidence.outcome import Holding, compare_verdicts, holding
from rosettabench.statistics.verdict import Finding
from rosettabench.store.store import Store


def verdict(finding, low, high, faster="a", slower="b"):
    """Return a verdict with an interval from `low` to `high`."""
    ratio = (low * high) ** 0.5
    interval = StatedInterval(ratio=ratio, low=low, high=high, confidence=0.95, rounds=20, steady=True)
    told = {"margin": 0.02, "interval": interval, "mean": None, "doubts": ()}
    return StatedVerdict(finding=finding, faster=faster, slower=slower, **told)


FASTER = verdict(Finding.FASTER, 1.2, 1.4)
EQUAL = verdict(Finding.EQUIVALENT, 0.99, 1.01)


@pytest.mark.parametrize(
    ("stated", "here", "expected"),
    [
        (FASTER, verdict(Finding.FASTER, 1.3, 1.6), Holding.HOLDS),
        (FASTER, verdict(Finding.FASTER, 1.5, 1.6), Holding.OTHER_RATIO),
        (FASTER, verdict(Finding.FASTER, 1.01, 1.1), Holding.OTHER_RATIO),
        (FASTER, verdict(Finding.FASTER, 1.2, 1.4, "b", "a"), Holding.CONTRADICTED),
        (FASTER, verdict(Finding.FASTER, 1.001, 1.01, "b", "a"), Holding.CONTRADICTED),
        (FASTER, EQUAL, Holding.CONTRADICTED),
        (verdict(Finding.FASTER, 1.005, 1.3), EQUAL, Holding.UNDECIDED),
        (FASTER, verdict(Finding.OPEN, 0.9, 1.4), Holding.UNDECIDED),
        (FASTER, None, Holding.UNDECIDED),
        (EQUAL, EQUAL, Holding.HOLDS),
        (EQUAL, verdict(Finding.EQUIVALENT, 0.98, 1.005, "b", "a"), Holding.HOLDS),
        (EQUAL, FASTER, Holding.CONTRADICTED),
        (EQUAL, verdict(Finding.FASTER, 1.001, 1.03), Holding.UNDECIDED),
        (EQUAL, verdict(Finding.FASTER, 1.001, 1.03, "b", "a"), Holding.UNDECIDED),
        (verdict(Finding.OPEN, 0.9, 1.4), FASTER, Holding.NOTHING_STATED),
    ],
)
def test_the_answers(stated, here, expected):
    assert holding(stated, here) is expected


@pytest.mark.parametrize(
    ("here", "expected"),
    [
        ({}, {Holding.HOLDS}),
        ({"jax": 3.5e-3}, {Holding.OTHER_RATIO, Holding.HOLDS}),
        ({"jax": 1e-3}, {Holding.CONTRADICTED, Holding.HOLDS}),
        ({"mxnet-gluon": 2.5e-3}, {Holding.CONTRADICTED, Holding.HOLDS, Holding.OTHER_RATIO}),
    ],
)
def test_a_run_on_another_machine(drawn_store, tmp_path, here, expected):
    store = Store(f"sqlite:///{tmp_path}/here.sqlite")
    slower = {
        name: 7 * seconds for name, seconds in (SECONDS | here).items()
    }  # the machine is slower: no ratio shows it
    run = store.run(write_drawn_run(store, seconds=slower))
    found = compare_verdicts(collect(drawn_store.run()), run)
    assert {one.holding for one in found} == expected
    assert len(found) == 3
    assert len(drawn_store.runs()) == len(store.runs()) == 1, "a bundle enters no store"
