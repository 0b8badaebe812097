"""Where contenders must agree, and whether they do: their losses, and the settings in force."""

from __future__ import annotations

from collections.abc import Sequence

from rosettabench.lab.fairness import (
    EQUAL,
    PartlyCompiled,
    SettingDifference,
    differences,
    partly_compiled,
    values_of,
)
from rosettabench.summary.records import Agreement, EntrySummary, SettingRow


def loss_agreement(entries: Sequence[EntrySummary]) -> Agreement | None:
    """Return how far the losses of proven contenders lie apart at most, over the blocks that all of them took.

    The difference is the range over the mean. None where fewer than two proven contenders have a loss in common.
    """
    curves = [{point.samples: point.loss for point in entry.curve} for entry in entries if entry.proof.holds]
    curves = [curve for curve in curves if curve]
    common = set.intersection(*map(set, curves)) if len(curves) > 1 else set()
    if not common:
        return None
    apart = {samples: spread([curve[samples] for curve in curves]) for samples in common}
    farthest = max(sorted(apart), key=lambda samples: apart[samples])
    return Agreement(apart[farthest], farthest, len(common))


def spread(losses: Sequence[float]) -> float:
    """Return the range of positive numbers over their mean."""
    mean = sum(losses) / len(losses)
    return (max(losses) - min(losses)) / mean if mean else 0.0


def setting_rows(entries: Sequence[EntrySummary]) -> tuple[SettingRow, ...]:
    """Return every setting that was read back, with each contender's value; those that must be equal first."""
    settings = {entry.label: entry.settings for entry in entries}
    differing = {difference.name for difference in setting_differences(entries)}
    names = {name for found in settings.values() for name in found}
    return tuple(
        SettingRow(name, values_of(name, settings), differs=name in differing)
        for name in sorted(names, key=lambda name: (name not in EQUAL, name))
    )


def doubtful_settings(entries: Sequence[EntrySummary]) -> tuple[SettingDifference | PartlyCompiled, ...]:
    """Return what a reader must know of the settings: those that differ and should not, and what was not compiled."""
    return (*setting_differences(entries), *partly_compiled({entry.label: entry.settings for entry in entries}))


def setting_differences(entries: Sequence[EntrySummary]) -> list[SettingDifference]:
    """Return the differences between contenders that should not be."""
    return differences({entry.label: entry.settings for entry in entries})
