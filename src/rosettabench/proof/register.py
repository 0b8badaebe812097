"""The register of proofs: for each cell one line with the proven code, the machine and the date.

It is a file of the repository, so that a newcomer sees what is proven without proving it. A line counts as long as its
identity is that of the present code; after a change that affects the cell it is stale. `rosetta prove --register`
writes it, `rosetta matrix` reads it. A contest needs a certificate of its own machine: it reads only durations here, to
estimate its time.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from hashlib import sha256
from io import StringIO
from math import inf, isinf, log
from pathlib import Path
from typing import Any

from rosettabench.catalogue.contender import Contender, every_contender
from rosettabench.catalogue.roots import worker_folder
from rosettabench.catalogue.workload import Workload, all_workloads
from rosettabench.environments.lock import load_lock
from rosettabench.errors import StoreError
from rosettabench.files import replace_file
from rosettabench.plan.plan import CellKey, cell_key, why_missing
from rosettabench.plan.series import STATED, on_series
from rosettabench.proof.certificate import PROOF_VERSION, files_of
from rosettabench.store.digest import digest
from rosettabench.store.record import ProofTime
from rosettabench.store.schema import Certification, Contest, Entry, Run

REGISTER = Path(__file__).with_name("register.csv")
"""The file of the register."""


@dataclass(frozen=True)
class RegisterLine:
    """The proof of one cell.

    `setting` is that of the proof, ``batch_size=8 threads=1 …``; `identity` names the proven code; `ratio` is the
    largest deviation over its tolerance, above 1 if the proof failed; `seconds` is the time of the proof; `date` is a
    day, UTC.
    """

    workload: str
    framework: str
    mode: str
    setting: str
    identity: str
    ratio: float
    seconds: float
    machine: str
    date: str

    @property
    def key(self) -> CellKey:
        """The key of its cell."""
        return self.workload, self.framework, self.mode

    @property
    def is_proven(self) -> bool:
        """Whether every deviation was within its tolerance."""
        return self.ratio <= 1

    @property
    def batch_size(self) -> int:
        """The batch size of the proof."""
        return int(dict(part.split("=", 1) for part in self.setting.split())["batch_size"])


WORDS = tuple(field.name for field in fields(RegisterLine) if field.name not in ("ratio", "seconds"))
"""The columns that are not numbers."""

Register = Mapping[CellKey, RegisterLine]
"""Lines by cell."""


def read_register(path: Path = REGISTER) -> dict[CellKey, RegisterLine]:
    """Return the lines of a register, by cell; empty if there is no file. Raises StoreError if a line is damaged."""
    if not path.exists():
        return {}
    found = {}
    with path.open(encoding="utf-8", newline="") as file:
        for number, row in enumerate(csv.DictReader(file), start=2):
            try:
                words = {name: row[name] for name in WORDS}
                line = RegisterLine(**words, ratio=float(row["ratio"]), seconds=float(row["seconds"]))
                found[line.key] = line
            except (KeyError, TypeError, ValueError) as error:
                raise StoreError(
                    f"{path}, line {number}, is not a line of the register", "rosetta prove --all --register"
                ) from error
    return found


def write_register(lines: Iterable[RegisterLine], path: Path = REGISTER) -> None:
    """Write a register, in the order of its cells. The old file stays until the new one is complete."""
    text = StringIO(newline="")
    writer = csv.DictWriter(text, [field.name for field in fields(RegisterLine)], lineterminator="\n")
    writer.writeheader()
    writer.writerows(asdict(line) for line in sorted(lines, key=lambda line: line.key))
    replace_file(path, text.getvalue().encode())


def enter_run(run: Run, path: Path = REGISTER) -> int:
    """Enter the proofs of a run into the register; return the number of lines."""
    known = read_register(path)
    new = {line.key: line for line in lines_of(run, known)}
    write_register((known | new).values(), path)
    return len(new)


def lines_of(run: Run, known: Register) -> Iterator[RegisterLine]:
    """Yield a line for each cell of our catalogue that a run proved or failed to prove.

    For a certificate from an earlier run, the seconds of the known line are kept.
    """
    cells = {cell_key(workload, contender): (workload, contender) for workload, contender in every_cell()}
    seconds = {
        event.entry_id: ProofTime.model_validate(event.payload).seconds
        for event in run.events
        if event.kind == ProofTime.KIND
    }
    machine = f"{run.machine['processor']}, {run.machine['cores']} cores"
    for contest, entry, certification in certifications(run):
        body, at = certification.certificate.body, certification.certificate.at
        framework = entry.label.removesuffix(f":{entry.mode}")
        key = (contest.workload, framework, entry.mode)
        if key in cells:
            before = known[key].seconds if key in known else 0.0
            yield RegisterLine(
                *key,
                setting=" ".join(f"{axis}={value}" for axis, value in sorted(body["setting"].items())),
                identity=identity_of(*cells[key]),
                ratio=worst_ratio(body),
                seconds=round(seconds.get(entry.id, before), 1),
                machine=machine,
                date=at[:10],
            )


def certifications(run: Run) -> Iterator[tuple[Contest, Entry, Certification]]:
    """Yield the last certification of every entry of a run that has one."""
    for contest in run.contests:
        for entry in contest.entries:
            for certification in entry.certifications[-1:]:
                yield contest, entry, certification


def worst_ratio(body: Mapping[str, Any]) -> float:
    """Return the largest deviation over its tolerance in a certificate, to three digits; infinite if not a number."""
    largest = 0.0
    for check in body["checks"]:
        deviation, tolerance = check["deviation"], check["tolerance"]
        if deviation is None or (deviation and not tolerance):
            return inf
        largest = max(largest, deviation / tolerance if tolerance else 0.0)
    return largest if isinf(largest) else float(f"{largest:.3g}")


def every_cell() -> list[tuple[Workload, Contender]]:
    """Return every implemented cell of our own catalogue, without those of packages that add to it."""
    ours = worker_folder()
    cells = []
    for workload in all_workloads().values():
        for contender in every_contender():
            if why_missing(workload, contender) is None:
                implementation = contender.entry.file_of(workload, contender.release)
                files = (workload.folder, contender.entry.path, implementation)
                if all(file is not None and file.is_relative_to(ours) for file in files):
                    cells.append((workload, contender))
    return cells


def identity_of(workload: Workload, contender: Contender) -> str:
    """Return the identity of the present code of a cell: 16 hexadecimal digits of a sha256.

    It covers only what is in the repository: the meaning of the files, the packages of the lock, the values of the
    workload, the version of the proof. A certificate is bound to machine and data as well.
    """
    files = files_of(on_series(workload, STATED).proven, contender.entry, contender.release, workload.devices)
    assert files is not None  # only cells that are implemented have an identity
    return digest({**files, "lock": load_lock(str(contender.lock)).digest, "proof_version": PROOF_VERSION})[:16]


def is_current(line: RegisterLine | None, workload: Workload, contender: Contender) -> bool:
    """Return whether a line is about the present code of a cell; False if there is no line."""
    return line is not None and line.identity == identity_of(workload, contender)


def draw_cells(
    count: int, text: str, cells: Iterable[tuple[Workload, Contender]], register: Register
) -> list[tuple[Workload, Contender]]:
    """Return `count` cells, drawn by a text such as a commit's hash: another text draws others.

    A cell is drawn with a weight inverse to the time of its proof, so that a sample takes minutes and every cell has
    its turn (Efraimidis and Spirakis 2006, "Weighted random sampling with a reservoir", algorithm A-ES).
    """

    def place(cell: tuple[Workload, Contender]) -> float:
        """Return the sort key of a cell: exponentially distributed over the texts, with the time as its mean."""
        key = cell_key(*cell)
        number = int(sha256(" ".join((text, *key)).encode()).hexdigest()[:13], 16)
        return -log((number + 1) / 16**13) * (seconds_of([key], register) or 1.0)

    return sorted(cells, key=place)[:count]


def seconds_of(cells: Iterable[CellKey], register: Register) -> float:
    """Return the seconds that proofs of cells take one after the other, by the register; for unknown ones, the mean."""
    known = known_seconds(register)
    mean = sum(known.values()) / len(known) if known else 0.0
    return sum(known.get(cell, mean) for cell in cells)


def known_seconds(register: Register) -> dict[CellKey, float]:
    """Return the seconds that the proof of each cell took, where the register knows them."""
    return {cell: line.seconds for cell, line in register.items() if line.seconds}
