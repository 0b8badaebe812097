"""ONNX Runtime and OpenVINO infer what PyTorch exports: proven as all others are, and mistakes are caught."""

from dataclasses import replace

import pytest
from laboratory import environment, open_session, proof_of, proven, reference, small_work, tamper
from smaller import Altered

from rosettabench.catalogue.contender import parse_contender
from rosettabench.catalogue.framework import FrameworkEntry, all_frameworks, competing_frameworks
from rosettabench.catalogue.shared import shared_files
from rosettabench.catalogue.workload import Workload, find_workload
from rosettabench.cli.show import show
from rosettabench.errors import UsageError
from rosettabench.plan.own import own_contenders
from rosettabench.plan.plan import why_missing
from rosettabench.proof.certificate import files_of

ROWS = [name for name, entry in competing_frameworks().items() if entry.exported]
FEATURES = find_workload("resnet50-features")


@pytest.fixture
def own_work(inferring, tmp_path):
    """The work of a small GPT, and its reference."""
    from folders import own_work as work_of

    work = work_of(inferring, tmp_path / "work")
    return work, reference(work, tmp_path / "reference", "original-pytorch")


def test_they_do_what_infers_and_say_why_not_the_rest():
    assert ROWS == ["onnxruntime", "openvino"]
    for name in ROWS:
        assert why_missing(FEATURES, parse_contender(name)) is None
        assert why_missing(find_workload("fashion-mlp"), parse_contender(name)) == (
            f"{name} only infers, and fashion-mlp trains"
        )


def test_they_have_no_file_to_show():
    with pytest.raises(UsageError, match="runs what is exported of pytorch"):
        show("resnet50-features", ["onnxruntime"])


def test_the_step_that_is_exported_can_be_shown(capsys):
    show("gpt-decode", ["pytorch", "onnxruntime"])
    assert "def forward(self, ids, caches):" in capsys.readouterr().out


def test_a_certificate_is_bound_to_the_program_and_the_environment_that_export(monkeypatch):
    entry = competing_frameworks()["onnxruntime"]
    before, pytorch = files_of(FEATURES, entry), files_of(FEATURES, competing_frameworks()["pytorch"])
    other = entry.model_copy(update={"exported": entry.exported.model_copy(update={"lock": "pytorch@2.13.0"})})
    assert files_of(FEATURES, other)["entry"] != before["entry"]
    assert before["implementation"] == pytorch["implementation"]
    monkeypatch.setattr("rosettabench.proof.certificate.PROGRAM", "carry.py")
    assert files_of(FEATURES, entry)["worker"] != before["worker"]
    assert files_of(FEATURES, competing_frameworks()["pytorch"]) == pytorch


@pytest.mark.slow
@pytest.mark.environment
def test_a_folder_that_infers_is_proven_where_they_are_named(inferring, command):
    assert own_contenders([str(inferring.folder)]) == ("pytorch",)
    code, out, err = command("prove", "./my-gpt", "-f", "pytorch,onnxruntime,openvino")
    assert code == 0, (out, err)
    for name in ROWS:
        assert f"my-gpt · {name} (compiled) · equal work, proven" in out


EPSILON = ("nn.LayerNorm(width)", "nn.LayerNorm(width, eps=1e-2)")
ONE, OTHER = "blocks.0.out.weight", "blocks.1.out.weight"
SWAPPED = ("set(own, array)", f"set({{{ONE!r}: {OTHER!r}, {OTHER!r}: {ONE!r}}}.get(own, own), array)")


@pytest.mark.slow
@pytest.mark.environment
@pytest.mark.parametrize("framework", ROWS)
@pytest.mark.parametrize(
    ("model", "adapter", "diverges"),
    [
        ((EPSILON,), (), "outputs"),
        ((), (SWAPPED,), "outputs"),
        ((), (("for batch in batches", "for batch in list(batches)[:2]"),), "samples"),
    ],
    ids=["another epsilon", "swapped weights", "no partial batch"],
)
def test_a_mistake_is_caught(framework, model, adapter, diverges, own_work, tmp_path):
    work, exact = own_work
    planted, entry = plant(work, competing_frameworks()[framework], model, adapter, tmp_path)
    proof, _ = proven(entry, entry.mode, planted, exact, tmp_path / "planted")
    failed = [check for check in proof.checks if not check.passed]
    assert [check.quantity for check in failed] == [diverges]


@pytest.mark.slow
@pytest.mark.environment
def test_openvino_in_bfloat16_is_caught_or_does_not_compute_in_it(own_work, tmp_path):
    """Processors without bfloat16 ignore the hint: what is read back says which of both this one is."""
    work, exact = own_work
    hint = (('PRECISION: "f32"', 'PRECISION: "bf16"'),)
    planted, entry = plant(work, competing_frameworks()["openvino"], (), hint, tmp_path)
    proof, settings = proven(entry, entry.mode, planted, exact, tmp_path / "planted")
    assert settings["precision"] == "float32"
    assert proof.passed == (settings["autocast"] is False)
    assert ("bf16" in settings["computed_in"]) == (settings["autocast"] == "bfloat16")


@pytest.mark.slow
@pytest.mark.environment
def test_a_session_that_is_not_optimised_is_told(own_work, tmp_path):
    work, exact = own_work
    level = "onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL"
    slow = (
        (
            "        return onnxruntime.Inf",
            f"        options.graph_optimization_level = {level}\n        return onnxruntime.Inf",
        ),
    )
    planted, entry = plant(work, competing_frameworks()["onnxruntime"], (), slow, tmp_path)
    session = open_session(entry, entry.mode, environment(entry.locks[0]), planted, tmp_path / "session")
    try:
        assert proof_of(session, exact, tmp_path / "proof").passed
        assert session.settings()["mode"] == "eager"
    finally:
        session.process.close()


@pytest.fixture(scope="module")
def writing(tmp_path_factory):
    """The work of gpt-decode at a small batch, and its reference."""
    folder = tmp_path_factory.mktemp("writing")
    work = small_work("gpt-decode", folder / "work")
    return work, reference(work, folder / "reference")


FORGOTTEN = """found = self.session.run(None, inputs)
        return found[:1] + [inputs[name] for name in self.implementation.CACHES]"""


@pytest.mark.slow
@pytest.mark.environment
@pytest.mark.parametrize(
    ("model", "adapter"),
    [
        ((("<= places[:, None]", "<= places[:, None] + 1"),), ()),
        ((("grown += [keys, values]", "grown += [values, keys]"),), ()),
        ((("F.gelu(", 'F.gelu(approximate="tanh", input='),), ()),
        ((), (("return self.session.run(None, inputs)", FORGOTTEN),)),
    ],
    ids=["the next character is seen", "caches that are exchanged", "tanh for erf", "caches that stay empty"],
)
def test_a_mistake_of_a_model_that_writes_is_caught(model, adapter, writing, tmp_path):
    work, exact = writing
    planted, entry = plant(work, competing_frameworks()["onnxruntime"], model, adapter, tmp_path)
    proof, _ = proven(entry, entry.mode, planted, exact, tmp_path / "planted")
    assert [check.quantity for check in proof.checks if not check.passed] == ["outputs"]


def test_a_model_that_writes_is_exported_from_a_file_of_its_own():
    entry = competing_frameworks()["onnxruntime"]
    for name in ("gpt-decode", "gpt-decode:prefill", "gpt-decode:short"):
        assert entry.file_of(find_workload(name)).name == "pytorch_onnx.py"
        assert competing_frameworks()["pytorch"].file_of(find_workload(name)).name == "pytorch.py"
    assert entry.file_of(FEATURES).name == "pytorch.py"
    shared = {f"{path.parent.name}/{path.name}" for path in shared_files(entry.file_of(find_workload("gpt-decode")))}
    assert shared == {"gpt/pytorch_onnx.py", "gpt/pytorch.py"}, "with what the module of the step imports"


def plant(work, entry: FrameworkEntry, model, adapter, folder):
    """Return work and framework with mistakes planted in the model that is exported, or in the adapter."""
    source = entry.file_of(work.workload)
    altered = {source.stem.replace("_", "-"): tamper(source, model, folder / "tampered" / source.name)}
    path = tamper(entry.path, adapter, folder / "adapters" / entry.path.name)
    stated = work.workload.model_dump(include=set(Workload.model_fields))
    return replace(work, workload=Altered(**stated, altered=altered)), entry.model_copy(update={"path": path})


def test_no_other_framework_is_exported_by_another_lock():
    locks = {entry.exported.lock for entry in all_frameworks().values() if entry.exported}
    assert locks == {"pytorch-onnx@2.13.0"}
