"""Numbers in words: three significant digits, a unit, and the interval beside the estimate."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, isfinite, isnan, log10
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rosettabench.statistics.interval import Interval

DIGITS = 3
"""Significant digits of every measured number. On a shared machine, intervals never justify more."""

MISSING = "–"
"""The sign for a missing measurement."""


@dataclass(frozen=True)
class Unit:
    """A unit: its name, and its size in base units (seconds, bytes)."""

    name: str
    size: float


TIMES = (Unit("s", 1.0), Unit("ms", 1e-3), Unit("µs", 1e-6))
MEMORIES = (Unit("GB", 1e9), Unit("MB", 1e6), Unit("kB", 1e3))
COUNTS = (Unit("TFLOP", 1e12), Unit("GFLOP", 1e9), Unit("MFLOP", 1e6))
SPEEDS = (Unit("TFLOP/s", 1e12), Unit("GFLOP/s", 1e9), Unit("MFLOP/s", 1e6))
BANDWIDTHS = (Unit("TB/s", 1e12), Unit("GB/s", 1e9), Unit("MB/s", 1e6))


def fitting(value: float, units: tuple[Unit, ...]) -> Unit:
    """Return the first of `units` (largest first) that is not larger than `value`; else the smallest."""
    return next((unit for unit in units if abs(value) >= unit.size), units[-1])


def significant(value: float) -> str:
    """Return a number with three significant digits: 0.00123, 1.30, 12.3, 1,230, 4.56e-07."""
    if not isfinite(value):
        return "not a number" if isnan(value) else "infinite"
    if value == 0:
        return "0"
    rounded = float(f"{value:.{DIGITS - 1}e}")
    magnitude = floor(log10(abs(rounded)))
    if magnitude < -3 or magnitude > 8:
        return f"{value:.{DIGITS - 1}e}"
    return f"{rounded:,.{max(0, DIGITS - 1 - magnitude)}f}"


def count(value: int) -> str:
    """Return an exact whole number with thousands separators: 25,000."""
    return f"{value:,d}"


def seconds(value: float) -> str:
    """Return a duration in a suitable unit: 1.31 ms."""
    unit = fitting(value, TIMES)
    return f"{significant(value / unit.size)} {unit.name}"


def memory(value: float) -> str:
    """Return an amount of memory in a suitable unit, decimal: 1 MB is 1,000,000 bytes."""
    unit = fitting(value, MEMORIES)
    return f"{significant(value / unit.size)} {unit.name}"


def operations(value: float) -> str:
    """Return a number of floating-point operations in a suitable unit."""
    unit = fitting(value, COUNTS)
    return f"{significant(value / unit.size)} {unit.name}"


def speed(value: float) -> str:
    """Return floating-point operations per second in a suitable unit."""
    unit = fitting(value, SPEEDS)
    return f"{significant(value / unit.size)} {unit.name}"


def bandwidth(value: float) -> str:
    """Return bytes per second in a suitable unit, decimal."""
    unit = fitting(value, BANDWIDTHS)
    return f"{significant(value / unit.size)} {unit.name}"


def ratio(value: float) -> str:
    """Return a ratio of times: 1.31×."""
    return f"{significant(value)}×"


def percent(fraction: float) -> str:
    """Return a fraction in percent: 88.4%; whole percents (such as a confidence) without decimals."""
    if not isfinite(fraction):
        return significant(fraction)
    hundredths = 100 * fraction
    whole = round(hundredths)
    return f"{whole}%" if abs(hundredths - whole) < 1e-9 else f"{significant(hundredths)}%"


def span(low: float, high: float) -> str:
    """Return an interval: 1.27 to 1.35."""
    return f"{significant(low)} to {significant(high)}"


def interval_words(interval: Interval) -> str:
    """Return an interval with its confidence: ``95%: 1.27 to 1.35``."""
    return f"{percent(interval.confidence)}: {span(interval.low, interval.high)}"


def seconds_range(low: float, high: float) -> str:
    """Return an interval of durations with its unit: 1.27 to 1.35 ms."""
    widest = max(abs(low), abs(high))
    return f"{seconds_span(widest, low, high)} {fitting(widest, TIMES).name}"


def seconds_span(value: float, low: float, high: float) -> str:
    """Return the interval of the duration `value`, in its unit, which is not repeated."""
    return span_beside(value, low, high, TIMES)


def memory_span(value: float, low: float, high: float) -> str:
    """Return the extremes of the memory `value`, in its unit, which is not repeated."""
    return span_beside(value, low, high, MEMORIES)


def span_beside(value: float, low: float, high: float, units: tuple[Unit, ...]) -> str:
    """Return low to high in the unit of `value`, which is not repeated."""
    size = fitting(value, units).size
    return span(low / size, high / size)
