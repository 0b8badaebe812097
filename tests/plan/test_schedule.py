"""Which process gives which rounds: the shares add up, and a contest asks only where it was said beforehand."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from rosettabench.catalogue.suite import Stopping, find_suite
from rosettabench.plan.schedule import Schedule
from rosettabench.statistics.ranking import LOOKS


@st.composite
def stoppings(draw):
    """Any sensible request: at least two rounds for every process."""
    processes = draw(st.integers(1, 8))
    fewest = draw(st.integers(8 if processes == 1 else 2 * processes, 60))
    most = draw(st.sampled_from([fewest, 2 * fewest, 3 * fewest]))
    return Stopping(processes=processes, rounds=(fewest, most), seconds=draw(st.floats(1, 1000)))


def test_the_default_is_five_processes_of_four_rounds_and_five_more():
    schedule = Schedule(Stopping())
    assert [schedule.upto(process) for process in range(1, 11)] == [4, 8, 12, 16, 20, 24, 28, 32, 36, 40]
    assert [process for process in range(1, 11) if schedule.looks_after(process)] == [5, 10]
    assert schedule.processes == 10


def test_quick_has_one_process_and_may_end_after_every_round():
    schedule = Schedule(find_suite("quick").stopping)
    assert schedule.processes == 1
    assert schedule.looks_after(1)
    assert (schedule.least(1, 0), schedule.upto(1)) == (12, 40)


@given(stoppings())
def test_the_shares_grow_to_all_that_there_is(stopping):
    schedule = Schedule(stopping)
    processes = range(1, schedule.processes + 1)
    shares = [schedule.upto(process) for process in processes]
    assert shares == sorted(shares)
    assert shares[-1] == stopping.rounds[1]
    assert abs(schedule.seconds(schedule.processes) - stopping.seconds) < 1e-9 * stopping.seconds
    if stopping.processes > 1:
        assert shares[stopping.processes - 1] == stopping.rounds[0], "the first look comes with the fewest rounds"
        looks = [process for process in processes if schedule.looks_after(process)]
        assert len(looks) == (LOOKS if stopping.rounds[1] > stopping.rounds[0] else 1), "no look that no share is for"


@given(stoppings())
def test_with_a_single_look_the_same_processes_share_all_rounds(stopping):
    once = Schedule(stopping.model_copy(update={"looks": 1}))
    assert once.processes == stopping.processes
    assert once.upto(once.processes) == stopping.rounds[1]
    assert [one for one in range(1, once.processes + 1) if once.looks_after(one)] == [once.processes]
    shares = [once.upto(process) for process in range(once.processes + 1)]
    assert max(b - a for a, b in pairwise(shares)) - min(b - a for a, b in pairwise(shares)) <= 1, "evenly"


@given(stoppings(), st.integers(0, 200))
def test_a_resumed_contest_needs_those_whose_share_is_not_done(stopping, done):
    schedule = Schedule(stopping)
    left = schedule.processes_left(done)
    assert left == list(range(left[0], schedule.processes + 1)), "one after the other to the last"
    for process in range(1, left[0]):
        assert done >= schedule.upto(process)
    assert done <= schedule.upto(left[0]) or left == [schedule.processes]


@given(stoppings(), st.integers(0, 200))
def test_the_clock_leaves_a_process_what_its_spread_takes(stopping, done):
    schedule = Schedule(stopping)
    for process in schedule.processes_left(done):
        least = schedule.least(process, done)
        if stopping.processes == 1:
            assert least == stopping.rounds[0]
        elif schedule.upto(process) >= done + 2:
            assert least == done + 2
        else:
            assert least <= max(done, schedule.upto(process)), "never more than the share"
