"""R files are read as far as they must be: what is defined in them, in which order, and which tensors they tie."""

import pytest

from rosettabench.catalogue.alignment import align_definitions
from rosettabench.catalogue.contract import missing_in_implementation
from rosettabench.catalogue.implementation import implementations
from rosettabench.catalogue.r_source import definitions, tied_names
from rosettabench.catalogue.workload import find_workload

VGG = find_workload("cifar-vgg")
SOURCE = VGG.implementation("r-keras").read_text(encoding="utf-8")


def test_every_line_is_in_one_definition():
    parts = definitions(SOURCE)
    assert list(parts) == ["docstring", "Model", "loss", "optimizer", "TENSORS", "arrange"]
    lines = [line for text in parts.values() for line in text.splitlines() if line]
    assert lines == [line for line in SOURCE.splitlines() if line]
    assert parts["loss"].startswith("loss <- function(logits, labels) {") and parts["loss"].endswith("}")


def test_what_stands_above_a_definition_belongs_to_it():
    parts = definitions("# a file\n\n# of one\none <- 1\n  two <- 2\n\n# of three\nthree <- function() {\n}\n")
    assert parts == {
        "docstring": "# a file",
        "one": "# of one\none <- 1\n  two <- 2",
        "three": "# of three\nthree <- function() {\n}",
    }


def test_ties_are_read_with_their_ranges():
    assert tied_names('T <- list(\n  Tie("a{1..2}.b c", "x"),\n  Tie(\n    "d", "y")\n)\n', "T") == [
        "a1.b",
        "a2.b",
        "c",
        "d",
    ]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("Model <- ", "Network <- ", "Model is not defined"),
        ("# cifar-vgg in", "cifar-vgg in", "the comment at the top is missing"),
        ('Tie("conv1.bias"', 'Tie("conv1.bais"', "TENSORS does not tie conv1.bias"),
        ("optimizer <- ", "optimiser <- ", "optimizer is not defined"),
    ],
)
def test_what_an_implementation_in_r_lacks(old, new, said, tmp_path):
    path = tmp_path / "r_keras.R"
    path.write_text(SOURCE, encoding="utf-8")
    assert missing_in_implementation(path, VGG) == []
    assert old in SOURCE
    path.write_text(SOURCE.replace(old, new), encoding="utf-8")
    assert any(said in sentence for sentence in missing_in_implementation(path, VGG))


def test_it_stands_beside_python():
    columns = {label: one.definitions() for label, one in implementations(VGG, ["pytorch", "r-keras"]).items()}
    both = [name for name, row in align_definitions(columns).items() if len(row) > 1]
    assert both == ["docstring", "Model", "loss", "optimizer", "TENSORS"]
