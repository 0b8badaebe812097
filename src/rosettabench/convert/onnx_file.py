"""A model as a file of ONNX: exported, and proven in ONNX Runtime before it is written."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rosettabench.catalogue.contender import Contender
from rosettabench.catalogue.framework import ExportedFrom
from rosettabench.catalogue.names import nearest
from rosettabench.catalogue.workload import Workload
from rosettabench.client.exported import export_model, exporter_of, runner_of
from rosettabench.client.session import Work
from rosettabench.convert.arrival import Arrival, ArrivalProof, require, sample_work
from rosettabench.convert.carry import TiedCell, check_tied, read_canonical
from rosettabench.convert.conversion import Means, find_environment, find_reference, make_environment
from rosettabench.data.prepare import prepare_data
from rosettabench.data.prepared import Prepared
from rosettabench.data.readers.weights_file import Tensors, check_ending, check_place, read_weights
from rosettabench.errors import FailureKind, UsageError, WorkerError
from rosettabench.files import replace_file
from rosettabench.plan.setting import canonical_setting
from rosettabench.proof.weights import draw_weights

FORMATS = ("onnx",)
"""The formats that models are exported to."""


@dataclass(frozen=True)
class WrittenModel:
    """A file of ONNX that was written: how the outputs of both frameworks compare, and what was carried."""

    path: Path
    size: int
    tensors: int
    numbers: int
    passed_over: list[str]
    source: Arrival
    target: Arrival
    reference: str
    data: Prepared


def check_request(workload: Workload, contender: Contender, form: str, path: Path) -> ExportedFrom:
    """Return how a framework exports. Raises UsageError for all that is wrong before anything is started."""
    nearest("format", form, FORMATS)
    how = exporter_of(contender.framework)
    if how is None:
        why = contender.entry.not_exported
        raise UsageError(f"{contender.framework} is not exported to ONNX: {why}", "Export from pytorch: -f pytorch")
    if contender.lock != contender.entry.locks[0]:
        raise UsageError(
            f"{contender.label} is not exported: models are exported in an environment of its own, {how.lock}",
            f"Write -f {contender.framework}",
        )
    check_tied(workload, contender)
    if path.suffix != f".{form}":
        raise UsageError(f"{path} does not end in .{form}", f"Name a file: {path.with_suffix(f'.{form}')}")
    if path.exists():
        raise UsageError(f"{path} is there already", "Name another file, or remove that one.")
    check_place(path)
    return how


def export_to_file(
    workload: Workload, contender: Contender, form: str, path: Path, weights: Path | None, means: Means
) -> WrittenModel:
    """Write a workload's model to a file, with the weights of a file of its framework, else with those drawn first.

    Raises UsageError or DataError for what is wrong with names, files and the model, and ProofError where the outputs
    differ. Nothing is written then.
    """
    how = check_request(workload, contender, form, path)
    if weights is not None:
        check_ending(weights)
    given = None if weights is None else read_weights(weights)
    cells = [TiedCell(workload, one, find_environment(one, means)) for one in (contender, runner(contender))]
    canonical, passed_over = draw_weights(workload, canonical_setting(workload).seed), list[str]()
    if given is not None and weights is not None:
        means.doing(f"through the ties of {cells[0].label}")
        canonical, passed_over = read_canonical(cells[0], weights, given, means.scratch / "from", means.timeout)
    work = work_of_export(workload, canonical, means)
    make_environment(how.lock, means)
    means.doing(f"export from {contender.label}")
    content = export_of(work, how, means.timeout)
    arrivals, reference = prove_export(cells, work, canonical, means)
    require(arrivals, f"{workload.name} in ONNX", path)
    replace_file(path, content)
    numbers = sum(array.size for array in canonical.values())
    found = len(content), len(canonical), numbers, passed_over
    return WrittenModel(path, *found, arrivals[0], arrivals[1], reference, work.data)


def runner(contender: Contender) -> Contender:
    """Return the contender that runs what another one exports."""
    entry = runner_of(contender.framework)
    return Contender(entry.name, entry.mode, entry.locks[0])


def work_of_export(workload: Workload, canonical: Tensors, means: Means) -> Work:
    """Return the work that proves an export: samples of the shape that the workload states, which the file takes.

    Otherwise its extents are those of a proof.
    """
    extents = workload if "shape" in workload.proof.form else workload.proven
    data = prepare_data(
        extents, data_dir=means.data_dir, cache=means.cache, offline=means.offline, progress=means.doing
    )
    return sample_work(extents, data, canonical, means.scratch / "work")


def export_of(work: Work, how: ExportedFrom, timeout: float) -> bytes:
    """Return the content of the file. Raises UsageError where the model cannot be exported."""
    try:
        return export_model(work.workload, how, work.data.train.inputs, work.weights, timeout).file.read_bytes()
    except WorkerError as error:
        if error.kind != FailureKind.UNSUPPORTED:
            raise
        raise UsageError(error.what, "docs/guide/onnx.md says what is exported.") from error


def prove_export(cells: list[TiedCell], work: Work, canonical: Tensors, means: Means) -> tuple[list[Arrival], str]:
    """Return what the framework and the one that runs its export make of the samples, and the name of the reference."""
    refer = find_reference(work.workload, means)
    proof = ArrivalProof(refer, work, means.scratch / "proof", means.timeout, means.doing)
    proof.make_reference(canonical)
    return [proof.examine(cell, cell.contender.framework) for cell in cells], refer.label
