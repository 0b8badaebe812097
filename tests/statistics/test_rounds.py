"""A contender's time in a round counts where it had all its turns."""

from dataclasses import dataclass

from rosettabench.statistics.rounds import most_turns, seconds_per_step


@dataclass
class Turn:
    """A block of ten steps."""

    round: int
    elapsed_s: float
    session: int = 1
    steps: int = 10


def test_a_round_of_which_turns_are_missing_does_not_count():
    taken = [Turn(1, 1.0), Turn(1, 3.0), Turn(2, 1.0), Turn(3, 2.0), Turn(3, 2.0)]
    assert seconds_per_step(taken) == {1: 0.2, 3: 0.2}
    assert seconds_per_step(taken, {3}) == {1: 0.2}


def test_half_a_round_is_none_even_if_there_is_no_other():
    """A contender that died in its first round has a whole round less to show than the others."""
    assert seconds_per_step([Turn(1, 1.0)], whole=2) == {}
    assert seconds_per_step([Turn(1, 1.0), Turn(2, 1.0), Turn(2, 1.0)], whole=2) == {2: 0.1}


def test_the_fullest_round_of_any_contender_is_whole():
    """Half a round of one that died is none, and the short rounds of a training are all that there are."""
    died, lived = [Turn(1, 1.0)], [Turn(1, 1.0), Turn(1, 1.0)]
    assert most_turns([died, lived]) == 2
    assert seconds_per_step(died, whole=most_turns([died, lived])) == {}
    assert seconds_per_step(died, whole=most_turns([died, died])) == {1: 0.1}
    assert most_turns([]) == most_turns([[]]) == 0
