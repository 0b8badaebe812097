"""From which load on there is no verdict."""

from dataclasses import dataclass

import pytest

from rosettabench.statistics.busy import MOST_LOAD, busy


@dataclass
class Round:
    """What others used in a round."""

    others: float
    stolen: float = 0.0
    seconds: float = 1.0


def test_a_quiet_machine_and_an_unknown_one_are_not_busy():
    assert busy([]) is None
    assert busy([Round(0.01), Round(0.02, 0.01)]) is None
    assert busy([Round(MOST_LOAD)]) is None


def test_others_and_the_hypervisor_count_together():
    found = busy([Round(0.03, 0.03)] * 5)
    assert (found.others, found.stolen) == (pytest.approx(0.03), pytest.approx(0.03))


def test_rounds_count_by_their_length():
    """A long round in which others computed is more than a short one."""
    assert busy([Round(0.4, seconds=0.1), *[Round(0.0)] * 10]) is None
    assert busy([Round(0.4, seconds=10.0), *[Round(0.0)] * 10]).others == pytest.approx(0.2)


def test_the_sentence_says_how_much():
    assert busy([Round(0.34, 0.12)]).sentence == (
        "Other programs used 34% of the processors' time during the rounds, and the hypervisor took 12% of it: "
        "above 5% in all there is no verdict."
    )
    assert "hypervisor" not in busy([Round(0.34)]).sentence
