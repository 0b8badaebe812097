"""Processes that fetch their memory anew in each step are told from a machine whose speed wanders."""

import numpy as np
import pytest

from rosettabench.statistics.paging import find_paging

PROCESSES = {number: 1 + (number - 1) // 4 for number in range(1, 41)}
FEW, MANY = 3.0, 3000.0
STEP = 5e-3
"""Seconds."""


def contest(seed, slower=1.4, affected=(3, 7, 8), step=STEP):
    """Two contenders in ten processes, on a machine whose speed wanders; one is slower in the affected ones."""
    draw = np.random.default_rng(seed)
    machine_change = {process: draw.normal(0, 0.2) for process in set(PROCESSES.values())}
    return {
        label: {
            number: step
            * float(np.exp(machine_change[process] + draw.normal(0, 0.02)))
            * (slower if label == "b" and process in affected else 1)
            for number, process in PROCESSES.items()
        }
        for label in "ab"
    }


def pages(affected=(3, 7, 8)):
    """The faults of a step: many in the affected processes of one contender."""
    return {
        "a": dict.fromkeys(range(1, 11), FEW),
        "b": {process: MANY if process in affected else FEW for process in range(1, 11)},
    }


@pytest.mark.parametrize("seed", range(5))
def test_processes_that_page_are_told_with_what_it_costs(seed):
    (found,) = find_paging(contest(seed), PROCESSES, pages(), 0.02)
    assert (found.contender, found.some, found.processes, found.pages) == ("b", 3, 10, MANY)
    assert found.times == pytest.approx(1.4, rel=0.05)
    assert "in 3 of its 10 processes" in found.sentence
    assert "3,000 pages" in found.sentence


def test_pages_that_cost_nothing_are_not_told():
    assert find_paging(contest(1, slower=1.0), PROCESSES, pages(), 0.02) == []


@pytest.mark.parametrize(("step", "told"), [(3e-4, True), (3e-3, False)], ids=["a short step", "a long step"])
def test_fifty_pages_are_told_where_they_cost_more_than_the_margin(step, told):
    """They cost 55 µs: a sixth of a step of 0.3 ms, and less than 2% of a step of 3 ms, whatever else was slow then."""
    fifty = {label: {process: min(count, 50.0) for process, count in own.items()} for label, own in pages().items()}
    assert [one.pages for one in find_paging(contest(1, step=step), PROCESSES, fifty, 0.02)] == [50.0] * told


@pytest.mark.parametrize("affected", [(), range(1, 11)], ids=["none pages", "all page"])
def test_processes_that_are_alike_are_not_told(affected):
    assert find_paging(contest(1), PROCESSES, pages(affected), 0.02) == []


def test_a_contender_alone_is_looked_at_too():
    rounds = {"b": {number: STEP * (1.4 if process in (3, 7) else 1.0) for number, process in PROCESSES.items()}}
    (found,) = find_paging(rounds, PROCESSES, {"b": pages((3, 7))["b"]}, 0.02)
    assert found.times == pytest.approx(1.4)


@pytest.mark.parametrize("beside", ["ab", "b"], ids=["beside another", "alone from then on"])
def test_a_contender_that_left_is_no_measure(beside):
    rounds = {label: times for label, times in contest(1).items() if label in beside}
    rounds["c"] = {number: seconds / 1000 for number, seconds in contest(1)["a"].items() if PROCESSES[number] <= 5}
    (found,) = find_paging(rounds, PROCESSES, pages(), 0.02)
    assert found.contender == "b"
    assert 1 < found.times < 3


def test_without_counters_nothing_is_told():
    assert find_paging(contest(1), PROCESSES, {}, 0.02) == []
