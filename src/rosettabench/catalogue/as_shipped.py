"""As shipped: a cell with what its library does by itself, where the cell in the catalogue works around that.

Each is written down in as-shipped.toml as the words of the cell that are replaced, and has a mode of its own,
``as-shipped``. Its proof fails, so nobody is ranked by it; docs/findings.md says what is behind it.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

from rosettabench.catalogue.shared import read_whole
from rosettabench.catalogue.strict import Strict
from rosettabench.errors import UsageError

AS_SHIPPED = "as-shipped"
"""The mode of these variants: the framework's default one, with what the library does by itself."""

TEXT = Path(__file__).parent / "as-shipped.toml"


class Variant(Strict):
    """What a cell would be without its work-around, and what the proof says of that.

    `releases` are those that it is about, all where none is named. `implementation` and `adapter` are pairs of what
    stands in these files and what the library does by itself. `finding` is a heading of docs/findings.md. The first
    check that fails is about the quantity `diverges`, of `tensor` where one is named, and the cause that is told
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
        """Whether it is about a framework in a release; one of the user's own, None, may be any."""
        return self.framework == framework and (release is None or not self.releases or release in self.releases)

    def write(self, implementation: Path, adapter: Path, folder: Path) -> tuple[Path, Path]:
        """Write both files as they are without the work-around; return where.

        Raises UsageError where the words that it replaces are not there.
        """
        return (
            write_replaced(implementation, self.implementation, folder / "implementation" / implementation.name),
            write_replaced(adapter, self.adapter, folder / "adapter" / adapter.name),
        )


def write_replaced(source: Path, pairs: tuple[tuple[str, str], ...], target: Path) -> Path:
    """Write `source`, with what it shares, to `target`, each first text replaced by its second; return `target`."""
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
