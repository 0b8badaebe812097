"""Contenders: a framework in an environment and a mode, as users write it.

``pytorch``, ``pytorch:compiled``, ``pytorch@2.13.0``, ``keras[tensorflow]``, ``jax:eager``,
``pytorch@1.0.0:as-shipped``, and for the user's own installation ``pytorch@/their/venv/bin/python``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from rosettabench.catalogue.as_shipped import AS_SHIPPED, variants_of
from rosettabench.catalogue.framework import FrameworkEntry, all_frameworks, competing_frameworks, find_framework
from rosettabench.catalogue.names import nearest
from rosettabench.errors import UsageError

GRAMMAR = re.compile(r"(?P<framework>[\w-]+(\[[\w-]*\])?)(@(?P<release>[^:]+))?(:(?P<mode>[\w-]+))?")


@dataclass(frozen=True)
class Contender:
    """One contender of a contest.

    `lock` names the managed environment, or `python` the external interpreter; exactly one of them is set. `copy` is 2
    for the second copy in an A/A control. `extra` is planted additional work, as a share of the normal work. It makes
    the contender slower by a known amount, to test whether a contest detects that (`rosetta calibrate`).
    """

    framework: str
    mode: str
    lock: str | None
    python: Path | None = None
    copy: int = 1
    extra: float = 0.0

    @property
    def entry(self) -> FrameworkEntry:
        """The catalogue's entry of its framework."""
        return all_frameworks()[self.framework]

    @property
    def release(self) -> str | None:
        """The release in its managed environment, ``2.13.0``; None for the user's own interpreter."""
        return None if self.lock is None else self.lock.partition("@")[2]

    @property
    def installation(self) -> str:
        """The framework, with its interpreter, or with its release if that is not the default."""
        if self.python is not None:
            return f"{self.framework}@{self.python}"
        return self.framework if self.lock == self.entry.locks[0] else f"{self.framework}@{self.release}"

    @property
    def label(self) -> str:
        """The name in tables: as short as it is unambiguous.

        The second copy of a control ends in ``#2``, a contender with planted work in ``#3+5%``.
        """
        text = self.installation
        if self.mode != self.entry.mode:
            text += f":{self.mode}"
        text += f"#{self.copy}" if self.copy > 1 else ""
        return f"{text}+{100 * self.extra:.3g}%" if self.extra else text


def parse_contender(text: str, python: Path | None = None) -> Contender:
    """Return the contender that `text` names. `python` is the interpreter of contenders that name no release.

    Raises UsageError for an unknown framework, release or mode, with the nearest match, and for a mode that a release
    does not have, with the reason.
    """
    match = GRAMMAR.fullmatch(text.strip())
    if match is None:
        raise UsageError(
            f"{text!r} is not a contender",
            hint="Write framework, framework@release or framework:mode: pytorch:compiled.",
        )
    entry = find_framework(match["framework"])
    mode = nearest(f"mode of {entry.name}", match["mode"], modes_of(entry)) if match["mode"] else entry.mode
    release = match["release"]
    if release is None:
        return Contender(entry.name, mode, None if python else entry.locks[0], python)
    if "/" in release:
        return Contender(entry.name, mode, None, Path(release).expanduser().absolute())
    if python is not None:
        raise UsageError(f"{text!r} names a release and --python an interpreter", hint="Leave one of the two out.")
    lock = entry.releases[nearest(f"release of {entry.name}", release, entry.releases)]
    if mode != AS_SHIPPED and mode not in entry.modes_in(lock):
        raise UsageError(
            f"{entry.name} {release} has no mode {mode!r}: {entry.lacks[lock][mode]}",
            hint=f"Available: {', '.join(entry.modes_in(lock))}.",
        )
    return Contender(entry.name, mode, lock)


def modes_of(entry: FrameworkEntry) -> tuple[str, ...]:
    """Return the modes of a framework's contenders: its own, and ``as-shipped`` if a variant exists."""
    return (*entry.modes, *([AS_SHIPPED] if variants_of(entry.name, None) else []))


def every_contender() -> list[Contender]:
    """Return each framework in each managed release and each mode of that release, without ``as-shipped``."""
    return [
        Contender(name, mode, lock)
        for name, entry in competing_frameworks().items()
        for lock in entry.locks
        for mode in entry.modes_in(lock)
    ]
