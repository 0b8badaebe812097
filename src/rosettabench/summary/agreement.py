"""Check that contenders agree where they must: in their losses, and in the settings in force."""

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
    """Return the largest difference between the losses of proven contenders, over the blocks that all of them took.

    The difference is the range over the mean. None if no two proven contenders have losses for the same blocks.
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
    """Return every setting that was read back, with each contender's value, first those that must be equal."""
    settings = {entry.label: entry.settings for entry in entries}
    differing = {difference.name for difference in setting_differences(entries)}
    names = {name for found in settings.values() for name in found}
    return tuple(
        SettingRow(name, values_of(name, settings), differs=name in differing)
        for name in sorted(names, key=lambda name: (name not in EQUAL, name))
    )


def doubtful_settings(entries: Sequence[EntrySummary]) -> tuple[SettingDifference | PartlyCompiled, ...]:
    """Return the remarkable settings: those that wrongly differ, and contenders that were only partly compiled."""
    return (*setting_differences(entries), *partly_compiled({entry.label: entry.settings for entry in entries}))


def setting_differences(entries: Sequence[EntrySummary]) -> list[SettingDifference]:
    """Return the differences between contenders in settings that must be equal."""
    return differences({entry.label: entry.settings for entry in entries})
