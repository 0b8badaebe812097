"""The way of a conversion: file, canonical tensors, file; and the proof, before anything is written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rosettabench.catalogue.contender import Contender
from rosettabench.catalogue.workload import Workload
from rosettabench.convert.arrival import Arrival, ArrivalProof, require, sample_work
from rosettabench.convert.carry import TiedCell, check_tied, read_canonical, write_own
from rosettabench.data.prepare import prepare_data
from rosettabench.data.prepared import Prepared
from rosettabench.data.readers.weights_file import (
    Tensors,
    check_ending,
    check_place,
    decode_weights,
    encode_weights,
    read_weights,
)
from rosettabench.environments.environment import Environment, Environments, external
from rosettabench.environments.lock import load_lock
from rosettabench.errors import ProofError, UsageError
from rosettabench.files import replace_file


@dataclass(frozen=True)
class Means:
    """What a conversion works with: cache, folder for a while, the user's data, patience, and whom it tells."""

    cache: Path
    scratch: Path
    doing: Callable[..., None]
    data_dir: Path | None = None
    offline: bool = False
    timeout: float = 900.0


@dataclass(frozen=True)
class Conversion:
    """A file of weights that was written: what was carried, what was passed over, and how the outputs compare."""

    source: Arrival
    target: Arrival
    tensors: int
    numbers: int
    passed_over: list[str]
    reference: str
    data: Prepared


def convert_weights(
    workload: Workload, source: tuple[Contender, Path], target: tuple[Contender, Path], means: Means
) -> Conversion:
    """Write the weights of a file as another framework has them, once it is proven that it computes the same.

    Raises UsageError or DataError for what is wrong with names and files, before anything long is started; ProofError
    where the outputs differ. Nothing is written then.
    """
    (contender, path), (other, output) = source, target
    given = read_inputs(workload, source, target)
    cells = [TiedCell(workload, one, find_environment(one, means)) for one in (contender, other)]
    means.doing(f"through the ties of {cells[0].label}")
    canonical, counters = read_canonical(cells[0], path, given, means.scratch / "from", means.timeout)
    means.doing(f"through the ties of {cells[1].label}")
    own = write_own(cells[1], canonical, means.scratch / "to", means.timeout)
    content = encode_weights(own, output)
    check_content(content, own, output)
    arrivals, reference, data = prove(cells, canonical, means)
    require(arrivals, f"{workload.name} from {contender.label} to {other.label}", output)
    replace_file(output, content)
    numbers = sum(array.size for array in canonical.values())
    return Conversion(arrivals[0], arrivals[1], len(canonical), numbers, counters, reference, data)


def read_inputs(workload: Workload, source: tuple[Contender, Path], target: tuple[Contender, Path]) -> Tensors:
    """Return the tensors of the first file. Raises UsageError or DataError for all that is wrong by then."""
    for contender, _ in (source, target):
        check_tied(workload, contender)
    for _, path in (source, target):
        check_ending(path)
    check_place(target[1])
    if source[1].resolve() == target[1].resolve():
        raise UsageError(f"{target[1]} is read and written", "Name another file with --to.")
    return read_weights(source[1])


def find_environment(contender: Contender, means: Means) -> Environment:
    """Return the environment of a contender, made now unless it is there."""
    if contender.python is not None:
        return external(contender.python)
    return make_environment(str(contender.lock), means)


def make_environment(lock: str, means: Means) -> Environment:
    """Return the managed environment of a lock, made now unless it is there."""
    return Environments(means.cache / "environments").make(load_lock(lock), means.doing)


def check_content(content: bytes, own: Tensors, path: Path) -> None:
    """Raise ProofError where a file would not hold what it is to hold, name by name and bit by bit."""
    again = decode_weights(content, path)
    same = again.keys() == own.keys() and all(
        again[name].dtype == own[name].dtype
        and again[name].shape == own[name].shape
        and again[name].tobytes() == own[name].tobytes()
        for name in own
    )
    if not same:
        raise ProofError(f"{path} would not hold the same numbers", "This is a defect: choose .npz or .safetensors.")


def prove(cells: list[TiedCell], canonical: Tensors, means: Means) -> tuple[list[Arrival], str, Prepared]:
    """Return what both frameworks make of the weights, the name of the reference, and the data."""
    workload = cells[0].workload.proven
    data = prepare_data(
        workload, data_dir=means.data_dir, cache=means.cache, offline=means.offline, progress=means.doing
    )
    refer = find_reference(workload, means)
    work = sample_work(workload, data, canonical, means.scratch / "work")
    proof = ArrivalProof(refer, work, means.scratch / "proof", means.timeout, means.doing)
    proof.make_reference(canonical)
    arrivals = [proof.examine(cell, name) for cell, name in zip(cells, ("from", "to"), strict=True)]
    return arrivals, refer.label, data


def find_reference(workload: Workload, means: Means) -> TiedCell:
    """Return the first of a workload's float64 references that this machine can run. ProofError if there is none."""
    from rosettabench.lab.arrangement import able_reference  # the store comes with it: bad input need not wait for that

    entry, environment = able_reference(workload, lambda lock: make_environment(lock, means))
    return TiedCell(workload, Contender(entry.name, entry.mode, entry.locks[0]), environment)
