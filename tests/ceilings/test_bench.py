"""Real libraries multiply what they are told, in the precision that they are told, and copy every number."""

import pytest
from laboratory import TIMEOUT, environment

from rosettabench.catalogue.contender import parse_contender
from rosettabench.ceilings.bench import Bench, Library, baseline
from rosettabench.ceilings.peak import sweep
from rosettabench.ceilings.precision import plausible_errors
from rosettabench.errors import WorkerError

BUILT_IN = ("pytorch", "keras[tensorflow]", "jax", "mxnet-gluon", "chainer")
KNOWN = {
    "pytorch": {"float32", "bfloat16", "float64"},
    "keras[tensorflow]": {"float32", "bfloat16", "float64"},
    "jax": {"float32", "bfloat16", "float64"},
    "mxnet-gluon": {"float32", "float64"},
    "chainer": {"float32", "float64"},
    "numpy": {"float32", "float64"},
}


def library(name):
    if name == "numpy":
        return baseline()
    contender = parse_contender(name)
    return Library(contender, environment(str(contender.lock)))


@pytest.fixture(scope="module", params=KNOWN)
def bench(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("bench") / "worker"
    with Bench(library(request.param), 1, "cpu", folder, TIMEOUT) as ready:
        ready.name = request.param
        yield ready


@pytest.mark.environment
@pytest.mark.parametrize("precision", ["float32", "bfloat16", "float64", "tf32"])
def test_products_have_the_error_of_their_precision(bench, precision):
    if precision not in KNOWN[bench.name]:
        with pytest.raises(WorkerError) as caught:
            bench.products(precision, 64, 0.0)
        assert caught.value.kind == "unsupported"
        assert ("TF32" if precision == "tf32" else precision) in caught.value.what
        return
    found = bench.products(precision, 192, 0.0)
    least, greatest = plausible_errors(precision, 192)
    assert least <= found.error <= greatest
    assert found.amount == 2 * 192**3
    assert min(found.seconds) > 0 and min(found.cpu_seconds) >= 0
    assert found.environment == bench.library.environment.name


@pytest.mark.environment
def test_a_block_does_as_many_products_as_it_counts(bench):
    """Ninety-nine more products take more processor time than one: nothing is skipped, and nothing left behind."""
    bench.ask("product", size=512, precision="float32")
    cpu = [sum(bench.ask("repeat", times=times)["cpu_s"] for _ in range(3)) for times in (1, 100)]
    assert cpu[1] > 10 * cpu[0]


@pytest.mark.environment
def test_copies_are_whole_and_count_both_directions(bench):
    found = bench.copies("memory", 2**22, 0.0)
    assert found.amount == 2 * 2**22
    assert found.what == "memory" and found.error is None
    with pytest.raises(WorkerError) as caught:
        bench.copies("to_device", 2**22, 0.0)
    assert caught.value.kind == "unsupported"
    assert "the device is the host" in caught.value.what


@pytest.mark.environment
def test_a_sweep_tries_sizes_and_repeats_the_best(bench):
    found = []
    sweep(bench, "float32", 0.5, found.append)
    sizes = [one.size for one in found]
    assert sizes[0] == 512
    assert sizes == sorted(sizes) or sizes[:-1] == sorted(sizes[:-1])
    assert all(len(one.seconds) >= 3 for one in found)


@pytest.mark.environment
def test_a_worker_that_cannot_be_set_up_leaves_no_process(tmp_path):
    import psutil

    fault = Bench(library("numpy"), 1, "cpu", tmp_path / "worker", TIMEOUT)
    fault.ask = lambda do, **fields: (_ for _ in ()).throw(WorkerError("error", "planted"))
    with pytest.raises(WorkerError, match="planted"), fault:
        raise AssertionError("it was set up")
    assert not psutil.pid_exists(fault.process.pid)
