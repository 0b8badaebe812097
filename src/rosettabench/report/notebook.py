"""A Jupyter notebook that trains a workload in one framework: its implementation and its step, written out.

It reads two files beside it: ARRAYS, the weights and the batches, and WORKER, what model and step import of
Rosettabench. The format is nbformat 4.5: https://nbformat.readthedocs.io/en/latest/format_description.html
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from textwrap import dedent

from rosettabench.catalogue.contract import PLACES
from rosettabench.catalogue.framework import FrameworkEntry
from rosettabench.catalogue.implementation import Implementation
from rosettabench.catalogue.step import step_of
from rosettabench.catalogue.workload import Workload
from rosettabench.environments.lock import load_lock
from rosettabench.plan.setting import Setting

WORKER = "rosetta_worker.zip"
"""File beside a notebook with the worker's package, from which Python imports as from a folder."""

WEIGHTS = "weights/"
"""What the names of weights in the file of arrays begin with; the others are inputs, labels and batches."""

Cell = tuple[str, str]
"""The kind of a cell, ``markdown`` or ``code``, and its text."""


@dataclass(frozen=True)
class Notebook:
    """What a notebook trains, with the setting's seed and batch size.

    `arrays` is the name of the file with weights and batches, `steps` how many batches are in it, and `data` says where
    they come from.
    """

    workload: Workload
    written: Implementation
    setting: Setting
    arrays: str
    steps: int
    data: str

    @property
    def framework(self) -> FrameworkEntry:
        """The framework that it trains in."""
        return self.written.framework

    def render(self) -> bytes:
        """Return the notebook as a file."""
        written = {
            "nbformat": 4,
            "nbformat_minor": 5,
            "metadata": {
                "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
                "language_info": {"name": "python"},
            },
            "cells": [as_json(number, kind, text) for number, (kind, text) in enumerate(self.cells())],
        }
        return (json.dumps(written, indent=1, ensure_ascii=False) + "\n").encode()

    def cells(self) -> Iterator[Cell]:
        """Yield the cells."""
        step, model = dict(step_of(self.framework).module), self.written.definitions()
        yield "markdown", self.introduction()
        yield "code", self.first_cell()
        yield "code", step.pop("import")  # before those of the model, as in a worker
        said = model.pop("docstring", "").strip('"')
        yield "markdown", f"## The model\n\n{said}"
        yield from definition_cells(model)
        yield "markdown", f"## The training step\n\n{STEP.format(title=self.framework.title)}"
        yield from definition_cells(step)
        yield "markdown", f"## Training\n\n{SAME_START}"
        yield "code", self.preparation()
        yield "code", TRAINING.format(switch=NO_DROPOUT if self.workload.dropout else "")

    def introduction(self) -> str:
        """Return what the notebook is, on which data, and where it runs."""
        dropout = (
            "\n\nIts dropout is off here, as in the proof: each framework draws it by itself. To train with it, leave "
            "out `framework.dropout = False`."
        )
        lock = load_lock(self.written.lock)
        return (
            f"# {self.workload.name} in {self.framework.title}\n\n{self.workload.summary}\n\n"
            f"It takes the first {self.steps} training steps of `rosetta run {self.workload.name}` with seed "
            f"{self.setting.seed}, from the same weights and on the same batches. The losses are the same in every "
            f"framework, to float32 round-off.{dropout if self.workload.dropout else ''}\n\n"
            f"**Data:** {self.data}\n\n"
            f"**Files:** `{self.arrays}` and `{WORKER}` must lie beside this notebook.\n\n"
            f"**Environment:** Python {lock.python} with the packages of `{lock.name}`. `rosetta env make {lock.name}` "
            "makes it, and `rosetta env list` says where it lies."
        )

    def first_cell(self) -> str:
        """Return the cell that comes before every import."""
        lines = [
            "import sys",
            "",
            f'sys.path.insert(0, "{WORKER}")  # rosetta_worker, which the cells below import from',
        ]
        if self.framework.backend is not None:
            variable = (
                f'os.environ["KERAS_BACKEND"] = "{self.framework.backend}"  # Keras looks for it when it is imported'
            )
            lines = ["import os", *lines, variable]
        return "\n".join(lines)

    def preparation(self) -> str:
        """Return the cell that says what is trained, and reads weights and batches."""
        others = [mode for mode in self.framework.modes_in(self.written.lock) if mode != self.framework.mode]
        comment = f"  # or: {', '.join(others)}" if others else ""
        parts = ", ".join(f"{name}={name}" for name in PLACES if name in self.written.definitions())
        return dedent(
            f"""\
            import os
            from types import SimpleNamespace

            import numpy as np
            from rosetta_worker.framework import Setting

            implementation = SimpleNamespace({parts})
            setting = Setting(
                mode="{self.framework.mode}",{comment}
                device="{self.setting.device}",
                precision="{self.setting.precision}",
                threads=os.cpu_count(),
                batch_size={self.setting.batch_size},
                seed={self.setting.seed},
                backend={self.framework.backend!r},
                optimizer={self.workload.hyperparameters},
            )
            files = np.load("{self.arrays}")
            inputs, labels, batches = files["inputs"], files["labels"], files["batches"]
            weights = {{name[{len(WEIGHTS)}:]: files[name] for name in files.files if name.startswith("{WEIGHTS}")}}"""
        )


STEP = (
    "What the adapter of {title} does when a worker trains, for every workload and in every mode. "
    f"The class `Framework` is in `{WORKER}`."
)

SAME_START = (
    "Weights and batches are the same in every framework. The samples are those of the batches, in their order."
)

TRAINING = """\
framework = Adapter(implementation, setting)
{switch}framework.build(weights)
dataset = framework.load(framework.arranged(inputs), labels)
losses = []
for step in range(len(batches)):
    losses.append(framework.number(framework.train(dataset, batches[step : step + 1])))
    print("step %2d: loss %.6f" % (step, losses[-1]))"""
"""The cell that trains; it runs on Python 3.6, too."""

NO_DROPOUT = "framework.dropout = False\n"


def definition_cells(texts: Mapping[str, str]) -> Iterator[Cell]:
    """Yield a cell for each definition."""
    for text in texts.values():
        yield "code", text


def as_json(number: int, kind: str, text: str) -> dict[str, object]:
    """Return a cell as it stands in the file."""
    cell = {"cell_type": kind, "id": f"cell-{number}", "metadata": {}, "source": text.splitlines(keepends=True)}
    return cell | ({"execution_count": None, "outputs": []} if kind == "code" else {})
