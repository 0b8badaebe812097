"""What others compute: the kernel's counts, less what the contest itself used."""

import pytest

from rosettabench.resources.counters import ticks
from rosettabench.resources.load import LoadWatch, load_between, read, read_processors

STAT = b"""cpu  300 0 30 700 5 0 0 20 0 0
cpu0 100 10 20 500 5 3 7 15 0 0
cpu1 200 0 10 200 0 0 0 5 40 0
intr 948124 0 0
"""


def test_the_columns_of_a_processor():
    """Waiting for storage is idle time, and a guest's is in the user's already."""
    scale = 1 / ticks()
    assert read_processors(STAT) == {
        0: (pytest.approx(140 * scale), pytest.approx(15 * scale)),
        1: (pytest.approx(210 * scale), pytest.approx(5 * scale)),
    }


def reading(moment, busy, stolen, workers, controller):
    """A reading of two processors that are equally busy."""
    return moment, {0: (busy, stolen), 1: (busy, stolen)}, workers, controller


def test_what_is_neither_a_worker_s_nor_the_controller_s_is_others():
    before = reading(10.0, 100.0, 1.0, {7: 50.0, 8: 20.0}, 3.0)
    after = reading(12.0, 101.8, 1.1, {7: 51.5, 8: 21.0}, 3.1)
    load = load_between(before, after, (0, 1))
    assert (load.seconds, load.processors) == (2.0, 2)
    assert load.others == pytest.approx((3.6 - 2.5 - 0.1) / 4)
    assert load.stolen == pytest.approx(0.2 / 4)


def test_a_worker_that_ended_or_counts_more_than_the_processors_is_no_negative_load():
    before = reading(10.0, 100.0, 0.0, {7: 50.0, 8: 20.0}, 3.0)
    assert load_between(before, reading(12.0, 101.0, 0.0, {7: 51.2, 8: 0.0}, 3.0), (0, 1)).others == pytest.approx(0.2)
    assert load_between(before, reading(12.0, 101.0, 0.0, {7: 54.0, 8: 20.0}, 3.0), (0, 1)).others == 0.0


def test_the_busiest_group_counts():
    watch = LoadWatch((), ((0,), (0, 1)))
    moment, _, workers, controller = watch._begin
    watch._begin = (moment - 1e6, {0: (-1e9, 0.0), 1: (0.0, 0.0)}, workers, controller)
    assert watch.load().processors == 1


def test_where_the_system_does_not_tell_there_is_no_load():
    nothing = (1.0, {}, {}, 0.0)
    assert load_between(nothing, (2.0, {}, {}, 0.0), (0, 1)) is None
    assert LoadWatch((), ((10**6,), ())).load() is None


def test_a_program_counts_as_others_unless_it_belongs_to_the_contest(obedient):
    """Its children, too, ended ones included: what a loader's processes compute is the contender's own."""
    if not read(())[1]:
        pytest.skip("this system has no /proc/stat")
    group = sorted(read(())[1])
    mine, strange = LoadWatch((obedient.pid,), (group,)), LoadWatch((), (group,))
    work = "[time.process_time() for _ in iter(lambda: time.process_time() > 0.4, True)]"
    child = obedient.fork(f"{work}, os._exit(0)")
    obedient.do(f"os.waitpid({child}, 0)")
    own, others = mine.load(), strange.load()
    counted = (others.others * others.seconds - own.others * own.seconds) * len(group)
    assert counted >= 0.3 or own.others == 0.0, "ticks are rounded, and no load is less than none"
    assert others.others * others.seconds * len(group) >= 0.3
