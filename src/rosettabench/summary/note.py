"""Notes on a number: why it is missing, how it was measured, and what it lacks."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from rosettabench.statistics.doubt import Doubt


class NoteKind(Enum):
    """The kinds of notes. Brackets name the values of a note; kinds without brackets have none."""

    # Why there is no number, or no interval.
    ARM_UNMEASURED = auto()  # (arm)
    PAIR_UNMEASURED = auto()  # (arm, arm)
    PAIR_UNMEASURED_ON_SETS = auto()  # (arm, arm)
    PAIR_UNTRAINED = auto()  # (arm, arm, sets of series)
    UNJUDGED = auto()  # (entry)
    SEVERAL = auto()  # (the reasons of each of several measurements)
    COMMON_ROUNDS = auto()
    ROUNDS_ON_A_SET = auto()
    AGREEMENT = auto()
    PAIRING = auto()
    LIBRARIES = auto()
    PROCESSES = auto()
    SEEDS = auto()
    TRAINED_SEEDS = auto()  # (how many)
    VALUES = auto()
    # How it was measured.
    IN_PLACE = auto()  # (framework, label)
    UNPAIRED = auto()
    DATA = auto()  # (origin)
    OTHER_BATCH = auto()  # (size, the study's)
    OVER_SEEDS = auto()  # (how many)
    OVER_SETS = auto()  # (how many, of)
    EPOCHS = auto()  # (how many, of)
    EPOCH_SPAN = auto()  # (fewest, most, of)
    ONE_SEED = auto()
    SO_MANY_SEEDS = auto()  # (how many)
    BATCH = auto()  # (size)
    SAMPLES = auto()  # (how many)
    # How the measured value relates to the expected one.
    PAIRS = auto()  # (as published, of, the other way round, open)
    BEYOND = auto()
    WRONG_SIZE = auto()
    WRONG_WAY = auto()
    NO_DIFFERENCE = auto()
    # What was not measured.
    MISSING_SETS = auto()  # (how many, of)
    MISSING_LIBRARIES = auto()  # (how many, of, names)
    NOT_TRAINED = auto()  # (entries)
    NOT_MEASURED = auto()  # (contender, contender)
    COMMON_SEED = auto()
    TRAINING_PARTS = auto()
    EQUAL_ROUNDS = auto()
    EQUAL_SETS = auto()
    # What a test here would need.
    WORKLOAD = auto()  # (name)
    QUANTITY = auto()  # (name)
    GPU = auto()
    GPUS = auto()  # (how many)
    AXIS = auto()  # (name, values)
    VALUE = auto()  # (axis, value)
    ONE_OF = auto()  # (names)
    TWO_OF = auto()  # (names)
    FRAMEWORK = auto()  # (names)
    IMPLEMENTATION = auto()  # (workload, frameworks)
    MODE = auto()  # (mode, framework)
    LOADER = auto()  # (frameworks)


@dataclass(frozen=True, init=False)
class Note(Doubt):
    """A note and its values."""

    kind: NoteKind
    values: tuple[Any, ...]

    def __init__(self, kind: NoteKind, *values: object) -> None:
        """Take the values that NoteKind lists for the `kind`, in that order. They are not checked."""
        object.__setattr__(self, "kind", kind)
        object.__setattr__(self, "values", values)
