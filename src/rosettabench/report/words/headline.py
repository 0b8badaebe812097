"""What stands above everything else."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Headline:
    """The verdict on a contest: the answer in a few words, and the evidence for it in a sentence."""

    answer: str
    evidence: str
