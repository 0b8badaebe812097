"""The kinds of events that a bundle holds."""

from __future__ import annotations

from rosettabench.store.record import (
    Dropped,
    Finished,
    Interrupted,
    JudgedForecasts,
    ProofTime,
    ReadBack,
    Record,
    Resumed,
    RoundLoad,
    Stopped,
    Unbegun,
    Unreadable,
    UsedData,
    UsedEnvironment,
    Watched,
)

CLASSES: tuple[type[Record], ...] = (
    Dropped,
    Finished,
    Interrupted,
    JudgedForecasts,
    ProofTime,
    ReadBack,
    Resumed,
    RoundLoad,
    Stopped,
    Unbegun,
    Unreadable,
    UsedData,
    UsedEnvironment,
    Watched,
)

KINDS = {one.KIND: one for one in CLASSES}
"""{kind: the class of its payload}. Time series are data, and other kinds belong to other commands."""
