"""Where contenders must agree, and whether they do: their losses, and the settings in force."""

from __future__ import annotations

from collections.abc import Sequence

from rosettabench.report.summary import Agreement, EntrySummary, SettingRow

SAME = frozenset({"batch_size", "device", "precision", "seed", "tf32", "threads"})
"""Settings on which all contenders of a contest must agree; the others are the framework's own business."""


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
    """Return every setting that was read back, with each contender's value; those of SAME first."""
    names = {name for entry in entries for name in entry.settings}
    return tuple(setting_row(name, entries) for name in sorted(names, key=lambda name: (name not in SAME, name)))


def setting_row(name: str, entries: Sequence[EntrySummary]) -> SettingRow:
    """Return one setting across contenders. Whoever does not report it is neither equal nor different."""
    found = {entry.label: entry.settings[name] for entry in entries if entry.settings.get(name) is not None}
    values = {label: written(value) for label, value in found.items()}
    different = len({text.casefold() for text in values.values()}) > 1
    return SettingRow(name, values, differs=name in SAME and different)


def written(value: object) -> str:
    """Return a setting's value in words."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
