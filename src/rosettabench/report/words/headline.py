"""The headline of a result."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Headline:
    """The verdict on a contest: the answer in a few words, and the evidence in a sentence."""

    answer: str
    evidence: str
