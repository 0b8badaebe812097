"""Choose the size of an array whose copy measures the memory, not the caches in front of it."""

from __future__ import annotations

from pathlib import Path

TIMES_THE_CACHE = 4
"""McCalpin, "Memory bandwidth and machine balance in current high performance computers" (1995): the rule of STREAM."""

LEAST_BYTES = 2**28
"""256 MiB: four times the second-level cache of a large GPU (60 MB). It is also the size if the caches are unknown."""

SHARE_OF_MEMORY = 16
"""The array takes at most a sixteenth of the memory: a copy needs two arrays, and some libraries make a third."""

CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
"""Where Linux describes the caches: Documentation/ABI/testing/sysfs-devices-system-cpu."""


def copied_bytes() -> int:
    """Return the size in bytes of the array for copies."""
    import psutil

    wanted = max(LEAST_BYTES, TIMES_THE_CACHE * (last_level_cache() or 0))
    return int(min(wanted, psutil.virtual_memory().total // SHARE_OF_MEMORY) // 4096 * 4096)


def last_level_cache(folder: Path = CACHES) -> int | None:
    """Return the bytes of the largest cache of the first processor; None if the system does not report it."""
    try:
        texts = [path.read_text().strip() for path in folder.glob("index*/size")]
    except OSError:
        return None
    return max((int(text[:-1]) * UNITS[text[-1]] for text in texts if text[-1:] in UNITS), default=None)


UNITS = {"K": 2**10, "M": 2**20, "G": 2**30}
"""The unit letters in the size of a cache."""
