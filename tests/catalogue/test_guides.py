"""The guides show what the files hold."""

import ast
import re
from pathlib import Path

from rosettabench.catalogue.contract import ORDER, required_methods
from rosettabench.catalogue.framework import all_frameworks, read_description
from rosettabench.catalogue.workload import find_workload, read_workload
from rosettabench.proof.weights import INITIALISERS

DOCS = Path(__file__).parents[2] / "docs"


def blocks(guide, language):
    """Return the blocks of code of a language in a guide."""
    return re.findall(rf"```{language}\n(.*?)```", (DOCS / guide).read_text(encoding="utf-8"), flags=re.DOTALL)


def test_the_statement_of_the_guide_is_that_of_fashion_mlp(tmp_path):
    [statement] = blocks("guide/adding-a-workload.md", "toml")
    (tmp_path / "fashion_mlp").mkdir()
    (tmp_path / "fashion_mlp" / "workload.toml").write_text(statement, encoding="utf-8")
    shown, real = read_workload(tmp_path / "fashion_mlp" / "workload.toml"), find_workload("fashion-mlp")
    for part in ("title", "study", "data", "loss", "optimizer", "training", "metric"):
        assert getattr(shown, part) == getattr(real, part)
    assert shown.tensors == real.tensors[:1]


def test_the_initialisers_of_the_guide_are_all_there_are():
    [names] = re.findall(r"init = .*# (.*)", blocks("guide/adding-a-workload.md", "toml")[0])
    assert set(re.split(r", | or ", names)) == set(INITIALISERS)


def test_the_description_of_the_guide_is_pytorchs(tmp_path):
    [description] = blocks("guide/adding-a-framework.md", "python")
    (tmp_path / "shown.py").write_text(description, encoding="utf-8")
    assert read_description(tmp_path / "shown.py") == read_description(all_frameworks()["pytorch"].path)


def test_the_guide_names_every_method():
    rows = re.findall(
        r"^\| (`.*?`) \|", (DOCS / "guide" / "adding-a-framework.md").read_text(encoding="utf-8"), flags=re.MULTILINE
    )
    assert required_methods() <= {name for row in rows for name in re.findall(r"`(\w+)`", row)}


def test_the_implementation_of_the_guide_has_the_contracts_order():
    [source] = blocks("guide/adding-a-workload.md", "python")
    names = [statement.name for statement in ast.parse(source).body if hasattr(statement, "name")]
    assert (*names, "TENSORS") == ORDER
