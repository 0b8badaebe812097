"""The findings in the images of ChestX-ray14, and the part of each image: from the original table, or from lists.

The original is a table of all images with patients and findings. The lists, one per part, have 14 columns of 0 and 1.
They come from a well-known re-implementation of CheXNet, with its own split.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from rosettabench.errors import DataError

FINDINGS = (
    "Atelectasis",
    "Cardiomegaly",
    "Consolidation",
    "Edema",
    "Effusion",
    "Emphysema",
    "Fibrosis",
    "Hernia",
    "Infiltration",
    "Mass",
    "Nodule",
    "Pleural_Thickening",
    "Pneumonia",
    "Pneumothorax",
)
"""The labels in their canonical order, which is alphabetical."""

NONE = "No Finding"
"""The table's text for an image without findings: all labels are 0."""

LISTED = (
    "Atelectasis",
    "Cardiomegaly",
    "Effusion",
    "Infiltration",
    "Mass",
    "Nodule",
    "Pneumonia",
    "Pneumothorax",
    "Consolidation",
    "Edema",
    "Emphysema",
    "Fibrosis",
    "Pleural_Thickening",
    "Hernia",
)
"""The order of the columns in the lists, that of the first publication."""

TABLES = ("Data_Entry_2017.csv", "Data_Entry_2017_v2020.csv")
LISTS = {"train": "train_list.txt", "validation": "val_list.txt", "test": "test_list.txt"}

LAST_PATIENT = {"train": 21_563, "validation": 21_563 + 3_080, "test": 21_563 + 3_080 + 6_162}
"""{part: number of its last patient}. The table's 30,805 patients are split in the order of their numbers."""


class Film(NamedTuple):
    """One image: its part (``train``, ``validation`` or ``test``), and 0 or 1 for each of FINDINGS."""

    part: str
    findings: tuple[int, ...]


def label_files(folder: Path) -> dict[str, Path]:
    """Return the table in `folder`, or the three lists in it or in its subfolder ``labels``; empty if there are none.

    Raises DataError if some of the lists are missing.
    """
    table = next((folder / name for name in TABLES if (folder / name).is_file()), None)
    if table is not None:
        return {"table": table}
    for place in (folder, folder / "labels"):
        lists = {part: place / name for part, name in LISTS.items() if (place / name).is_file()}
        missing = [name for part, name in LISTS.items() if part not in lists]
        if lists and missing:
            raise DataError(f"{place} holds some lists of ChestX-ray14, but not {' and '.join(missing)}.")
        if lists:
            return lists
    return {}


def films(paths: Mapping[str, Path]) -> dict[str, Film]:
    """Return {file name of an image: Film} from the files of `label_files`.

    Raises DataError, with file and line, for an unknown label or a malformed line.
    """
    if "table" in paths:
        return dict(films_of_table(paths["table"]))
    return {name: film for part in LISTS for name, film in films_of_list(paths[part], part)}


def films_of_table(path: Path) -> Iterator[tuple[str, Film]]:
    """Yield (file name, Film) of each row of the original table."""
    needed = {"Image Index", "Finding Labels", "Patient ID"}
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        rows = csv.DictReader(file)
        missing = sorted(needed - set(rows.fieldnames or ()))
        if missing:
            raise DataError(f"{path} has no column {' and '.join(missing)}.", "It is not the table of ChestX-ray14.")
        for row in rows:
            where = f"{path}, line {rows.line_num}"
            found, patient = row["Finding Labels"] or "", row["Patient ID"] or ""
            yield row["Image Index"], Film(part_of(patient, where), findings_of(found, where))


def part_of(patient: str, where: str) -> str:
    """Return the part to which a patient's images belong."""
    number = int(patient) if patient.isascii() and patient.isdigit() else 0
    for part, last in LAST_PATIENT.items():
        if 1 <= number <= last:
            return part
    raise DataError(f"{where}: there is no patient {patient!r}.", "They are numbered from 1 to 30805.")


def findings_of(words: str, where: str) -> tuple[int, ...]:
    """Return 0 or 1 for each of FINDINGS from the table's text: ``Effusion|Mass``, or ``No Finding``."""
    found = {*words.split("|")} - {NONE}
    unknown = sorted(found - {*FINDINGS})
    if unknown:
        raise DataError(f"{where}: there is no finding {unknown[0]!r}.", f"There are {', '.join(FINDINGS)}.")
    return tuple(int(name in found) for name in FINDINGS)


def films_of_list(path: Path, part: str) -> Iterator[tuple[str, Film]]:
    """Yield (file name, Film) of each line of a list: the name, and 14 times 0 or 1."""
    places = [LISTED.index(name) for name in FINDINGS]
    with path.open(encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file, start=1):
            name, *flags = line.split() or [""]
            if len(flags) != len(LISTED) or not {*flags} <= {"0", "1"}:
                raise DataError(
                    f"{path}, line {number}: a file name and {len(LISTED)} times 0 or 1 were expected, "
                    f"not {line.strip()[:60]!r}.",
                    "It is cut off, or not a list of ChestX-ray14.",
                )
            yield name, Film(part, tuple(int(flags[place]) for place in places))
