"""Read the hardware that a build could use: the processor's instruction sets, and NVIDIA cards with a driver."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from rosettabench.resources.gpu import gpu_names

LEVELS = ("SSE4.2", "AVX", "AVX2", "AVX512", "AMX")
"""Instruction sets from the narrowest to the widest."""

FLAGS = {"sse4_2": "SSE4.2", "avx": "AVX", "avx2": "AVX2", "avx512f": "AVX512", "amx_tile": "AMX"}
"""Flags of /proc/cpuinfo → instruction sets."""


@dataclass(frozen=True)
class Hardware:
    """The widest instruction set of the processor, None if the system does not report it; the names of the cards."""

    isa: str | None
    cards: tuple[str, ...]


def read_hardware() -> Hardware:
    """Return the hardware of this machine."""
    return Hardware(processor_isa(Path("/proc/cpuinfo")), tuple(gpu_names()))


def processor_isa(cpuinfo: Path) -> str | None:
    """Return the widest instruction set among the flags of the first processor; None if there are no flags."""
    try:
        text = cpuinfo.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    match = re.search(r"^flags\s*:(.*)$", text, re.MULTILINE)
    found = {FLAGS[flag] for flag in match.group(1).split() if flag in FLAGS} if match else set()
    return max(found, key=LEVELS.index, default=None)


def isa_level(words: object) -> int | None:
    """Return the place in LEVELS of the instruction set that a framework reports; None if unknown.

    PyTorch reports DEFAULT, or NO AVX, for kernels that use none of them (-1); "AVX2 FMA" is AVX2.
    """
    text = str(words).upper().replace("-", "").replace("_", "")
    if not words:
        return None
    if text in ("DEFAULT", "NO AVX", "NONE"):
        return -1
    found = [place for place, name in enumerate(LEVELS) if name.replace(".", "") in text.replace(".", "")]
    return max(found, default=None)
