"""A Jupyter notebook that trains a workload in one framework: its implementation and its step, written out.

It reads two files beside it: one of arrays, the weights and the batches, and WORKER, what model and step import of
Rosettabench. The format is nbformat 4.5: https://nbformat.readthedocs.io/en/latest/format_description.html
"""

from __future__ import annotations

import json
import re

from rosettabench.catalogue.contract import PLACES
from rosettabench.catalogue.implementation import Implementation
from rosettabench.catalogue.step import step_of
from rosettabench.catalogue.workload import Workload
from rosettabench.environments.lock import load_lock
from rosettabench.plan.setting import Setting

WORKER = "rosetta_worker.zip"
"""File beside a notebook with the worker's package, from which Python imports as from a folder."""

WEIGHTS = "weights/"
"""What the names of weights in the file of arrays begin with; the others are inputs, labels and batches."""

CELL = re.compile(r"^# %% (markdown|code)\n", re.MULTILINE)
"""What begins a cell in the template, and says of which kind it is."""


def render_notebook(
    workload: Workload, written: Implementation, setting: Setting, arrays: str, steps: int, data: str
) -> bytes:
    """Return a notebook that trains a workload as it is `written`, in the framework's own mode, as a file.

    `arrays` names the file with weights and batches, `steps` says how many batches are in it, and `data` where they
    come from. What the adapter imports comes before what the model does, as in a worker.
    """
    from rosettabench.report.formats.html import environment

    framework, model = written.framework, written.definitions()
    text = (
        environment()
        .get_template("notebook.j2")
        .render(
            workload=workload,
            framework=framework,
            said=model.pop("docstring", "").strip('"'),
            model=model,
            parts=[name for name in PLACES if name in model],
            step=step_of(framework).module,
            setting=setting,
            modes=[mode for mode in framework.modes_in(written.lock) if mode != framework.mode],
            lock=load_lock(written.lock),
            arrays=arrays,
            steps=steps,
            data=data,
            worker=WORKER,
            weights=WEIGHTS,
        )
    )
    _, *parts = CELL.split(text)
    notebook = {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {
            "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
            "language_info": {"name": "python"},
        },
        "cells": [as_cell(number, *parts[number : number + 2]) for number in range(0, len(parts), 2)],
    }
    return (json.dumps(notebook, indent=1, ensure_ascii=False) + "\n").encode()


def as_cell(number: int, kind: str, text: str) -> dict[str, object]:
    """Return a cell as it stands in the file."""
    source = text.strip("\n").splitlines(keepends=True)
    cell = {"cell_type": kind, "id": f"cell-{number // 2}", "metadata": {}, "source": source}
    return cell | ({"execution_count": None, "outputs": []} if kind == "code" else {})
