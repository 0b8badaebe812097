"""What differs between a bundle and this machine: the machine, versions, code, packages, settings."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rosettabench import __version__
from rosettabench.catalogue.framework import all_frameworks
from rosettabench.client.machine import decisive_variables, describe_machine
from rosettabench.evidence.redaction import Redactor
from rosettabench.evidence.rows import rows_of
from rosettabench.history.cell import identity
from rosettabench.history.identity import Change, changed_values, changes, machine_changes
from rosettabench.plan.plan import PlannedContest
from rosettabench.proof.certificate import files_of
from rosettabench.summary.measured_contest import measured_contests

if TYPE_CHECKING:
    from rosettabench.evidence.content import Bundle, StatedEntry
    from rosettabench.store.schema import Run


@dataclass(frozen=True)
class Difference:
    """What is another here than in the bundle. `where` is a cell, or the machine."""

    where: str
    change: Change


def machine_differences(bundle: Bundle, machine: Mapping[str, Any] | None = None) -> list[Difference]:
    """Return what differs in Rosettabench and the machine: this one, or the machine of a stored run."""
    stated = bundle.run.machine.model_dump(mode="json")
    found = changed_values("", {"Rosettabench": bundle.run.rosettabench}, {"Rosettabench": __version__})
    found += machine_changes(stated, machine or describe_machine())
    return [Difference("machine", one) for one in found]


def code_differences(bundle: Bundle, plan: list[PlannedContest]) -> list[Difference]:
    """Return the files of ours that a proof depends on and that are others here, and the variables."""
    bodies = {one.digest: one.body for one in bundle.certificates}
    found: dict[Difference, None] = {}
    for contest, planned in zip(bundle.contests, plan, strict=True):
        for entry, contender in zip(contest.entries, planned.contenders, strict=True):
            if entry.certifications:
                body = bodies[entry.certifications[0].certificate]
                here = files_of(planned.workload, all_frameworks()[contender.framework], contender.release)
                found |= dict.fromkeys(of_cell(contest.workload, entry, body, here or {}))
    return list(found)


def of_cell(
    workload: str, entry: StatedEntry, body: Mapping[str, Any], here: Mapping[str, str]
) -> Iterator[Difference]:
    """Yield what differs in the code and the variables of a cell, by the body of its certificate."""
    stated = texts(body.get("hashes"))
    both = stated.keys() & here.keys()
    told = changed_values("", {name: stated[name] for name in both}, {name: here[name] for name in both})
    told += changed_values("variable ", texts(body.get("variables")), decisive_variables(os.environ))
    yield from (Difference(f"{workload} in {entry.label.partition('#')[0]}", one) for one in told if is_real(one))


def is_real(change: Change) -> bool:
    """Return whether two values differ in more than their folders, which a bundle does not hold."""
    return without_folders(change.before) != without_folders(change.after)


def without_folders(text: str) -> str:
    """Return a text with one word for every folder."""
    return re.sub(r"\bpath-\d+", "path", Redactor().text(text))


def texts(value: object) -> dict[str, str]:
    """Return an object of texts from a certificate; empty if it is none."""
    return {str(name): str(part) for name, part in value.items()} if isinstance(value, dict) else {}


def entry_differences(bundle: Bundle, run: Run) -> list[Difference]:
    """Return what differs in the contenders as they were measured: packages, Python, settings in force, files."""
    found: list[Difference] = []
    for one, other in zip(measured_contests(rows_of(bundle)), measured_contests(run), strict=True):
        found += [
            Difference(f"{one.contest.workload} in {before.entry.label}", change)
            for before, after in zip(one.entries, other.entries, strict=True)
            for change in changes(identity(before), identity(after))
            if is_real(change)
        ]
    return found
