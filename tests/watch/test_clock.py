"""A worker's clock beside the controller's."""

from rosettabench.watch.clock import clock_fault


def test_a_clock_that_is_right():
    assert clock_fault([0.1, 0.1, 0.1], [0.102, 0.103, 0.2]) is None
    assert clock_fault([0.001] * 5, [0.006] * 5) is None, "a request takes its milliseconds"
    assert clock_fault([], []) is None


def test_half_of_the_time():
    assert clock_fault([0.05] * 5, [0.102] * 5) == "it reports 49% of the time that its blocks take"


def test_more_than_a_tenth_left_out():
    """From blocks of 0.2 s on, a worker that leaves out an eighth is caught; the honest ones leave out 3% at most."""
    assert clock_fault([0.21, 0.22, 0.21], [0.24, 0.25, 0.24]) == "it reports 88% of the time that its blocks take"
    assert clock_fault([0.31, 0.31, 0.31], [0.32, 0.32, 0.32]) is None
    assert clock_fault([0.07, 0.07, 0.07], [0.08, 0.08, 0.08]) is None, "10 ms are few"


def test_more_time_than_passed():
    assert clock_fault([0.2] * 5, [0.1] * 5) == "it reports 200% of the time that passes between request and reply"


def test_a_busy_machine_is_no_wrong_clock():
    assert clock_fault([0.1, 0.1, 0.1, 0.1, 0.1], [0.11, 0.5, 0.11, 0.6, 0.11]) is None
