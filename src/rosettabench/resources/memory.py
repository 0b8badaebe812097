"""The memory of a worker's process tree, shared pages counted once."""

from __future__ import annotations

from rosettabench.resources.resource import Resource
from rosettabench.resources.tree import content, process_tree
from rosettabench.resources.usage import Usage, nothing

MEMORY = (Resource.RESIDENT, Resource.PSS, Resource.PEAK_MEMORY)
"""Resident memory now, its proportional share now, and its peak."""


def read_memory(pid: int) -> Usage:
    """Return the memory of a process tree, in bytes.

    ``resident_bytes``: the pages of the tree; pages shared by several of its processes count once (see `counted_once`).
    ``pss_bytes``: the proportional set (proc(5), smaps_rollup). A page mapped by n processes of the *machine* counts
    1/n, so the set is smaller while another contender has loaded the same library. ``peak_memory_bytes``: see `peak`.

    It walks through the page tables, 25 ms for a resident gigabyte: too slow for every block.
    """
    tree = process_tree(pid)
    if not tree:
        return nothing(MEMORY, f"process {pid} has ended")
    rollups = [kibibytes(content(f"/proc/{member}/smaps_rollup")) for member in tree]
    known = [rollup for rollup in rollups if rollup]
    marks = [kibibytes(content(f"/proc/{member}/status")).get("VmHWM", 0) for member in tree]
    if not known:
        now = nothing(MEMORY[:2], "the system does not let this user read /proc/<pid>/smaps_rollup")
        return now.and_also(Usage({Resource.PEAK_MEMORY: 1024.0 * sum(marks)}))
    resident = counted_once(known)
    shares = sum(rollup["Pss"] for rollup in known)
    twice = sum(rollup["Rss"] for rollup in known) - resident
    most = peak(marks, twice)
    return Usage(dict(zip(MEMORY, (1024.0 * resident, 1024.0 * shares, 1024.0 * most), strict=True)))


def counted_once(rollups: list[dict[str, int]]) -> int:
    """Return the kibibytes that processes hold together, from their smaps_rollup: a shared page counts once.

    This is the sum of all private pages and the largest shared set. It is exact for one process, and for nested shared
    sets, as after a fork. It lacks libraries that children share only with processes outside the tree.
    """
    private = sum(rollup["Private_Clean"] + rollup["Private_Dirty"] for rollup in rollups)
    return private + max(rollup["Shared_Clean"] + rollup["Shared_Dirty"] for rollup in rollups)


def peak(marks: list[int], twice: int) -> int:
    """Return the peak of a tree from the high-water marks (VmHWM) of its living processes, in kibibytes.

    For one process it is the kernel's mark, exact to some 100 kB: each processor counts the pages it hands out, and the
    counts are added up late. For several, it is the sum minus `twice`, the pages that are counted twice now. This is an
    upper bound if the peaks do not coincide, as long as the processes share as much as now.
    """
    return max(*marks, sum(marks) - twice) if len(marks) > 1 else marks[0]


def kibibytes(text: bytes) -> dict[str, int]:
    """Return {name: kB} from the lines ``Name:  123 kB`` in a file of /proc."""
    lines = [line.split() for line in text.decode(errors="replace").splitlines() if line.endswith(" kB")]
    return {words[0].rstrip(":"): int(words[1]) for words in lines if len(words) == 3}
