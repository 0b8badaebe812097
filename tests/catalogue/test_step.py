"""The training step of an adapter: what its file needs to train, and no more."""

import ast

import pytest

from rosettabench.catalogue.framework import all_frameworks, competing_frameworks, find_framework
from rosettabench.catalogue.implementation import implementations
from rosettabench.catalogue.step import CALLS, step_of
from rosettabench.catalogue.workload import all_workloads

IN_PYTHON = [entry for entry in all_frameworks().values() if entry.program is None and not entry.borrows]


def test_the_step_of_pytorch():
    rows = step_of(find_framework("pytorch")).rows
    assert next(iter(rows)) == "Adapter.build"
    assert {"Adapter.train", "Adapter.update", "Adapter.make_optimizer", "Adapter.load", "fused"} <= set(rows)
    assert rows["Adapter.update"].startswith("def update(self):\n"), "not indented"
    left_out = {"Adapter.evaluate", "Adapter.profile", "Adapter.copies", "Adapter.settings", "copier", "import"}
    assert not left_out & set(rows)


def test_what_a_method_of_the_base_class_calls_is_reached():
    assert "Adapter.set" in step_of(find_framework("pytorch")).rows, "by set_parameters"
    assert "Adapter.batch" in step_of(find_framework("keras[jax]")).rows, "by super().feed"


@pytest.mark.parametrize("entry", IN_PYTHON, ids=lambda entry: entry.name)
def test_every_adapter_has_a_step_that_is_python(entry):
    step = step_of(entry)
    assert {"Adapter.build", "Adapter.load"} <= set(step.rows)
    assert ("Adapter.train" in step.rows) == (entry.exported is None)
    for text in [*step.rows.values(), *step.module.values()]:
        ast.parse(text)
    written = entry.path.read_text(encoding="utf-8").splitlines()
    assert {line for text in step.module.values() for line in text.splitlines()} <= {*written, ""}
    methods = {
        node.name for node in ast.parse(step.module["Adapter"]).body[0].body if isinstance(node, ast.FunctionDef)
    }
    assert methods & {*CALLS, "evaluate", "profile"} <= {*CALLS}


def test_the_step_in_r_has_the_same_rows():
    rows = step_of(find_framework("r-keras")).rows
    assert next(iter(rows)) == "Adapter.build"
    assert rows["Adapter.load"].startswith("answers$data <- function(part, labels")
    assert "train_on_batch" in rows["step"]
    assert "linger" not in rows and "differentiate" not in rows


@pytest.mark.slow
def test_a_notebook_defines_no_name_twice():
    """Implementation and step share one namespace there."""
    names = [name for name, entry in competing_frameworks().items() if entry.program is None and entry.exported is None]
    for workload in all_workloads().values():
        written = implementations(workload, [name for name in names if competing_frameworks()[name].does(workload)])
        for label, one in written.items():
            both = {*one.definitions()} & {*step_of(one.framework).module} - {"import"}
            assert not both, f"{workload.name} in {label}"
