"""Notes on a number, in words."""

from __future__ import annotations

from collections.abc import Sequence

from rosettabench.report.words.doubt import doubts_words
from rosettabench.report.words.proof import standing_words
from rosettabench.statistics.doubt import Doubt
from rosettabench.summary.note import Note, NoteKind

NOTES = {
    NoteKind.ARM_UNMEASURED: "no run has measured {} at this setting",
    NoteKind.PAIR_UNMEASURED: "no run has measured both {} and {} at this setting",
    NoteKind.PAIR_UNMEASURED_ON_SETS: "no run has measured both {} and {} on any set",
    NoteKind.PAIR_UNTRAINED: "no run has trained both {} and {} on {}: it needs rosetta shipped",
    NoteKind.COMMON_ROUNDS: "too few common rounds",
    NoteKind.ROUNDS_ON_A_SET: "too few common rounds on some set",
    NoteKind.AGREEMENT: "its rounds contradict each other",
    NoteKind.PAIRING: "the two were in different contests: their CPU use was not paired",
    NoteKind.LIBRARIES: "no contest has measured two of these libraries",
    NoteKind.PROCESSES: "it needs --processes 2 or more",
    NoteKind.SEEDS: "an interval needs two seeds with which both were trained on every set",
    NoteKind.TRAINED_SEEDS: "{} seeds were trained to the end: it needs --full --set seed=0,1,2",
    NoteKind.VALUES: "not every value of the axis was measured often enough",
    NoteKind.IN_PLACE: "instead of {}: {}",
    NoteKind.UNPAIRED: "unpaired: the two were in different contests, so the range is that of all their rounds",
    NoteKind.DATA: "{} data",
    NoteKind.OTHER_BATCH: "with a batch of {}, where the study had {}",
    NoteKind.OVER_SEEDS: "over {} seeds",
    NoteKind.OVER_SETS: "over {} of {} sets",
    NoteKind.EPOCHS: "trained for {} of {} epochs",
    NoteKind.EPOCH_SPAN: "trained for {} to {} of {} epochs",
    NoteKind.ONE_SEED: "with 1 seed",
    NoteKind.SO_MANY_SEEDS: "with {} seeds",
    NoteKind.BATCH: "batch size {}",
    NoteKind.SAMPLES: "of {:,} samples",
    NoteKind.PAIRS: "{} of {} pairs as published, {} the other way round, {} open",
    NoteKind.BEYOND: "the interval reaches beyond what is expected",
    NoteKind.WRONG_SIZE: "the direction is right, the size is not",
    NoteKind.WRONG_WAY: "it is the other way round",
    NoteKind.NO_DIFFERENCE: "there is no such difference",
    NoteKind.MISSING_SETS: "{} of {} sets of series",
    NoteKind.MISSING_LIBRARIES: "{} of the {} libraries ({})",
    NoteKind.NOT_MEASURED: "{} and {} were not both proven and measured on it",
    NoteKind.COMMON_SEED: "no seed was trained with both",
    NoteKind.TRAINING_PARTS: "its trainings do not report their parts",
    NoteKind.EQUAL_ROUNDS: "at equal work too few rounds were measured, or they contradict each other",
    NoteKind.EQUAL_SETS: "not all of them were measured at equal work",
    NoteKind.WORKLOAD: "the workload {}",
    NoteKind.QUANTITY: "a measurement of the {}",
    NoteKind.GPU: "a GPU",
    NoteKind.GPUS: "{} GPUs",
    NoteKind.AXIS: "the axis {} ({})",
    NoteKind.VALUE: "{} {}",
    NoteKind.ONE_OF: "one of {}",
    NoteKind.TWO_OF: "two of {}",
    NoteKind.FRAMEWORK: "the framework {}",
    NoteKind.IMPLEMENTATION: "{} written in {}",
    NoteKind.MODE: "the mode {} of {}",
    NoteKind.LOADER: "a loader of {}",
}
"""{kind of note: its text, with places for its values}."""

LISTED = (NoteKind.MISSING_LIBRARIES, NoteKind.ONE_OF, NoteKind.TWO_OF)
"""Notes whose values are all meant. In other notes, any one of the values suffices."""


def reasons_words(reasons: Sequence[Doubt]) -> str:
    """Return why a measurement has no number or no interval; "" if it has both."""
    notes = [one for one in reasons if isinstance(one, Note)]
    return "; ".join(map(note_words, notes)) if notes else doubts_words(reasons)


def note_words(note: Note) -> str:
    """Return a note in words."""
    if note.kind is NoteKind.UNJUDGED:
        return "; ".join(f"cannot be judged: {one.label}, {standing_words(one)}" for one in note.values)
    if note.kind is NoteKind.NOT_TRAINED:
        return "; ".join(f"{one.label}: {'; '.join(one.absences)}" for one in note.values)
    if note.kind is NoteKind.SEVERAL:
        return "; ".join(dict.fromkeys(map(reasons_words, note.values)))
    both = ", " if note.kind in LISTED else " or "
    return NOTES[note.kind].format(*(both.join(one) if isinstance(one, tuple) else one for one in note.values))
