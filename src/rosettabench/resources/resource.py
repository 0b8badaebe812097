"""The resources that a contender uses, by the names of their figures."""

from __future__ import annotations

from enum import StrEnum


class Resource(StrEnum):
    """What a contender uses. Units are in the names: ``_s`` seconds, ``_bytes``, ``_j`` joules; the rest are counts.

    docs/reference/resources.md says of each how it is measured.
    """

    CPU_USER = "cpu_user_s"
    CPU_SYSTEM = "cpu_system_s"
    RESIDENT = "resident_bytes"
    PSS = "pss_bytes"
    PEAK_MEMORY = "peak_memory_bytes"
    MINOR_FAULTS = "minor_faults"
    MAJOR_FAULTS = "major_faults"
    READ = "read_bytes"
    WRITTEN = "written_bytes"
    VOLUNTARY_SWITCHES = "voluntary_switches"
    INVOLUNTARY_SWITCHES = "involuntary_switches"
    GPU_MEMORY = "gpu_memory_bytes"
    GPU_UTILISATION = "gpu_utilisation"
    GPU_ENERGY = "gpu_energy_j"
    CPU_ENERGY = "cpu_energy_j"
