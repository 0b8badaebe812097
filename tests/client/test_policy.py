"""The environment variables of a worker: what the laboratory sets, and what the user's own say."""

import pytest

from rosettabench.client.machine import SHARED_GPU, decisive_variables, worker_variables


@pytest.mark.parametrize("name", SHARED_GPU)
def test_a_worker_leaves_memory_of_a_gpu_to_others_unless_the_user_says_otherwise(name, monkeypatch, tmp_path):
    monkeypatch.delenv(name, raising=False)
    assert worker_variables(1, None, True, tmp_path)[name] == SHARED_GPU[name]
    assert name not in decisive_variables({}), "what the laboratory sets by itself changes no certificate"
    monkeypatch.setenv(name, "1")
    assert worker_variables(1, None, True, tmp_path)[name] == "1"
    assert decisive_variables({name: "1"}) == {name: "1"}


def test_what_a_container_says_of_itself_is_not_decisive():
    image = {"CUDA_VERSION": "13.0.2", "NVIDIA_REQUIRE_CUDA": "cuda>=13.0 brand=tesla,driver>=535,driver<536"}
    chosen = {"CUDA_VISIBLE_DEVICES": "1", "NVIDIA_TF32_OVERRIDE": "0"}
    assert decisive_variables({**image, **chosen}) == chosen


@pytest.mark.parametrize(
    "name",
    ["TF_TOKEN_app_terraform_io", "TF_VAR_db_password", "TF_CLI_CONFIG_FILE", "NVIDIA_API_KEY", "MXNET_STORE_PASSWORD"],
)
def test_neither_a_secret_nor_a_variable_of_terraform_is_published(name):
    chosen = {"TF_DATA_EXPERIMENT_OPT_IN": "all", "TF_ENABLE_ONEDNN_OPTS": "0", "TF_XLA_FLAGS": "--tf_xla_auto_jit=2"}
    assert decisive_variables({name: "x", **chosen}) == chosen
