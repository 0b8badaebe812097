"""Real libraries multiply what they are told, in the precision that they are told, and copy every number."""

import shutil

import pytest
from laboratory import TIMEOUT, environment
from tiers import slow_except

from rosetta_worker.loop import Worker
from rosettabench.catalogue.contender import parse_contender
from rosettabench.catalogue.roots import worker_folder
from rosettabench.ceilings.bench import Bench, BenchLibrary, baseline
from rosettabench.ceilings.peak import sweep
from rosettabench.ceilings.precision import plausible_errors, precision_fault
from rosettabench.errors import WorkerError

KNOWN = {
    "pytorch": {"float32", "bfloat16", "float64"},
    "tensorflow": {"float32", "bfloat16", "float64"},
    "keras[tensorflow]": {"float32", "bfloat16", "float64"},
    "keras[jax]": {"float32", "bfloat16"},
    "keras[torch]": {"float32", "bfloat16"},
    "jax": {"float32", "bfloat16", "float64"},
    "mxnet-gluon": {"float32", "float64"},
    "mxnet-module": {"float32", "float64"},
    "chainer": {"float32", "float64"},
    "tensorflow-graph": {"float32", "float64"},
    "cntk": {"float32", "float64"},
    "caffe2": {"float32"},
    "paddle": {"float32", "float64"},
    "mlx": {"float32", "bfloat16", "float64"},
    "tinygrad": {"float32", "float64"},
    "numpy": {"float32", "float64"},
}


def library(name):
    if name == "numpy":
        return baseline()
    if name == "tinygrad" and shutil.which("clang") is None:
        pytest.skip("clang is not on PATH, with which tinygrad compiles")
    contender = parse_contender(name)
    return BenchLibrary(contender, environment(str(contender.lock)))


@pytest.fixture(scope="module", params=slow_except(KNOWN, "pytorch", "numpy"))
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


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("for _ in range(times):\n                left = left", "for _ in range(1):\n                left = left"),
        ("matrix.astype(precision)", "matrix.astype('float16').astype('float32')"),
        ("left @ right", "left @ left"),
    ],
)
def test_who_leaves_products_out_or_computes_others_is_seen(tmp_path, old, new):
    text = (worker_folder() / "baseline.py").read_text(encoding="utf-8")
    assert text.count(old) == 1
    (tmp_path / "baseline.py").write_text(text.replace(old, new), encoding="utf-8")
    faults = []
    for adapter in (worker_folder() / "baseline.py", tmp_path / "baseline.py"):
        worker = Worker()
        worker.do_open(str(adapter), None, {"device": "cpu"})
        faults.append(precision_fault("float32", 64, worker.do_product(64, "float32")["error"]))
    assert faults[0] is None
    assert "less exactly than float32" in faults[1]


def test_a_copy_that_is_none_is_seen(tmp_path):
    text = (worker_folder() / "baseline.py").read_text(encoding="utf-8")
    (tmp_path / "baseline.py").write_text(text.replace("np.copyto(target, array)", "pass"), encoding="utf-8")
    worker = Worker()
    worker.do_open(str(tmp_path / "baseline.py"), None, {"device": "cpu"})
    assert worker.do_copy(2**16, "memory")["equal"] is False


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
def test_a_copy_moves_every_number(bench):
    """No processor copies a terabyte in a second; who only hands the same memory on seems to, thirty times over."""
    found = bench.copies("memory", 2**26, 0.0)
    used = min(max(elapsed, cpu) for elapsed, cpu in zip(found.seconds, found.cpu_seconds, strict=True))
    assert used > found.times * found.amount / 1e12


@pytest.mark.environment
def test_a_sweep_tries_sizes_and_repeats_the_best(bench):
    found = []
    sweep(bench, "float32", 0.5, found.append)
    sizes = [one.size for one in found]
    assert sizes[0] == 512
    assert sizes == sorted(sizes) or sizes[:-1] == sorted(sizes[:-1])
    assert all(len(one.seconds) >= 3 for one in found)


def test_a_slow_first_time_makes_no_short_block(tmp_path, monkeypatch):
    """The check is a library's first call; the second shows how long a block must be, and may compile or wait."""
    text = (worker_folder() / "baseline.py").read_text(encoding="utf-8")
    sleep = "            calls.append(times)\n            time.sleep(0.04 * (len(calls) == 2))\n"
    slow_once = (
        ("import numpy as np\n", "import time\n\nimport numpy as np\n"),
        ("        right = matrix", "        calls = []\n        right = matrix"),
        ("            left = right\n", sleep + "            left = right\n"),
    )
    for old, new in slow_once:
        assert text.count(old) == 1
        text = text.replace(old, new)
    (tmp_path / "baseline.py").write_text(text, encoding="utf-8")
    monkeypatch.setattr("rosettabench.ceilings.bench.worker_folder", lambda: tmp_path)
    with Bench(baseline(), 1, "cpu", tmp_path / "worker", TIMEOUT) as bench:
        found = bench.products("float32", 16, 0.0)
    assert found.times > 100


@pytest.mark.environment
def test_a_worker_that_cannot_be_set_up_leaves_no_process(tmp_path):
    import psutil

    fault = Bench(library("numpy"), 1, "cpu", tmp_path / "worker", TIMEOUT)
    fault.ask = lambda do, **fields: (_ for _ in ()).throw(WorkerError("error", "planted"))
    with pytest.raises(WorkerError, match="planted"), fault:
        raise AssertionError("it was set up")
    assert not psutil.pid_exists(fault.process.pid)
