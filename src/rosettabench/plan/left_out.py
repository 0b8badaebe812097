"""Sentences on the contests that a run leaves out, grouped: with a short budget, a study leaves out dozens."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rosettabench.plan.request import LeftOut
from rosettabench.plan.setting import with_defaults, without_defaults

EVERYWHERE = {"device", "precision", "seed", "threads"}
"""Axes that every setting states. They are named only if the settings differ on them."""


def sentences(left_out: Sequence[LeftOut]) -> list[str]:
    """Return a sentence for each workload and reason, without a full stop: ``imdb-gru, batch size 64: no time …``."""
    groups: dict[tuple[str, str], list[LeftOut]] = {}
    for one in left_out:
        groups.setdefault((one.workload, one.why), []).append(one)
    return [sentence(workload, why, group) for (workload, why), group in groups.items()]


def sentence(workload: str, why: str, group: Sequence[LeftOut]) -> str:
    """Return the sentence on contests of one workload that are left out for the same reason."""
    words = setting_words([one.setting for one in group])
    named = f"{len(group)} settings ({words})" if len(group) > 1 else words
    return f"{workload}, {named}: {why}{asked_words([one.asked for one in group if one.asked is not None])}"


def setting_words(settings: Sequence[Mapping[str, Any]]) -> str:
    """Return the values of settings in words: ``batch size 64 or 128; workers 0, 1 or 2``."""
    found = [{**one, **with_defaults(one)} for one in settings]
    values = {axis: dict.fromkeys(one[axis] for one in found) for axis in found[0]}
    named = {axis for one in settings for axis in without_defaults(one)} - EVERYWHERE
    return "; ".join(
        f"{axis.replace('_', ' ')} {alternatives(several)}"
        for axis, several in values.items()
        if axis in named or len(several) > 1
    )


def alternatives(values: Iterable[Any]) -> str:
    """Return values in words: ``0, 1 or 2``."""
    *others, last = (str(value) for value in values)
    return f"{', '.join(others)} or {last}" if others else last


def asked_words(counts: Sequence[int]) -> str:
    """Return a clause on how many claims asked for contests, after a semicolon; "" if it is not known."""
    if not counts:
        return ""
    least, most = min(counts), max(counts)
    claims = {0: "no claim", 1: "one claim"}.get(most, f"{most} claims")
    if len(counts) == 1:
        return f"; {claims} asked for it"
    return f"; {claims if least == most else f'{least} to {most} claims'} asked for each"
