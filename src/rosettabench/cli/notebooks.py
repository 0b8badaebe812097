"""``rosetta show --format ipynb``: a notebook for each framework, and the two files that all of them read."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rosettabench.cli.page import STDOUT, write
from rosettabench.errors import UsageError

if TYPE_CHECKING:
    from rosettabench.catalogue.implementation import Implementation
    from rosettabench.catalogue.workload import Workload
    from rosettabench.data.prepared import Prepared
    from rosettabench.plan.setting import Setting

SUFFIX = ".ipynb"

STEPS = 20
"""The steps of a notebook."""

MOST_BYTES = 1 << 26
"""The most bytes of inputs beside a notebook: with large images, there are fewer steps."""

PACKAGES = ("", "layers", "optimizers", "runtimes")
"""The parts of the worker's package that a notebook imports. Modules that workloads share are written out in it."""


def write_notebooks(
    workload: Workload, columns: Mapping[str, Implementation], places: Mapping[str, Path], data: Prepared
) -> Iterator[Path]:
    """Write the notebook of each column to its place, and the files that all of them read. Yield every path.

    The notebooks are written last, when the files that they read exist.
    """
    from rosettabench.plan.setting import canonical_setting
    from rosettabench.report.formats.notebook import WORKER, render_notebook

    setting = canonical_setting(workload)
    contents, steps = draw_arrays(workload, data, setting)
    arrays = f"{file_name(workload.name)}.npz"
    folder = next(iter(places.values())).parent
    for path, content in ((folder / arrays, contents), (folder / WORKER, worker_archive())):
        write(content, path)
        yield path
    for label, one in columns.items():
        note = f"{data.name}. {data.note}"
        write(render_notebook(workload, one, setting, arrays, steps, note), places[label])
        yield places[label]


def places_of(workload: Workload, columns: Mapping[str, Implementation], output: Path | None) -> dict[str, Path]:
    """Return {label: path of its notebook}. `output` is the file of a single notebook, or the folder of all.

    Raises UsageError if a notebook cannot be made, and if several would have the same file.
    """
    if workload.inference is not None:
        raise UsageError(f"{workload.name} trains nothing: it has no notebook", "Show it with --format html.")
    if workload.devices > 1:
        raise UsageError(
            f"{workload.name} trains on {workload.devices} devices: a notebook has one", "Show it with --format html."
        )
    for label, one in columns.items():
        if one.framework.program is not None or one.framework.reference:
            why = "is a reference" if one.framework.reference else f"runs in {one.framework.program}, not in Python"
            raise UsageError(f"there is no notebook for {label}: it {why}", "Name others with -f, or --format html.")
    if output == STDOUT:
        raise UsageError("a notebook needs files beside it: it cannot go to standard output", "Name a folder.")
    if output is not None and output.suffix == SUFFIX:
        if len(columns) > 1:
            what = f"{len(columns)} notebooks do not fit into {output}"
            raise UsageError(what, "Name a folder with --output, or one framework with -f.")
        return dict.fromkeys(columns, output)
    stem = file_name(workload.name)
    return {label: (output or Path()) / f"{stem}-{file_name(label)}{SUFFIX}" for label in columns}


def file_name(name: str) -> str:
    """Return a name as part of a file name: ``keras-tensorflow`` for ``keras[tensorflow]``."""
    return re.sub(r"[^\w@.-]+", "-", name).strip("-")


def draw_arrays(workload: Workload, data: Prepared, setting: Setting) -> tuple[bytes, int]:
    """Return the .npz file that all notebooks read, and the number of batches in it.

    It contains the canonical weights and, in their order, the samples of the first batches, renumbered from 0.
    """
    import numpy as np

    from rosettabench.client.batches import draw_rows
    from rosettabench.proof.weights import draw_weights
    from rosettabench.report.formats.notebook import WEIGHTS

    inputs, labels = (np.load(path, mmap_mode="r") for path in (data.train.inputs, data.train.labels))
    steps = max(1, min(STEPS, MOST_BYTES // (inputs[0].nbytes * setting.batch_size)))
    rows = draw_rows(workload, data, setting, steps)
    weights: dict[str, Any] = {
        f"{WEIGHTS}{name}": array for name, array in draw_weights(workload, setting.seed).items()
    }
    batches = np.arange(rows.size).reshape(rows.shape)
    samples = rows.ravel()
    with io.BytesIO() as file:
        np.savez(file, inputs=inputs[samples], labels=labels[samples], batches=batches, **weights)
        return file.getvalue(), len(rows)


def worker_archive() -> bytes:
    """Return the worker's package as a zip archive, without adapters and implementations."""
    from rosettabench.catalogue.roots import worker_folder

    root = worker_folder()
    paths = [path for package in PACKAGES for path in sorted((root / package).glob("*.py"))]
    with io.BytesIO() as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in paths:
                name = zipfile.ZipInfo(path.relative_to(root.parent).as_posix())  # always with the same date
                archive.writestr(name, path.read_bytes(), zipfile.ZIP_DEFLATED)
        return file.getvalue()
