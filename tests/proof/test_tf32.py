"""TF32: the reference emulates it, who computes in it is proven, mistakes still show, and float32 is not taken for it.

That takes no GPU: the contender is PyTorch, whose products are given operands in TF32. What a GPU itself makes of them
is tested where there is one.
"""

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from laboratory import Plant, environment, make_work, open_session, references_to
from test_plants import prove

from rosettabench.catalogue.framework import all_frameworks, competing_frameworks
from rosettabench.catalogue.roots import worker_folder
from rosettabench.catalogue.workload import find_workload
from rosettabench.errors import WorkerError
from rosettabench.proof.prove import Proof
from rosettabench.proof.reference import ROUNDED
from rosettabench.proof.tolerance import FLOAT32

pytestmark = [pytest.mark.environment, pytest.mark.slow]

CHECK = Path(__file__).parent / "check_tf32.py"
WORKER = worker_folder()
CUT = 13
"""How many bits of a float32's significand that TF32 does not have."""

WITHOUT = ("chainer", "mxnet-gluon", "mxnet-module", "tensorflow-graph", "cntk", "caffe2", "paddle", "mlx", "tinygrad")


# -- what is emulated --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=ROUNDED)
def emulated(request, tmp_path_factory):
    """What a trial of round-off makes of numbers of every kind, and of matrices; and the way in which it rounds."""
    folder = tmp_path_factory.mktemp("tf32")
    chance = np.random.default_rng(0)
    bits = chance.integers(0, 2**32, 200_000, dtype=np.uint32)
    halves = bits[:1000] & ~np.uint32(2**CUT - 1) | np.uint32(2 ** (CUT - 1))
    numbers = np.concatenate([bits, halves, [0, 2**31, 1, 0x7F800000, 0xFF800000]]).astype(np.uint32).view(np.float32)
    arrays = {"numbers": numbers[~np.isnan(numbers)]}
    for name, shape in {"left": (64, 784), "right": (784, 128), "gradient": (64, 128)}.items():
        arrays[name] = chance.standard_normal(shape, dtype=np.float32)
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)
    (folder / request.param).mkdir()
    words = [str(environment("pytorch@2.13.0").python), str(CHECK), str(folder), request.param]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    found = {path.stem: np.load(path) for path in (folder / request.param).glob("*.npy")}
    return {**arrays, **found}, {"corrections": np.round, "weights": np.floor}[request.param]


def in_tf32(numbers, way):
    """Round to 11 significant bits by arithmetic alone: to the nearest (of two, the larger one), or down."""
    with np.errstate(over="ignore"):
        significand, exponent = np.frexp(np.abs(numbers).astype(np.float64))
        lowest = np.maximum(exponent, -125) - 11  # below the smallest normal number the steps are as wide as there
        steps = np.ldexp(significand, exponent - lowest)
        whole = np.floor(steps + 0.5) if way is np.round else np.floor(steps)
        return np.copysign(np.ldexp(whole, lowest), numbers).astype(np.float32)


def test_numbers_become_those_of_tf32(emulated):
    found, way = emulated
    numbers, rounded = found["numbers"], found["rounded"]
    finite = np.isfinite(numbers)
    assert not (rounded.view(np.uint32) & np.uint32(2**CUT - 1)).any(), "no more than 10 bits behind the point"
    np.testing.assert_array_equal(rounded[~finite], numbers[~finite])
    np.testing.assert_array_equal(rounded[finite].view(np.uint32), in_tf32(numbers[finite], way).view(np.uint32))


def test_a_product_rounds_its_operands_and_nothing_else(emulated):
    """On the way back the gradient is an operand; what comes out is float32 there and back."""
    found, way = emulated
    left, right, gradient = (in_tf32(found[name], way) for name in ("left", "right", "gradient"))
    for name, exact in {
        "product": left.astype(np.float64) @ right,
        "of_left": gradient.astype(np.float64) @ right.T,
        "of_right": left.T.astype(np.float64) @ gradient,
    }.items():
        assert off(found[name], exact) < 1e-6, f"{name} is more than the rounding of its operands"
        assert not np.array_equal(found[name], in_tf32(found[name], way)), f"{name} is rounded itself"


def test_the_error_of_a_product_is_what_two_rounded_operands_make(emulated):
    """Rounded, an operand is off by up to 2⁻¹¹; cut, by up to 2⁻¹⁰, and always to the same side."""
    found, way = emulated
    exact = found["left"].astype(np.float64) @ found["right"]
    error = off(found["product"], exact)
    assert 0.5 < error / 2.0**-11 < 0.7 if way is np.round else 1.2 < error / 2.0**-11 < 1.8
    assert FLOAT32["tf32"] < error / 20
    assert off(found["left"] @ found["right"], exact) < FLOAT32["tf32"] / 20


def off(found, exact):
    """How far off an array is, relative to the norm of what it should be."""
    return np.linalg.norm(found - exact) / np.linalg.norm(exact)


# -- the proof ---------------------------------------------------------------------------------------------------------

MODEL = "self.predict, self.eager = self.model, self.with_loss\n"
HEAD = "class Adapter(Framework):"
EMULATION = '''class ShorterOperands(torch.autograd.Function):
    """The product of a dense layer, and those on the way back: of operands that are TF32."""

    @staticmethod
    def forward(ctx, inputs, kernel):
        ctx.save_for_backward(inputs, kernel)
        return shorter(inputs) @ shorter(kernel).t()

    @staticmethod
    def backward(ctx, gradient):
        inputs, kernel = ctx.saved_tensors
        return shorter(gradient) @ shorter(kernel), shorter(gradient).t() @ shorter(inputs)


def shorter(tensor):
    return ((tensor.contiguous().view(torch.int32) + HALF) & ~0x1FFF).view(torch.float32)


class InTF32(torch.overrides.TorchFunctionMode):
    def __torch_function__(self, function, types, args=(), kwargs=None):
        if function is not torch.nn.functional.linear:
            return function(*args, **(kwargs or {}))
        inputs, kernel, bias = args
        return ShorterOperands.apply(inputs, kernel) + bias


def in_tf32(function):
    def call(*args):
        with InTF32():
            return function(*args)

    return call


'''
WAYS = {
    way: (
        (MODEL, "self.predict, self.eager = map(in_tf32, (self.model, self.with_loss))\n"),
        (HEAD, EMULATION.replace("HALF", half) + HEAD),
    )
    for way, half in {"rounded": "0x1000", "cut": "0"}.items()
}
"""Changes of PyTorch's adapter that make it compute as a GPU does, by how libraries make a TF32 of a float32."""

STEP = "        self.optimizer.step()\n"
KEPT_SHORT = f"{STEP}        for tensor in self.tensors.values(): tensor.data.copy_(shorter(tensor.data))\n"
ROUND = WAYS["rounded"]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Work in TF32 by workload, and its reference, made once."""

    def work_of(name, folder):
        return make_work(find_workload(name), folder, 8, precision="tf32")

    return references_to(work_of, tmp_path_factory)


@pytest.mark.parametrize("way", WAYS)
def test_who_computes_in_tf32_is_proven(way, made, tmp_path):
    proof = prove(Plant("none", "fashion-mlp", (), "", "", WAYS[way]), made, tmp_path)
    assert proof.passed, ([check for check in proof.checks if not check.passed][:3], proof.cause)
    assert {"update", "reduced precision"} <= {check.quantity for check in proof.checks}
    assert "parameter" not in {check.quantity for check in proof.checks}, "its own gradients lead it"


NO_RELU = (("F.relu(self.hidden(images))", "self.hidden(images)"),)


@pytest.mark.parametrize(
    ("changes", "adapter", "diverges", "cause"),
    [
        ((), (), "reduced precision", "tf32 is not in force"),
        ((("hyper.beta2)", "0.99)"),), ROUND, "update", "beta2 is 0.99"),
        ((("eps=hyper.epsilon)", "eps=1e-7)"),), ROUND, "update", "epsilon is 1e-7"),
        ((), (*ROUND, (STEP, KEPT_SHORT)), "update", "kept in tf32"),
        ((("return self.output(x)", "return self.output(x).softmax(1)"),), ROUND, "logits", "ends in a softmax"),
        (NO_RELU, ROUND, "logits", "no activation where ReLU is meant"),
    ],
    ids=["float32", "beta2", "epsilon", "no master weights", "softmax", "no ReLU"],
)
def test_mistakes_still_show(changes, adapter, diverges, cause, made, tmp_path):
    plant = Plant("mistake", "fashion-mlp", changes, diverges, cause, adapter)
    proof = prove(plant, made, tmp_path)
    failed = next(check for check in proof.checks if not check.passed)
    assert (failed.quantity, failed.step) in ((diverges, 0), (diverges, 1))
    assert cause in (proof.cause or "")


# -- the settings ------------------------------------------------------------------------------------------------------

ON_CUDA = pytest.mark.skipif(not shutil.which("nvidia-smi"), reason="no NVIDIA GPU here")
SWITCH = """
import importlib, sys
sys.path.insert(0, sys.argv[1])
from rosetta_worker.framework import Setting
runtime = importlib.import_module("rosetta_worker.runtimes." + sys.argv[2])
for precision in sys.argv[3:]:
    runtime.start(Setting(precision=precision, device="cpu", threads=1))
    print(runtime.tensor_float32())
"""
"""Obeys one precision after the other, and reads back each time what is in force; the switches are there without a GPU.
"""


@pytest.mark.parametrize(
    ("lock", "runtime"),
    [("pytorch@2.13.0", "pytorch"), ("jax@0.10.2", "jax"), ("keras-tensorflow@3.15.1", "tensorflow")],
)
def test_every_precision_sets_the_switch_and_is_read_back(lock, runtime):
    """Of all precisions, one after the other in one process: what tf32 has switched on does not stay."""
    precisions = ("float32", "tf32", "bfloat16", "tf32", "float32")
    words = [str(environment(lock).python), "-c", SWITCH, str(WORKER.parent), runtime, *precisions]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [str(precision == "tf32") for precision in precisions]


@pytest.mark.parametrize("framework", WITHOUT)
def test_who_has_no_switch_says_so(framework, made, tmp_path):
    work, _ = made("fashion-mlp")
    entry = all_frameworks()[framework]
    why = "has a switch for TF32 on GPUs alone" if framework == "mlx" else "has no switch for TF32"
    with pytest.raises(WorkerError, match=why) as refused:
        open_session(entry, entry.mode, environment(entry.locks[0]), work, tmp_path)
    assert refused.value.kind == "unsupported"


@ON_CUDA
@pytest.mark.parametrize(
    "framework", [name for name, one in competing_frameworks().items() if name not in WITHOUT and not one.exported]
)
def test_a_gpu_computes_in_it(framework, made, tmp_path):
    work, exact = made("fashion-mlp")
    work = replace(work, setting=replace(work.setting, device="cuda"))
    entry = all_frameworks()[framework]
    try:
        session = open_session(entry, entry.mode, environment(entry.locks[0]), work, tmp_path / "session")
    except WorkerError as error:
        pytest.skip(f"{entry.locks[0]} computes on no GPU: {error.what}")
    try:
        proof = Proof(session, exact, tmp_path / "proof")
        proof.run()
        settings = session.settings()
    finally:
        session.process.close()
    if settings["device"] != "cuda":
        pytest.skip(f"{entry.locks[0]} computes on no GPU: its model lies on {settings['device']}")
    assert proof.passed, ([check for check in proof.checks if not check.passed][:3], proof.cause)
    assert (settings["precision"], settings["tf32"]) == ("float32", True)
