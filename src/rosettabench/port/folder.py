"""A new folder of a workload: written beside its place, and moved there when it is whole."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from rosettabench.catalogue.workload import all_workloads
from rosettabench.environments.environment import Environment
from rosettabench.errors import UsageError
from rosettabench.files import replace_file
from rosettabench.port.description import Description, Inputs, describe_model
from rosettabench.port.texts import SAMPLE, SAMPLE_MODELS, TITLES, original, port, statement
from rosettabench.port.work import work_of

WEIGHTS = "weights.safetensors"
"""The file with a model's first values."""

SAMPLE_CLASS = "Perceptron"


def check_new(place: Path, frameworks: Sequence[str]) -> None:
    """Raise UsageError where there is something at `place`, its name is taken, or a folder knows no such framework."""
    if place.exists():
        raise UsageError(f"{place} is there already", "Name another folder, or remove that one.")
    if not place.parent.is_dir():
        raise UsageError(f"{place.parent} is no folder", "Make it first, or name the new folder elsewhere.")
    if place.name.replace("_", "-") in all_workloads():
        raise UsageError(f"there is a workload {place.name} already", "Give the folder another name.")
    unknown = [name for name in frameworks if name not in TITLES]
    if unknown:
        raise UsageError(
            f"a new folder is not written in {', '.join(unknown)}",
            f"Available: {', '.join(TITLES)}. Add the file by hand.",
        )


def make_folder(
    place: Path,
    frameworks: Sequence[str],
    source: tuple[Path, str] | None,
    environment: Environment,
    inputs: Inputs | None,
) -> Description:
    """Write the folder of a model, the class of a file or a small one of ours; return what the model consists of.

    The original is in PyTorch; each of `frameworks` gets a file, in which Model is left to port where the model is the
    user's. Raises UsageError where the model cannot be described; then nothing is written.
    """
    making = Path(tempfile.mkdtemp(prefix=f".{place.name}.", dir=place.parent))
    try:
        file, model = source or (making / "model.py", SAMPLE_CLASS)
        if source is None:
            file.write_text(SAMPLE, encoding="utf-8")
        described = describe_model(file, model, environment, inputs)
        write_folder(making, place.name, frameworks, (file, model), described, SAMPLE_MODELS if source is None else {})
        (making / "model.py").unlink(missing_ok=True)
        making.chmod(0o755)
        making.rename(place)
    finally:
        shutil.rmtree(making, ignore_errors=True)
    return described


def write_folder(
    folder: Path,
    name: str,
    frameworks: Sequence[str],
    source: tuple[Path, str],
    described: Description,
    models: Mapping[str, str],
) -> None:
    """Write the files of a folder; `models` are those that are ported already."""
    from safetensors.numpy import save

    file, model = source
    work = work_of(described)
    texts = {
        "workload.toml": statement(name, described, work, WEIGHTS if described.values else None),
        "pytorch.py": original(name, file.read_text(encoding="utf-8"), model, described, work),
    }
    for framework in frameworks:
        if framework != "pytorch":
            texts[f"{framework.replace('-', '_')}.py"] = port(name, framework, described, work, models.get(framework))
    for own, text in texts.items():
        (folder / own).write_text(text, encoding="utf-8")
    if described.values:
        replace_file(folder / WEIGHTS, save(described.values))
