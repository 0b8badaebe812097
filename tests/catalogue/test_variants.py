"""A variant is a workload of its own: its name says whose variant it is, and it states what is different."""

import shutil

import pytest

from rosettabench.catalogue.workload import all_workloads, find_workload, read_workload
from rosettabench.errors import UsageError
from rosettabench.plan.plan import make_plan
from rosettabench.plan.request import RunRequest

VARIANTS = [workload for workload in all_workloads().values() if workload.variant_of]


def test_a_variant_is_found_by_its_name():
    variant, stated = find_workload("imdb-gru:reset-before"), find_workload("imdb-gru")
    assert variant.folder.name == "imdb_gru_reset_before"
    assert {one.name for one in stated.tensors} - {one.name for one in variant.tensors} == {"gru.recurrent_bias"}
    assert variant.implementation("pytorch") is None and "reset after" in variant.absent["pytorch"]


def test_who_cannot_do_it_says_why():
    with pytest.raises(UsageError, match=r"nothing to run: pytorch has no .*reset-before: nn\.GRU and .* reset after"):
        make_plan(RunRequest(workloads=("imdb-gru:reset-before",), contenders=("pytorch",)))


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda one: one.name)
def test_a_variant_does_the_rest_of_the_work_as_it_is_stated(variant):
    """The larger GPT differs in its size alone: that of its batches, its windows and its network."""
    stated = find_workload(variant.variant_of)
    learned = () if variant.inference and not stated.inference else ("loss", "optimizer")
    sizes = () if variant.name == "shakespeare-gpt:gpu" else ("data", "training")
    for part in ("study", *learned, *(sizes if learned else sizes[:1])):
        assert getattr(variant, part) == getattr(stated, part)
    assert variant.data.set == stated.data.set
    varied = ("tensors", "inference", "normalisation")
    assert [getattr(variant, part) for part in varied] != [getattr(stated, part) for part in varied]


def test_the_name_of_its_folder_says_what_it_varies(tmp_path):
    folder = shutil.copytree(find_workload("imdb-gru:reset-before").folder, tmp_path / "gru_of_cho")
    with pytest.raises(UsageError, match=r"the folder of a variant of imdb-gru is named imdb_gru_…"):
        read_workload(folder / "workload.toml")
    folder = folder.rename(tmp_path / "imdb_gru_of_cho")
    assert read_workload(folder / "workload.toml").name == "imdb-gru:of-cho"


def test_a_variant_without_files_has_those_of_the_workload_that_it_varies():
    """Of both kinds apart: normalisation by halves has references of its own, and no implementation."""
    halves, stated = find_workload("cifar-resnet56:halves"), find_workload("cifar-resnet56")
    assert halves.implementation("jax") == stated.implementation("jax")
    assert halves.borrows(halves.implementation("jax")) and not stated.borrows(stated.implementation("jax"))
    assert [path.parent for path in halves.formulas] == 2 * [halves.folder]
    assert halves.implementation("reference-jax").parent == halves.folder
    forward, stated = find_workload("cifar-vit:forward"), find_workload("cifar-vit")
    assert forward.formulas == stated.formulas
    assert forward.implementation("reference-jax") == stated.implementation("reference-jax")


def test_it_has_no_file_of_frameworks_that_it_says_it_is_absent_in():
    halves = find_workload("cifar-resnet56:halves")
    assert "mlx" in halves.absent and find_workload("cifar-resnet56").implementation("mlx") is not None
    assert halves.implementation("mlx") is None


def test_a_variant_with_an_implementation_has_no_other_ones(tmp_path):
    """Its model is another function: a framework in which it is not written must not run the varied workload's."""
    reset, stated = find_workload("imdb-gru:reset-before"), find_workload("imdb-gru")
    folder = shutil.copytree(reset.folder, tmp_path / "imdb_gru_reset_before")
    shutil.copytree(stated.folder, tmp_path / "imdb_gru")
    (folder / "jax.py").unlink()
    assert read_workload(folder / "workload.toml").implementation("jax") is None


def test_a_variant_that_infers_learns_nothing():
    forward = find_workload("cifar-vit:forward")
    assert forward.inference is not None and forward.batch_size == 128
    assert (forward.loss, forward.optimizer, forward.training, forward.metric, forward.schedule) == (None,) * 5
