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
    stated = find_workload(variant.variant_of)
    for part in ("data", "loss", "optimizer", "training", "study"):
        assert getattr(variant, part) == getattr(stated, part)
    varied = ("tensors", "inference", "normalisation")
    assert [getattr(variant, part) for part in varied] != [getattr(stated, part) for part in varied]


def test_the_name_of_its_folder_says_what_it_varies(tmp_path):
    folder = shutil.copytree(find_workload("imdb-gru:reset-before").folder, tmp_path / "gru_of_cho")
    with pytest.raises(UsageError, match=r"the folder of a variant of imdb-gru is named imdb_gru_…"):
        read_workload(folder / "workload.toml")
    folder = folder.rename(tmp_path / "imdb_gru_of_cho")
    assert read_workload(folder / "workload.toml").name == "imdb-gru:of-cho"
