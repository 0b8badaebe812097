"""Ceilings are the highest rates of whatever counts, on this machine, with these threads."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosettabench.ceilings.cache import LEAST_BYTES, copied_bytes, last_level_cache
from rosettabench.ceilings.ceiling import ceilings, measured_here
from rosettabench.ceilings.series import CeilingSeries
from rosettabench.lab.journal import Journal
from rosettabench.plan.request import PeakRequest
from rosettabench.store.schema import Run
from rosettabench.store.store import Store, now

MACHINE = {"processor": "Imaginary 9000", "cores_in_machine": 4, "gpus": [], "cores": 2, "memory_bytes": 8_000_000_000}


def series(**changed):
    """Three blocks of one second each: 2·10⁹ operations per second on one core."""
    usual = {"library": "pytorch", "environment": "pytorch@1.0", "threads": 1, "device": "cpu", "kind": "product"}
    usual |= {"what": "float32", "size": 1000, "amount": 2e9, "times": 1, "error": 3e-7}
    usual |= {"seconds": (1.0, 2.0, 1.0), "cpu_seconds": (1.0, 2.0, 1.0)}
    return CeilingSeries(**{**usual, **changed})


def test_the_highest_block_is_the_ceiling():
    slow, fast = series(library="jax", seconds=(1.0, 1.0, 4.0)), series(seconds=(3.0, 0.5, 3.0))
    for kept in ([slow, fast], [fast, slow]):
        found = ceilings(kept, 1, "cpu")
        assert found["product", "float32"].rate == 4e9
        assert found["product", "float32"].library == "pytorch"


def test_a_block_of_several_products_counts_them_all():
    assert series(times=5).best == 1e10


def test_threads_devices_and_works_are_kept_apart():
    kept = [series(), series(threads=2, seconds=(0.5,)), series(what="float64", error=1e-16), series(device="cuda")]
    assert {key: one.rate for key, one in ceilings(kept, 1, "cpu").items()} == {
        ("product", "float32"): 2e9,
        ("product", "float64"): 2e9,
    }
    assert ceilings(kept, 3, "cpu") == {}


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"cpu_seconds": (2.0, 4.0, 2.0)}, "computed on 2.0 cores, told to use 1"),
        ({"error": 2e-3}, "less exactly than float32"),
        ({"what": "float64"}, "less exactly than float64"),
        ({"what": "bfloat16"}, "more exactly than bfloat16"),
    ],
)
def test_what_was_not_done_as_told_is_no_ceiling(changed, said):
    cheat = series(seconds=(0.1, 0.2, 0.1), **{"cpu_seconds": (0.1, 0.2, 0.1), **changed})
    if "cpu_seconds" in changed:
        cheat = series(seconds=(1.0, 2.0, 1.0), **changed)
    assert said in cheat.fault
    assert ceilings([cheat], 1, "cpu") == {}
    assert series().fault is None


def test_the_processors_of_the_host_do_not_limit_a_gpu():
    assert series(device="cuda", cpu_seconds=(9.0, 9.0, 9.0)).fault is None


@given(st.lists(st.floats(1e-3, 1e3), min_size=1, max_size=20))
def test_no_block_is_above_the_ceiling(seconds):
    one = series(seconds=tuple(seconds), cpu_seconds=tuple(seconds))
    found = ceilings([one], 1, "cpu")["product", "float32"]
    assert all(rate <= found.rate for rate in one.rates)
    assert found.rate in one.rates


def test_only_what_was_measured_on_this_machine_is_read(tmp_path):
    store = Store(f"sqlite:///{tmp_path}/results.sqlite")
    write_peak(store, "here", MACHINE, series())
    write_peak(store, "elsewhere", MACHINE | {"processor": "Other"}, series(seconds=(0.1,)))
    assert measured_here(store, MACHINE) == [series()]


def write_peak(store, run_id, machine, *found):
    """Write a measurement of a machine."""
    request = PeakRequest().model_dump(mode="json")
    store.add(Run(id=run_id, at=now(), version="0", command=["rosetta", "peak"], request=request, machine=machine))
    for one in found:
        Journal(store, run_id).event(one)


def test_the_last_level_cache_is_read(tmp_path):
    for number, size in enumerate(("64K", "1024K", "32M", "")):
        (tmp_path / f"index{number}").mkdir()
        (tmp_path / f"index{number}" / "size").write_text(f"{size}\n")
    assert last_level_cache(tmp_path) == 32 * 2**20
    assert last_level_cache(tmp_path / "nowhere") is None


def test_copies_are_far_larger_than_the_caches(monkeypatch):
    from rosettabench.ceilings import cache

    monkeypatch.setattr("psutil.virtual_memory", lambda: type("Memory", (), {"total": 2**40})())
    monkeypatch.setattr(cache, "last_level_cache", lambda: 384 * 2**20)
    assert copied_bytes() == 4 * 384 * 2**20
    monkeypatch.setattr(cache, "last_level_cache", lambda: None)
    assert copied_bytes() == LEAST_BYTES
    monkeypatch.setattr("psutil.virtual_memory", lambda: type("Memory", (), {"total": 2**30})())
    assert copied_bytes() == 2**26
