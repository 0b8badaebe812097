"""What the store keeps of forecasts of time series, as payloads of events.

Numbers that are not finite are kept as the texts of JSON's dialects, "Infinity" and "NaN", which are read back.
"""

from __future__ import annotations

import json
from typing import Any, ClassVar

from pydantic import ConfigDict, Field

from rosettabench.catalogue.workload import Strict

LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)
"""Quantiles of the forecasts that are kept: the median, and the ends of the bands of 50% and 90%."""


class Record(Strict):
    """The payload of an event of the kind `KIND`."""

    model_config = ConfigDict(ser_json_inf_nan="strings")

    KIND: ClassVar[str]

    def payload(self) -> dict[str, Any]:
        """Return it as any JSON can hold it."""
        payload: dict[str, Any] = json.loads(self.model_dump_json())
        return payload


class Shown(Strict):
    """A series that forecasts are drawn of: its last observations before the horizon, and those that were forecast.

    None where a value is missing.
    """

    place: int
    name: str
    history: tuple[float | None, ...]
    truth: tuple[float | None, ...]


class Drawn(Strict):
    """The forecast of one series: a row for each of LEVELS, (levels, horizon)."""

    place: int
    quantiles: tuple[tuple[float, ...], ...]


class ShownSeries(Record):
    """The series of a contest whose forecasts are kept."""

    KIND: ClassVar[str] = "shown"

    shown: tuple[Shown, ...]


class Forecasts(Record):
    """What a contender's sample paths of `series` series are worth, after its training.

    Durations are in seconds, wall time: `predict_s` and `predict_cpu_s` in the worker, `score_s` in the laboratory. The
    measures are those of statistics/forecast_accuracy.py; None where no series has one.
    """

    KIND: ClassVar[str] = "forecasts"

    series: int
    samples: int
    """Paths of each series."""
    seed: int
    predict_s: float
    predict_cpu_s: float
    score_s: float
    mase: float | None
    smape: float | None
    mean_weighted_quantile_loss: float | None
    forecasts: tuple[Drawn, ...]


class WatchedMove(Strict):
    """How the parameters of contenders have moved over some steps: the two that are furthest apart.

    `distance` is relative to the longer of two moves, `ratio` that of their lengths, both of the middle tensor.
    """

    when: str
    distance: float
    ratio: float
    reference: bool


class Watched(Record):
    """What was seen of the processes of a contest while they were timed; who did other work has a Failure of its own.

    `outputs` is how far outputs were at most from those that another framework computes from the same weights;
    `seconds` what looking has taken; `unchecked` are sentences about what could not be checked.
    """

    model_config = ConfigDict(ser_json_inf_nan="strings", frozen=False)

    KIND: ClassVar[str] = "watched"

    process: int
    seconds: float = 0.0
    outputs: float = 0.0
    moves: list[WatchedMove] = Field(default_factory=list)
    unchecked: list[str] = Field(default_factory=list)
