"""How much faster several devices are than one, where a run measured both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rosettabench.plan.setting import with_defaults
from rosettabench.statistics.busy import Busy
from rosettabench.statistics.rounds import by_process, process_of_round
from rosettabench.statistics.unpaired import UNKNOWN, Series, SpreadOfEquals, equals, unpaired_interval
from rosettabench.store.machine import same_kind
from rosettabench.store.record import Phase
from rosettabench.summary.entry import from_interval
from rosettabench.summary.estimate import Estimate
from rosettabench.summary.records import ContestSummary, EntrySummary

AXIS = "devices"


@dataclass(frozen=True)
class SpeedUp:
    """One contender on several devices: `factor` is its time per step on one device over that on several.

    The two were measured one after the other, so the interval includes the spread between processes. It is None where
    the run has no contest on one device. `exchange` is the share of a step that the exchange takes, if measured. In
    place of either stands the load of the machine if others used it meanwhile.
    """

    contest: str
    label: str
    devices: int
    factor: Estimate | Busy | None
    exchange: Estimate | Busy | None

    @property
    def efficiency(self) -> Estimate | Busy | None:
        """The speed-up of each device: 1 if all together are as much faster as they are many."""
        return self.factor.times(1 / self.devices) if isinstance(self.factor, Estimate) else self.factor


def speed_ups(contests: Sequence[ContestSummary]) -> Iterator[SpeedUp]:
    """Yield what is known of each ranked contender in each contest on several devices."""
    for contest in contests:
        devices = with_defaults(contest.setting)[AXIS]
        if devices == 1:
            continue
        single = next((one for one in contests if is_sibling(one, contest)), None)
        alone = {entry.label: entry for entry in single.ranked} if single else {}
        alike = (difference_of_copies(single) if single else UNKNOWN) + difference_of_copies(contest)
        disturbed = (single and single.busy) or contest.busy
        for entry in contest.ranked:
            factor = factor_of(alone.get(entry.label), entry, alike, contest.stopping["confidence"])
            known = factor and (disturbed or factor)
            if known or entry.exchange:
                yield SpeedUp(contest.name, entry.label, devices, known, entry.exchange)


def is_sibling(single: ContestSummary, contest: ContestSummary) -> bool:
    """Return whether a contest is the same as another, on the same kind of machine, but on one device."""
    if not same_kind(single.machine, contest.machine):
        return False
    return single.workload == contest.workload and with_defaults(single.setting) == {
        **with_defaults(contest.setting),
        AXIS: 1,
    }


def factor_of(
    alone: EntrySummary | None, entry: EntrySummary, alike: SpreadOfEquals, confidence: float
) -> Estimate | None:
    """Return the time per step on one device over that on several; None with too few rounds."""
    if alone is None:
        return None
    found = unpaired_interval(series_of(entry), series_of(alone), alike, confidence)
    return None if found is None else from_interval(found)


def series_of(entry: EntrySummary) -> list[Series]:
    """Return the seconds per step of each process of an entry, round by round."""
    return [list(rounds.values()) for rounds in by_process(entry.rounds, processes_of(entry)).values()]


def processes_of(entry: EntrySummary) -> dict[int, int]:
    """Return {round: process} of an entry."""
    return process_of_round(one for one in entry.samples if one.phase == Phase.TURN)


def difference_of_copies(contest: ContestSummary) -> SpreadOfEquals:
    """Return how much equal processes differ, from the A/A control of a contest."""
    copy = next((one for one in contest.entries if one.control_of is not None), None)
    first = next((one for one in contest.entries if copy is not None and one.label == copy.control_of), None)
    if copy is None or first is None:
        return UNKNOWN
    common = copy.rounds.keys() & first.rounds.keys()
    ratios = {number: copy.rounds[number] / first.rounds[number] for number in sorted(common)}
    return equals(list(series.values()) for series in by_process(ratios, processes_of(first)).values())
