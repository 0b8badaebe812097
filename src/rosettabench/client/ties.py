"""Why a port does not take its weights: ties that name a missing tensor, or one of another shape."""

from __future__ import annotations

import json
import tempfile
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from rosettabench.catalogue.framework import FrameworkEntry
from rosettabench.client.program import run_program
from rosettabench.client.session import Work
from rosettabench.environments.environment import Environment
from rosettabench.errors import WorkerError

LIMIT_S = 300
"""Seconds that a framework has to be imported and a model to be made."""

MOST = 5
"""Names that one message lists."""


def tie_faults(entry: FrameworkEntry, environment: Environment, work: Work) -> str:
    """Return a sentence on the ties of a cell that do not fit its model; "" if they fit, or the model cannot be made.

    The model is made once more, in its own process.
    """
    implementation = entry.file_of(work.workload, environment.release)
    assert implementation is not None  # the plan leaves out contenders without one
    setting = {
        **work.setting.as_json(),
        "mode": entry.mode,
        "backend": entry.backend,
        "optimizer": work.workload.hyperparameters,
        "schedule": None,
    }
    shapes = {tensor.name: tensor.shape for tensor in work.workload.tensors}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        out = folder / "ties.json"
        words = [str(entry.adapter), str(implementation), json.dumps(setting), json.dumps(shapes), str(out)]
        try:
            run_program("ties.py", words, environment, entry.backend, folder, LIMIT_S, "the ties")
        except WorkerError:
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
