"""Cells as shipped: without the catalogue's work-around for a fault of the library.

as-shipped.toml lists them, each with the texts of the cell that are replaced. Their mode is ``as-shipped``. Their
proofs fail, so they are never ranked. docs/findings.md explains each fault.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

from rosettabench.catalogue.shared import read_whole
from rosettabench.catalogue.strict import Strict
from rosettabench.errors import UsageError

AS_SHIPPED = "as-shipped"
"""The mode of these variants: the framework's default mode without the work-around."""

TEXT = Path(__file__).parent / "as-shipped.toml"


class Variant(Strict):
    """A cell without its work-around, and how its proof fails.

    `releases` are the affected releases; empty means all. `implementation` and `adapter` are pairs: a text in that
    file, and the text of the plain library that replaces it. `finding` is a heading of docs/findings.md. The first
    failing check of the proof is of the quantity `diverges`, and of `tensor` if one is named. The reported cause
    contains `cause`.
    """

    framework: str
    releases: tuple[str, ...] = ()
    workload: str
    finding: str
    implementation: tuple[tuple[str, str], ...] = ()
    adapter: tuple[tuple[str, str], ...] = ()
    diverges: str
    tensor: str = ""
    cause: str = ""

    def covers(self, framework: str, release: str | None) -> bool:
        """Return whether it affects a framework in a release; None, the user's own installation, counts as affected."""
        return self.framework == framework and (release is None or not self.releases or release in self.releases)

    def write(self, implementation: Path, adapter: Path, folder: Path) -> tuple[Path, Path]:
        """Write both files without the work-around into `folder`. Return the paths of the two files.

        Raises UsageError if a text to replace is not in its file.
        """
        return (
            write_replaced(implementation, self.implementation, folder / "implementation" / implementation.name),
            write_replaced(adapter, self.adapter, folder / "adapter" / adapter.name),
        )


def write_replaced(source: Path, pairs: tuple[tuple[str, str], ...], target: Path) -> Path:
    """Write `source` to `target` with each first text of `pairs` replaced by its second. Return `target`.

    Shared modules that `source` imports are written out in it. Raises UsageError if a text is missing.
    """
    text = read_whole(source)
    for ours, theirs in pairs:
        if ours not in text:
            raise UsageError(f"{source} has no {ours!r} that {TEXT.name} replaces", f"Mend {TEXT}.")
        text = text.replace(ours, theirs)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")
    return target


@cache
def all_variants() -> tuple[Variant, ...]:
    """Return every variant, in the order of the file."""
    return tuple(Variant(**stated) for stated in tomllib.loads(TEXT.read_text(encoding="utf-8"))["variant"])


def variants_of(framework: str, release: str | None) -> dict[str, Variant]:
    """Return {workload: variant} of a framework in a release."""
    return {one.workload: one for one in all_variants() if one.covers(framework, release)}
