"""When two machines are of one kind, and when one's ceilings are the other's."""

import pytest

from rosettabench.store.machine import kinds_of_machines, same_hardware, same_kind

MACHINE = {"processor": "Imaginary 9000", "cores_in_machine": 4, "gpus": [], "cores": 2, "memory_bytes": 8_000_000_000}


@pytest.mark.parametrize(("fact", "value"), [("processor", "Other"), ("cores_in_machine", 8), ("gpus", ["H100"])])
def test_other_hardware_is_another_kind_and_has_ceilings_of_its_own(fact, value):
    other = MACHINE | {fact: value}
    assert not same_hardware(MACHINE, other)
    assert not same_kind(MACHINE, other)
    assert kinds_of_machines([MACHINE, other, MACHINE]) == [MACHINE, other]


def test_fewer_cores_are_another_kind_with_the_same_ceilings():
    assert same_hardware(MACHINE, MACHINE | {"cores": 1})
    assert not same_kind(MACHINE, MACHINE | {"cores": 1})


@pytest.mark.parametrize("change", [{"python": "3.13"}, {"system": "newer"}, {"memory_bytes": 7_999_000_000}])
def test_what_an_update_changes_is_the_same_kind(change):
    assert same_kind(MACHINE, MACHINE | change)


def test_a_run_that_does_not_tell_of_a_gpu_had_none():
    assert same_kind(MACHINE, {fact: value for fact, value in MACHINE.items() if fact != "gpus"})
