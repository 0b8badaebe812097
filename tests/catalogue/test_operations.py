"""Operations counted from a workload's statement are those of its formulas, and those that PyTorch counts itself."""

import json
import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from laboratory import environment

from rosettabench.catalogue.operations import count, operations, operations_of_step
from rosettabench.catalogue.workload import Product, Tensor, all_workloads, find_workload, read_workload
from rosettabench.errors import UsageError

SOURCE = Path(__file__).parents[2] / "src"
BATCH = 3

COUNTER = """
import importlib.util, json, sys
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode
spec = importlib.util.spec_from_file_location("implementation", sys.argv[1])
implementation = importlib.util.module_from_spec(spec)
spec.loader.exec_module(implementation)
torch.backends.mkldnn.set_flags(False)  # its LSTM is one operation, of which the counter knows nothing
model = implementation.Model()
shape = json.loads(sys.argv[2])
words = sys.argv[3] in ("tokens", "characters")
inputs = torch.zeros(shape, dtype=torch.int64) if words else torch.randn(shape)
labels = torch.zeros(shape if sys.argv[3] == "characters" else shape[0], dtype=torch.int64)
with FlopCounterMode(display=False) as forward, sdpa_kernel(SDPBackend.MATH):  # one that computes nothing twice
    logits = model(inputs)
if sys.argv[3] == "several labels":
    labels = torch.zeros_like(logits)
if sys.argv[3] == "series":
    labels = torch.ones(logits.shape[:2] + (2,))
with FlopCounterMode(display=False) as backward, sdpa_kernel(SDPBackend.MATH):
    if sys.argv[4] == "trains":
        implementation.loss(logits, labels).backward()
print(json.dumps([forward.get_total_flops(), backward.get_total_flops()]))
"""

INPUTS = {"fashion-mlp": ([BATCH, 784], "images"), "fashion-cnn": ([BATCH, 1, 28, 28], "images")}
INPUTS |= {"cifar-vgg": ([BATCH, 3, 32, 32], "images"), "cifar-resnet56": ([BATCH, 3, 32, 32], "images")}
INPUTS |= {"imagenet-resnet56": ([BATCH, 3, 256, 256], "images")}
INPUTS |= {"imdb-gru": ([BATCH, 150], "tokens"), "imdb-lstm": ([BATCH, 500], "tokens")}
INPUTS |= {
    "resnet50-synthetic": ([BATCH, 3, 256, 256], "images"),
    "resnet50-features": ([BATCH, 3, 224, 224], "images"),
    "chestxray-densenet121": ([BATCH, 3, 224, 224], "several labels"),
    "deepar-monash": ([BATCH, 39, 22], "series"),
    "shakespeare-gpt": ([BATCH, 64], "characters"),
    "cifar-vit": ([BATCH, 3, 32, 32], "images"),
    "cifar-vit:forward": ([BATCH, 3, 32, 32], "images"),
    "gpt-decode": ([BATCH, 64], "characters"),
    "gpt-decode:prefill": ([BATCH, 64], "characters"),
    "gpt-decode:short": ([BATCH, 64], "characters"),
    "fashion-diffusion": ([BATCH, 785], "several labels"),
}


@cache
def counted_by_pytorch(name):
    """Operations of the forward and of the backward pass of a batch, as PyTorch's own counter sees them."""
    shape, kind = INPUTS[name]
    python = environment("pytorch@2.13.0").python
    workload = find_workload(name)
    use = "trains" if workload.inference is None else "infers"  # one implementation may serve both
    command = [str(python), "-c", COUNTER, str(workload.implementation("pytorch")), json.dumps(shape), kind, use]
    surroundings = os.environ | {"PYTHONPATH": str(SOURCE), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, env=surroundings, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_multilayer_perceptron_by_hand():
    counted = operations(find_workload("fashion-mlp"))
    assert counted.forward == 2 * (784 * 128 + 128 * 10) == counted.by_weights
    assert counted.by_inputs == 2 * 128 * 10  # nobody differentiates by the images
    assert counted.training == 409_088


def test_convolutions_by_hand():
    counted = operations(find_workload("fashion-cnn"))
    first, second, dense = 26 * 26 * 64 * 9, 24 * 24 * 32 * 64 * 9, 18_432 * 10
    assert counted.forward == 2 * (first + second + dense)
    assert counted.training == 2 * (2 * first + 3 * second + 3 * dense)


def test_a_recurrence_by_hand():
    counted = operations(find_workload("imdb-gru"))
    from_inputs, from_state, dense = 150 * 300 * 125, 150 * 300 * 100, 2 * 100
    assert counted.forward == 2 * (from_inputs + from_state + dense)
    by_inputs = 2 * (from_inputs + 149 * 300 * 100 + dense)  # the state that it begins with is nobody's
    assert counted.by_inputs == by_inputs
    assert counted.training == 2 * counted.forward + by_inputs


@pytest.mark.environment
@pytest.mark.parametrize("name", INPUTS)
def test_pytorch_counts_the_same(name):
    forward, backward = counted_by_pytorch(name)
    counted = operations(find_workload(name))
    assert forward == BATCH * counted.forward
    trains = find_workload(name).inference is None
    assert backward == (BATCH * (counted.by_weights + counted.by_inputs) if trains else 0)
    assert operations_of_step(find_workload(name)) == (forward + backward) / BATCH


@pytest.mark.parametrize("name", all_workloads())
def test_every_workload_states_its_operations(name):
    counted = operations(find_workload(name))
    assert counted is not None, f"{name}: workload.toml has no section [operations]: docs/guide/adding-a-workload.md"
    assert 2 * counted.forward <= counted.training <= 3 * counted.forward


@given(
    st.lists(st.integers(1, 40), min_size=2, max_size=4),
    st.lists(st.integers(1, 40), max_size=3),
    st.sampled_from(["dense", "convolution", "recurrent"]),
    st.booleans(),
)
def test_products_are_counted_pair_by_pair(shape, positions, kind, first):
    """Against the definition: one multiplication and one addition for each number of the tensor in each position."""
    tensor = Tensor(name="kernel", shape=tuple(shape), init="zeros")
    counted = count(tensor, Product(kind=kind, positions=tuple(positions), first=first))
    pairs = 1
    for extent in (*shape, *positions):
        pairs *= extent
    assert counted.forward == counted.by_weights == 2 * pairs
    whole = 1
    for extent in shape:
        whole *= extent
    assert counted.by_inputs == (0 if first else 2 * (pairs - whole * (kind == "recurrent")))


def test_an_embedding_multiplies_nothing():
    tensor = Tensor(name="embedding", shape=(30_000, 125), init="normal_0.05")
    assert count(tensor, Product(kind="embedding", positions=(150,))).training == 0


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"output.kernel" = { kind = "dense" }\n', "", "see output.kernel"),
        ('"output.kernel" =', '"output.bias" =', "see output.bias, output.kernel"),
        ('"output.kernel" =', '"outptu.kernel" =', "see outptu.kernel, output.kernel"),
        ('kind = "dense" }', 'kind = "sparse" }', "operations.output.kernel.kind"),
        ("positions = [24, 24]", "positions = [24, 0]", "operations.conv2.kernel.positions.1"),
    ],
)
def test_a_wrong_count_is_refused(tmp_path, old, new, said):
    path = tmp_path / "fashion_cnn" / "workload.toml"
    path.parent.mkdir()
    shutil.copy(find_workload("fashion-cnn").folder / "workload.toml", path)
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        read_workload(path)
    assert said in caught.value.what


def test_a_workload_without_a_count_has_none(tmp_path):
    path = tmp_path / "mine" / "workload.toml"
    path.parent.mkdir()
    text = (find_workload("fashion-mlp").folder / "workload.toml").read_text(encoding="utf-8")
    path.write_text(text.partition("[operations]")[0], encoding="utf-8")
    assert operations(read_workload(path)) is None
