"""The kind of a run: the command that made it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any


class RunKind(StrEnum):
    """The kinds of runs. The value is the name of the command; OTHER stands for kinds of later versions."""

    RUN = "run"
    PROVE = "prove"
    EXPLAIN = "explain"
    CALIBRATE = "calibrate"
    VERIFY = "verify"
    SHIPPED = "shipped"
    PEAK = "peak"
    OTHER = "other"

    @property
    def has_contenders(self) -> bool:
        """Whether contenders or libraries take part; a PEAK run measures the machine."""
        return self not in (RunKind.PEAK, RunKind.OTHER)

    @property
    def is_timed(self) -> bool:
        """Whether contenders are timed."""
        return self not in (RunKind.PEAK, RunKind.PROVE, RunKind.OTHER)


def kind_of(request: Mapping[str, Any]) -> RunKind:
    """Return the kind of a run from its stored request.

    Version 0.1 did not store the kind; it follows from the other fields of the request.
    """
    if "kind" in request:
        kinds = {kind.value: kind for kind in RunKind}
        return kinds.get(str(request["kind"]), RunKind.OTHER)
    if "peak" in request:
        return RunKind.PEAK
    if request.get("shipped") is not None and "workloads" not in request:
        return RunKind.SHIPPED
    told = {"proving": RunKind.PROVE, "examining": RunKind.EXPLAIN, "planted": RunKind.CALIBRATE}
    return next((kind for key, kind in told.items() if request.get(key)), RunKind.RUN)
