"""Why a port does not take its weights: ties that name a missing tensor, or one of another shape."""

from __future__ import annotations

import json
import tempfile
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from rosettabench.catalogue.framework import FrameworkEntry
from rosettabench.catalogue.roots import worker_folder
from rosettabench.client.session import Work
from rosettabench.environments.environment import Environment
from rosettabench.environments.probe import start
from rosettabench.errors import EnvironmentFault

LIMIT_S = 300
"""Seconds that a framework has to be imported and a model to be made."""

MOST = 5
"""Names that one message lists."""


def tie_faults(entry: FrameworkEntry, environment: Environment, work: Work) -> str:
    """Return a sentence on the ties of a cell that do not fit its model; "" if they fit, or the model cannot be made.

    The model is made once more, in its own process.
    """
    implementation = work.workload.implementation(entry.implementation_name, environment.release)
    assert implementation is not None  # the plan leaves out contenders without one
    setting = {
        **work.setting.as_json(),
        "mode": entry.mode,
        "backend": entry.backend,
        "optimizer": work.workload.hyperparameters,
        "schedule": None,
    }
    shapes = {tensor.name: tensor.shape for tensor in work.workload.tensors}
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "ties.json"
        words = (entry.adapter, implementation, json.dumps(setting), json.dumps(shapes), out)
        program = str(worker_folder() / "ties.py")
        try:
            start(environment.python, [program, *map(str, words)], LIMIT_S, environment.variables)
        except EnvironmentFault:
            return ""  # the model cannot even be made: the worker has said why
        return fault_words(implementation, json.loads(out.read_text(encoding="utf-8")))


def fault_words(implementation: Path, said: dict[str, Any]) -> str:
    """Return the sentence on what ``rosetta_worker/ties.py`` has found."""
    missing, other = said["missing"], said["shapes"]
    told = []
    for name in missing[:MOST]:
        near = get_close_matches(name, said["has"], n=1, cutoff=0.5)
        told.append(f"{name} is not there" + (f" (is it {near[0]}?)" if near else ""))
    told += [
        f"{name} has the shape {tuple(own)}, and {tuple(wanted)} is tied to it" for name, own, wanted in other[:MOST]
    ]
    if not told:
        return ""
    more = len(missing) + len(other) - len(told)
    number = len(missing) + len(other)
    ties = "1 tie does" if number == 1 else f"{number} ties do"
    return f"{implementation}: {ties} not fit the model: {'; '.join(told)}" + (f"; and {more} more" if more else "")
