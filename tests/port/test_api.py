"""The laboratory from Python."""

import subprocess
import sys

import pytest
from folders import new_folder

import rosettabench
from rosettabench.catalogue.suite import Stopping
from rosettabench.errors import UsageError

pytestmark = pytest.mark.environment


def test_to_import_it_imports_nothing_heavy():
    program = "import sys, rosettabench; print(sorted({'numpy', 'pydantic', 'sqlalchemy'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "[]"
    with pytest.raises(AttributeError):
        rosettabench.nothing  # noqa: B018


@pytest.mark.slow
def test_a_folder_is_proven_and_run(tmp_path):
    new_folder(tmp_path / "net", None, "jax")
    store = f"sqlite:///{tmp_path}/results.sqlite"
    proofs = rosettabench.prove(tmp_path / "net", store=store)
    assert proofs.proven
    assert proofs.causes == {}
    assert set(proofs.entries) == {("net", "pytorch"), ("net", "jax")}
    found = rosettabench.run(
        tmp_path / "net", store=store, control=False, stopping=Stopping(rounds=(8, 8), processes=1)
    )
    assert {entry.rank for _, entry in found.entries.items()} <= {1, 2}
    for entry in found.entries.values():
        [last] = entry.metrics
        assert last.metric == "accuracy"
        assert 0 <= last.value <= 1
    assert found._repr_html_().startswith("<iframe")
    assert found.save(tmp_path / "run.json").read_text().startswith("{")
    with pytest.raises(UsageError):
        found.save(tmp_path / "run.txt")


@pytest.mark.slow
def test_what_is_not_equal_is_told_with_its_cause(tmp_path):
    new_folder(tmp_path / "net", None, "jax")
    path = tmp_path / "net" / "jax.py"
    path.write_text(path.read_text().replace("nnx.relu", "nnx.silu"))
    proofs = rosettabench.prove(tmp_path / "net", frameworks=["jax"], store=f"sqlite:///{tmp_path}/results.sqlite")
    assert not proofs.proven
    [cause] = proofs.causes.values()
    assert "SiLU (swish) where ReLU is meant" in cause


def test_bad_names():
    for call in (rosettabench.prove, rosettabench.run):
        with pytest.raises(UsageError):
            call()
        with pytest.raises(UsageError):
            call("./nowhere")
        with pytest.raises(UsageError):
            call("fashion-mlp", axes={"batchsize": 3})
