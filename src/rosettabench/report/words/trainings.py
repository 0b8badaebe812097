"""Complete trainings by libraries as shipped, in words: the fastest library, the extent, and remarks."""

from __future__ import annotations

from collections.abc import Sequence

from rosettabench.data.series.monash import all_monash_sets
from rosettabench.plan.trainings import EPOCHS, SEEDS, epochs_words
from rosettabench.report.words import figures
from rosettabench.report.words.headline import Headline
from rosettabench.summary.records import TrainedSet, TrainingsSummary

SENTENCE = (
    "Library against library, not equal work: each trains its own DeepAR as it is shipped. The differences are listed "
    "below; nothing is ranked."
)

STUDY_RELEASE = "0.13.3"
"""The release of GluonTS in the study."""


def set_headline(found: TrainedSet) -> Headline:
    """Return which library trained faster on a set, and the number of seeds."""
    extent = f"{epochs_words(found.epochs)}, {seeds_words(found.seeds)}"
    first = next((one for one in found.entries if one.fastest), None)
    others = [(one.label, one.relative) for one in found.entries if one.relative is not None]
    if first is None:
        return Headline("Nothing was trained", "See below why.")
    if not others:
        return Headline(f"Only {first.label} was trained", f"{extent}.")
    answer = "; ".join(
        f"{label} trains {figures.ratio(ratio.value)} as long as {first.label}"
        + (f" ({figures.span(ratio.low, ratio.high)})" if ratio.times > 1 else "")
        for label, ratio in others
    )
    return Headline(
        answer, f"{extent}: the median, and the extremes over seeds." if len(found.seeds) > 1 else f"{extent}."
    )


def scale_words(found: TrainingsSummary) -> str:
    """Return which part of the study's trainings was run."""
    sets = found.sets
    of_study = [key for key, one in all_monash_sets().items() if one.study]
    trained = [one for one in sets if one.seeds]
    count = sum(one.used.series in of_study for one in trained)
    epochs = sorted({one.epochs for one in trained}) or [found.request.epochs]
    span = epochs_words(epochs[0]) if len(epochs) == 1 else f"{epochs[0]} to {epochs_words(epochs[-1])}"
    seeds = {seed for one in sets for seed in one.seeds}
    said = (
        f"{count} of the study's {len(of_study)} sets, {span} of its {EPOCHS}, {seeds_words(seeds)} of its {len(SEEDS)}"
    )
    whole = count == len(of_study) and epochs == [EPOCHS] and seeds.issuperset(SEEDS)
    return f"{said}." if whole else f"Scaled down: {said}."


def seeds_words(seeds: Sequence[int] | set[int]) -> str:
    """Return a number of seeds in words."""
    return "1 seed" if len(seeds) == 1 else f"{len(seeds)} seeds"


def training_remarks(found: TrainingsSummary) -> list[str]:
    """Return remarks on the differences: which code they were read from, and what could not be read."""
    if not found.installed:
        return []
    releases = [
        f"{one.library}: {', '.join(f'{name} {version}' for name, version in one.packages.items() if version)}"
        for one in found.installed
    ]
    read = f"Read from the installed code, not from anybody's description: {'; '.join(releases)}."
    unread = f"The study had GluonTS {STUDY_RELEASE}, which is not installed here: what it did is not known."
    return [read, unread]
