"""What is said of the time left is a maximum that holds: it never grows, and it is not said where it cannot hold."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from rosettabench.plan.time_left import TimeLeft

SECONDS = st.floats(0.001, 1e4)
PARTS = st.lists(st.tuples(SECONDS, st.floats(0, 1)), min_size=1, max_size=8)
"""Parts of a run: what each takes at most, and which share of that it really takes."""


class Clock:
    """A clock that goes on when it is told to."""

    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


@given(PARTS)
def test_it_holds_where_every_part_takes_at_most_what_was_expected(parts):
    clock, said = Clock(), []
    left = TimeLeft(clock)
    for number, (most, share) in enumerate(parts):
        left.expect(sum(other for other, _ in parts[number:]))
        assert left.seconds is not None, "nothing speaks against it"
        said.append(clock.now + left.seconds)
        clock.now += most * share
    assert all(clock.now <= end + 1e-3 for end in said), "the run is over before what was ever said"


@given(st.lists(st.tuples(st.none() | SECONDS, st.floats(0, 1e3)), max_size=12))
def test_it_never_grows_and_is_never_nothing(events):
    clock, ends = Clock(), []
    left = TimeLeft(clock)
    for expected, passing in events:
        left.expect(expected)
        for pause in (0.0, passing):
            clock.now += pause
            if left.seconds is not None:
                assert left.seconds > 0
                ends.append(clock.now + left.seconds)
    assert all(later <= earlier + 1e-6 for earlier, later in pairwise(ends))


def test_what_has_not_held_is_not_replaced_by_a_longer_time():
    clock = Clock()
    left = TimeLeft(clock)
    left.expect(10)
    clock.now += 4
    assert left.words == "at most 6 s left"
    left.expect(7)
    assert left.words == "longer than expected", "11 s would be more than was said"
    left.expect(2)
    assert left.words == "longer than expected", "who was wrong once says nothing more"


def test_it_falls_silent_when_the_time_is_over_and_work_is_left():
    clock = Clock()
    left = TimeLeft(clock)
    left.expect(10)
    clock.now += 10
    assert left.seconds is None
    assert left.words == "longer than expected"


def test_without_a_basis_nothing_is_said():
    left = TimeLeft(Clock())
    assert left.words == ""
    left.expect(5)
    left.expect(None)
    assert left.words == ""
    left.expect(4)
    assert left.words == "at most 4 s left"
    left.expect(None)
    left.expect(6)
    assert left.seconds is None, "more than was said before nobody knew"
