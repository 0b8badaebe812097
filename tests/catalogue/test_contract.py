"""Every framework and every cell of framework × workload fulfils the contract; whatever is left out is named."""

import re
import shutil

import pytest

from rosettabench.catalogue.contract import missing, missing_in_adapter, missing_in_implementation, required_methods
from rosettabench.catalogue.framework import all_frameworks, read_entries
from rosettabench.catalogue.roots import worker_folder
from rosettabench.catalogue.workload import Workload, all_workloads, find_workload, read_workload

ADAPTERS = sorted({entry.path for entry in all_frameworks().values()})
NOT_WRITTEN_OUT = 'TENSORS is not a list of Tie("canonical names", …) with the names written out'
RESNET = "resnet50-synthetic has no {}"
CELLS = [(entry, workload) for entry in all_frameworks().values() for workload in all_workloads().values()]


@pytest.mark.parametrize("path", ADAPTERS, ids=lambda path: path.stem)
def test_every_adapter_is_whole(path):
    assert missing_in_adapter(path) == []


@pytest.mark.parametrize(("entry", "workload"), CELLS, ids=lambda part: part.name)
def test_every_cell_is_whole(entry, workload):
    sentences = missing([entry], [workload])
    assert sentences == [], "\n".join(sentences)


def test_a_framework_says_what_users_can_do_about_its_errors():
    hint_on = all_frameworks()["pytorch"].hint_on
    error = "BackendCompilerFailed: backend='inductor'\nImportError: /tmp/one.main.so: file too short"
    assert hint_on(error).endswith("delete it, and try again.")
    assert hint_on(f"RuntimeError: {error}") == hint_on("RuntimeError: file too short") == ""


def test_the_contract_is_that_of_the_worker():
    """The methods that are asked for are read from the base class, those with something in them left out."""
    assert required_methods() >= {"build", "train", "evaluate", "synchronize", "settings"}
    assert not required_methods() & {"parameters", "canonical", "number", "array", "arranged"}


@pytest.fixture
def adapter(tmp_path):
    """Return a function that writes PyTorch's adapter with something replaced, and what is then missing in it."""

    def changed(pattern, replacement):
        source = (worker_folder() / "frameworks" / "pytorch.py").read_text(encoding="utf-8")
        path = tmp_path / "planted.py"
        changed, count = re.subn(pattern, replacement, source, flags=re.MULTILINE)
        assert count == 1
        path.write_text(changed, encoding="utf-8")
        sentences = missing_in_adapter(path)
        assert all(str(path) in sentence for sentence in sentences)
        return sentences

    return changed


@pytest.mark.parametrize("method", sorted(required_methods()))
def test_a_method_left_out_of_an_adapter(adapter, method):
    sentences = adapter(rf"def {method}\(self", f"def not_{method}(self")
    assert [sentence.partition(": ")[2] for sentence in sentences] == [f"Adapter has no method {method}"]


@pytest.mark.parametrize("key", ["title", "modes", "mode", "packages", "locks"])
def test_a_key_left_out_of_a_description(adapter, key):
    [sentence] = adapter(rf'^    "{key}": (\{{\n(        .*\n)+    \}},|.*,)\n', "")
    assert f"DESCRIPTION: {key}: Field required" in sentence


@pytest.mark.parametrize(
    ("pattern", "replacement", "said"),
    [
        (r'^    "mode": "eager"', '    "mode": "eagre"', "'eagre' the mode of planted, which is not one of its modes"),
        (r'^    "title"', '    "tilte"', "tilte: Extra inputs are not permitted"),
        (r'"locks": \[.*\]', '"locks": []', "DESCRIPTION names no lock for planted"),
        (r"^DESCRIPTION = \{", "DESCRIPTION = dict() or {", "DESCRIPTION is not a literal"),
        (r"^DESCRIPTION = ", "DESCRIBED = ", "has no literal DESCRIPTION"),
        (r"^class Adapter", "class Adaptor", "the class Adapter(Framework) is missing"),
        (r"^import torch$", "import torch as", "line 6 is not Python"),
    ],
)
def test_other_mistakes_in_an_adapter(adapter, pattern, replacement, said):
    assert any(said in sentence for sentence in adapter(pattern, replacement))


def test_methods_may_be_inherited_within_the_file(adapter):
    assert adapter(r"^class Adapter\(Framework\):", "class Adapter(Base):\n    pass\n\n\nclass Base(Framework):") == []


@pytest.fixture
def implementation(tmp_path):
    """Return a function that writes a workload in PyTorch with something replaced, and what is then missing in it."""

    def changed(pattern, replacement, name="pytorch", workload="imdb-gru"):
        workload = find_workload(workload)
        source = workload.implementation(name).read_text(encoding="utf-8")
        path = tmp_path / f"{name}.py"
        changed, count = re.subn(pattern, replacement, source, flags=re.MULTILINE)
        assert count == 1
        path.write_text(changed, encoding="utf-8")
        sentences = missing_in_implementation(path, workload)
        assert all(sentence.startswith(str(path)) for sentence in sentences)
        return [sentence.partition(": ")[2] for sentence in sentences]

    return changed


@pytest.mark.parametrize(
    ("pattern", "replacement", "said"),
    [
        (r"^class Model", "class Network", ["Model is not defined"]),
        (r"^def loss", "def criterion", ["loss is not defined"]),
        (r"^def optimizer", "def optimiser", ["optimizer is not defined"]),
        (r"^TENSORS = ", "TIES = ", ["TENSORS is not defined"]),
        (r'^""".*"""$', "", ["the docstring at the top is missing"]),
        (r'^    Tie\("gru.bias".*\n', "", ["TENSORS does not tie gru.bias"]),
        (
            r'Tie\("gru.bias"',
            'Tie("gru.bais"',
            ["TENSORS does not tie gru.bias", "imdb-gru has no tensor gru.bais"],
        ),
        (r'Tie\("gru.bias"', 'Tie("gru.bias gru.kernel"', ["TENSORS ties gru.kernel twice"]),
        (r"^TENSORS = \[", "TENSORS = [tie for tie in []] + [", [NOT_WRITTEN_OUT]),
        (r"^TENSORS = \[", "TENSORS = [\n    tie(),", [NOT_WRITTEN_OUT]),
        (
            r"^class Model",
            "def arrange(inputs):\n    return inputs\n\n\nclass Model",
            [
                "defines arrange, Model, loss, optimizer, TENSORS; "
                "the order is Model, loss, optimizer, TENSORS, and then arrange"
            ],
        ),
        (r"^def loss\(logits, labels\):", "def loss(logits, labels)", ["line 25 is not Python: expected ':'"]),
    ],
)
def test_omissions_in_an_implementation(implementation, pattern, replacement, said):
    assert implementation(pattern, replacement) == said


@pytest.mark.parametrize(
    ("pattern", "replacement", "said"),
    [
        (r"^STATE = ", "KEPT = ", ["STATE is not defined"]),
        (r'^    Tie\("norm.mean".*\n', "", ["STATE does not tie norm.mean"]),
        (
            r'Tie\("norm.mean"',
            'Tie("norm.scale"',
            ["STATE does not tie norm.mean", RESNET.format("kept tensor norm.scale")],
        ),
        (
            r'Tie\("norm.scale"',
            'Tie("norm.mean"',
            ["TENSORS does not tie norm.scale", RESNET.format("tensor norm.mean")],
        ),
        (r"^STATE = \[", "STATE = sorted([]) + [", ["STATE" + NOT_WRITTEN_OUT[len("TENSORS") :]]),
        (r"block\{1\.\.16\}\.norm3\.scale", "block{1..15}.norm3.scale", ["TENSORS does not tie block16.norm3.scale"]),
    ],
)
def test_omissions_where_something_is_kept(implementation, pattern, replacement, said):
    assert implementation(pattern, replacement, workload="resnet50-synthetic") == said


def test_omissions_in_what_is_imported(implementation):
    """cifar-resnet56 and imagenet-resnet56 share a module: what one does not import is not defined, or not tied."""
    assert implementation("import STATE, ", "import ", workload="cifar-resnet56") == ["STATE is not defined"]
    assert implementation(", loss,", ",", workload="cifar-resnet56") == ["loss is not defined"]
    told = implementation(r"^    \*TRUNK_TENSORS,\n", "", workload="cifar-resnet56")
    assert len(told) == 4 + 27 * 8 + 4
    assert told[0] == "TENSORS does not tie stem.kernel"
    assert implementation(r"\*TRUNK_TENSORS", "*TIES", workload="cifar-resnet56") == [NOT_WRITTEN_OUT]


def test_who_forecasts_draws_samples_and_nobody_else(implementation):
    assert implementation(r"^def sample\(", "def draw(", workload="deepar-monash") == ["sample is not defined"]
    told = implementation(r"^def loss\(", "def sample(model):\n    return model\n\n\ndef loss(")
    assert told == ["defines sample, and imdb-gru forecasts nothing"]


def test_a_penalty_has_its_place(implementation):
    [sentence] = implementation(r"^def loss", "def penalty(model):\n    return 0.0\n\n\ndef loss")
    assert sentence.startswith("defines Model, penalty, loss, optimizer")


def test_helpers_between_are_welcome(implementation):
    assert implementation(r"^TENSORS = \[", "SIZE = 3\n\n\ndef helper():\n    return SIZE\n\n\nTENSORS = [") == []


def test_joined_names_are_read_one_by_one(implementation):
    told = implementation(r'"gru.bias gru.recurrent_bias"', '"gru.bias"', name="keras")
    assert told == ["TENSORS does not tie gru.recurrent_bias"]


def test_a_missing_cell_is_named_with_its_file(tmp_path):
    folder = tmp_path / "new_workload"
    folder.mkdir()
    shutil.copy(find_workload("fashion-mlp").folder / "workload.toml", folder)
    entries = [all_frameworks()["pytorch"], all_frameworks()["reference-pytorch"]]
    assert missing(entries, [read_workload(folder / "workload.toml")]) == [
        f"{folder / 'pytorch.py'} is missing: new-workload is not written in pytorch",
        f"{folder / 'reference_pytorch.py'} is missing: new-workload is not written in reference-pytorch",
    ]


def test_a_cell_that_a_workload_says_is_absent_is_not_missing_and_must_not_be_there(tmp_path, monkeypatch):
    folder = tmp_path / "new_workload"
    folder.mkdir()
    text = (find_workload("fashion-mlp").folder / "workload.toml").read_text(encoding="utf-8")
    absent = text.replace("[absent]\n", '[absent]\npytorch = "nobody wanted it"\n')
    (folder / "workload.toml").write_text(absent, encoding="utf-8")
    entries, workload = [all_frameworks()["pytorch"]], read_workload(folder / "workload.toml")
    assert missing(entries, [workload]) == []
    path = find_workload("fashion-mlp").implementation("pytorch")
    monkeypatch.setattr(type(workload), "implementation", lambda self, name, release=None: path)
    assert missing(entries, [workload]) == [f"{path} is there, and new-workload says that it is not written in pytorch"]


def test_a_reference_needs_its_formulas(tmp_path, monkeypatch):
    workload, reference = find_workload("fashion-mlp"), all_frameworks()["reference-pytorch"]
    path = tmp_path / "reference_pytorch.py"
    path.write_text('"""Formulas."""\n\n\ndef backward(w, images): ...\n')
    monkeypatch.setattr(type(workload), "implementation", lambda self, name, release=None: path)
    assert missing([reference], [workload])[-1] == f"{path}: the function forward(w, inputs) is missing"


def test_back_ends_are_checked_one_by_one(tmp_path):
    source = (worker_folder() / "frameworks" / "keras.py").read_text(encoding="utf-8")
    (tmp_path / "keras.py").write_text(re.sub(r'"locks": \["keras.*\]', '"locks": []', source))
    assert any("no lock for keras[tensorflow]" in sentence for sentence in missing_in_adapter(tmp_path / "keras.py"))
    assert next(entry.backend for entry in read_entries(tmp_path / "keras.py")) == "tensorflow"


def test_a_release_with_a_file_of_its_own_keeps_the_contract(tmp_path):
    folder = tmp_path / "fashion_mlp"
    shutil.copytree(find_workload("fashion-mlp").folder, folder)
    own = folder / "pytorch@1.0.0.py"
    own.write_text((folder / "pytorch.py").read_text(encoding="utf-8").replace("def loss", "def lost"))
    entry = all_frameworks()["pytorch"]
    workload = InFolder(**{**read_workload(folder / "workload.toml").model_dump(), "name": "fashion-mlp"})
    assert missing([entry], [workload]) == [f"{own}: loss is not defined"]


class InFolder(Workload):
    """A workload whose implementations lie in its own folder, not in the catalogue's."""

    def implementation(self, framework, release=None):
        own = self.folder / f"{framework}@{release}.py"
        return own if own.is_file() else self.folder / f"{framework}.py"


def test_releases_and_modes_that_nobody_has(tmp_path):
    stated = find_workload("fashion-mlp").model_dump()
    absent = {"pytorch@0.9": "too old", "pytorch@1.0.0": "too old", "pytorch:tund": "no", "pytorch:tuned": "no"}
    workload = Workload(**{**stated, "absent": absent})
    release, mode = missing([all_frameworks()["pytorch"]], [workload])
    assert release.endswith("absent names pytorch@0.9: not a release of it")
    assert mode.endswith("absent names pytorch:tund: not a mode of it")
    source = (worker_folder() / "frameworks" / "pytorch.py").read_text(encoding="utf-8")
    for old, new in (('"pytorch@1.0.0": {', '"pytorch@0.9": {'), ('"tuned": "torch.comp', '"tund": "torch.comp')):
        assert old in source
        (tmp_path / "pytorch.py").write_text(source.replace(old, new))
        told = missing_in_adapter(tmp_path / "pytorch.py")
        assert any("which is not a lock or a mode of pytorch" in sentence for sentence in told)
