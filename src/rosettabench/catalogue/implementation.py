"""An implementation of a workload in a framework: its file and its definitions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from rosettabench.catalogue import r_source
from rosettabench.catalogue.alignment import Definitions, definitions
from rosettabench.catalogue.framework import FrameworkEntry, all_frameworks, competing_frameworks
from rosettabench.catalogue.names import nearest
from rosettabench.catalogue.shared import read_whole
from rosettabench.catalogue.workload import Workload
from rosettabench.errors import UsageError

LANGUAGES = {".py": "python", r_source.SUFFIX: "r"}
"""{file suffix: programming language}, with the language as Pygments names it."""


@dataclass(frozen=True)
class Implementation:
    """A workload's file for a framework, and the lock of the environment that runs it."""

    framework: FrameworkEntry
    path: Path
    lock: str

    @property
    def language(self) -> str:
        """Its programming language, as Pygments names it."""
        return LANGUAGES[self.path.suffix]

    def definitions(self) -> Definitions:
        """Return {name: text} of its definitions, with the modules that it shares with other workloads written out."""
        source = read_whole(self.path)
        return r_source.definitions(source) if self.language == "r" else definitions(source, self.path.name)


def implementations(workload: Workload, frameworks: Iterable[str] | None) -> dict[str, Implementation]:
    """Return {label: implementation} of a workload, in the order of `frameworks`; None stands for all that compete.

    A label names a framework, or with ``@`` a release of it. A mode after a colon is ignored. Raises UsageError for an
    unknown label, for a framework without an implementation of the workload, and for one that runs what is exported of
    another framework's file.
    """
    known: dict[str, tuple[FrameworkEntry, str | None]] = {}
    for name, entry in all_frameworks().items():
        known[name] = entry, None
        if entry.exported is not None:
            continue
        known.setdefault(entry.implementation_name, (entry, None))  # keras: its first back end
        known |= {f"{name}@{release}": (entry, release) for release in entry.releases}
    able = {
        label: Implementation(entry, path, entry.releases[release] if release else entry.locks[0])
        for label, (entry, release) in known.items()
        if (path := entry.file_of(workload, release))
        and (entry.exported is None or path == entry.exported.own_file(workload))
    }
    found: dict[str, Implementation] = {}
    for word in (
        [name for name, entry in competing_frameworks().items() if entry.does(workload) and entry.exported is None]
        if frameworks is None
        else frameworks
    ):
        label = nearest("framework", word.partition(":")[0], known)
        exported = known[label][0].exported
        if exported is not None and label not in able:
            raise UsageError(
                f"{label} has no file of its own: it runs what is exported of {exported.framework}",
                f"rosetta show {workload.name} -f {exported.framework}",
            )
        if label not in able:
            raise UsageError(
                f"{workload.name} is not written in {label} yet",
                hint=f"It is in: {', '.join(able)}. docs/guide/adding-a-framework.md says how to add it.",
            )
        if able[label] not in found.values():
            found[label] = able[label]
    return found
