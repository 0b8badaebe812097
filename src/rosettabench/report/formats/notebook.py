"""A Jupyter notebook that trains a workload in one framework, with its implementation and its training step.

It reads two files beside it: one with arrays, the weights and the batches, and WORKER, the part of Rosettabench that
model and step import. The format is nbformat 4.5: https://nbformat.readthedocs.io/en/latest/format_description.html
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
"""The file beside a notebook with the worker's package, which Python can import directly."""

WEIGHTS = "weights/"
"""The prefix of weights in the file of arrays. The others are inputs, labels and batches."""

CELL = re.compile(r"^# %% (markdown|code)\n", re.MULTILINE)
"""The line that begins a cell in the template, and states its kind."""


def render_notebook(
    workload: Workload, written: Implementation, setting: Setting, arrays: str, steps: int, data: str
) -> bytes:
    """Return the file of a notebook that trains a workload as it is `written`, in the framework's default mode.

    `arrays` is the name of the file with weights and batches, `steps` the number of batches in it, and `data` a
    sentence on their origin. The adapter's imports precede those of the model, as in a worker.
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
    """Return a cell in the form of the file."""
    source = text.strip("\n").splitlines(keepends=True)
    cell = {"cell_type": kind, "id": f"cell-{number // 2}", "metadata": {}, "source": source}
    return cell | ({"execution_count": None, "outputs": []} if kind == "code" else {})
