"""Names with ranges: the catalogue and the worker write them out alike, and a workload has one tensor for each."""

import shutil
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosetta_worker import tensors
from rosettabench.catalogue.ranges import written_out
from rosettabench.catalogue.workload import find_workload, read_workload
from rosettabench.errors import UsageError

NUMBERS = st.one_of(
    st.integers(0, 20).map(str),
    st.tuples(st.integers(0, 11), st.integers(0, 4)).map(lambda ends: f"{ends[0]}..{sum(ends)}"),
)
PARTS = st.one_of(
    st.sampled_from(["block", ".conv", ".kernel", "1", "{", "}", "..", "{1..x}", "{1,}"]),
    st.lists(NUMBERS, min_size=1, max_size=3).map(lambda words: f"{{{','.join(words)}}}"),
)


@given(st.lists(PARTS, max_size=5).map("".join))
def test_both_rooms_write_a_name_out_alike(name):
    assert written_out(name) == tensors.written_out(name)


def test_a_name_without_a_range_stands_for_itself():
    assert written_out("output.kernel") == ["output.kernel"]


def test_a_workload_has_every_tensor_that_a_name_stands_for(tmp_path):
    path = tmp_path / "many" / "workload.toml"
    path.parent.mkdir()
    shutil.copy(find_workload("fashion-mlp").folder / "workload.toml", path)
    text = path.read_text(encoding="utf-8").replace('"hidden.', '"hidden{1..2}.')
    path.write_text(text, encoding="utf-8")
    workload = read_workload(path)
    names = [tensor.name for tensor in workload.tensors]
    assert names == ["hidden1.kernel", "hidden2.kernel", "hidden1.bias", "hidden2.bias", "output.kernel", "output.bias"]
    assert set(workload.operations) == {"hidden1.kernel", "hidden2.kernel", "output.kernel"}
    assert type(workload)(**workload.model_dump()) == workload


def test_kept_tensors_of_a_workload():
    """ResNet-56 as Keras counts it: 861,770 parameters, of which 4,064 are running means and variances."""
    workload = find_workload("cifar-resnet56")
    kept = [tensor for tensor in workload.tensors if not tensor.trained]
    assert workload.parameters == 861_770
    assert sum(tensor.shape[0] for tensor in kept) == 4_064
    assert {tensor.name.rpartition(".")[2] for tensor in kept} == {"mean", "variance"}


def test_tensors_of_a_name_may_grow(tmp_path):
    path = tmp_path / "growing" / "workload.toml"
    path.parent.mkdir()
    text = (find_workload("fashion-mlp").folder / "workload.toml").read_text(encoding="utf-8")
    text = text.replace('"hidden.', '"hidden{1..3}.').replace("shape = [128]", "shape = [128]\ngrowth = [32]")
    path.write_text(text, encoding="utf-8")
    shapes = {tensor.name: tensor.shape for tensor in read_workload(path).tensors}
    assert [shapes[f"hidden{number}.bias"] for number in (1, 2, 3)] == [(128,), (160,), (192,)]
    assert shapes["hidden3.kernel"] == (128, 784)
    for wrong in ("[32, 32]", "32", "[0.5]", '["a"]'):
        path.write_text(text.replace("growth = [32]", f"growth = {wrong}"), encoding="utf-8")
        with pytest.raises(UsageError, match="growth of hidden"):
            read_workload(path)


def test_the_layers_of_densenet_121():
    """The published number of trained parameters, with 14 outputs in place of 1,000, and all normalised maps."""
    stated = find_workload("chestxray-densenet121").tensors
    assert sum(prod(tensor.shape) for tensor in stated if tensor.trained) == 6_968_206
    shapes = {tensor.name: tensor.shape for tensor in stated}
    assert shapes["layer6.conv1.kernel"] == (128, 224, 1, 1) and shapes["layer58.norm1.mean"] == (992,)
    assert sum(shape[0] for name, shape in shapes.items() if name.endswith("variance")) == 41_824


def test_numbers_may_be_named_one_by_one():
    """The blocks of ResNet-50 that begin a stage are no range."""
    assert written_out("block{1,4,8..9}.bias") == ["block1.bias", "block4.bias", "block8.bias", "block9.bias"]


def test_the_tensors_of_resnet_50():
    """ResNet-50 v1 as Keras counts it: 25,636,712 parameters, of which 53,120 are running means and variances.

    Without the dense layer and the 53 biases of its convolutions, 23,561,152 are left.
    """
    synthetic, features = find_workload("resnet50-synthetic"), find_workload("resnet50-features")
    kept = [tensor for tensor in synthetic.tensors if not tensor.trained]
    assert synthetic.parameters == 25_636_712
    assert sum(tensor.shape[0] for tensor in kept) == 53_120
    assert len(kept) == 2 * 53
    assert features.parameters == 23_561_152
