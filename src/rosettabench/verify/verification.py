"""A verification: compare a framework of an interpreter with its managed release and its past; find causes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from rosettabench.ceilings.ceiling import measured_here
from rosettabench.history.archive import Archive
from rosettabench.history.cell import Key, StoredContest, stored_contests
from rosettabench.history.comparison import Compared, Pairing, Side
from rosettabench.statistics.doubt import Doubt, TooFewRounds
from rosettabench.statistics.interval import Interval
from rosettabench.summary.estimate import Estimate
from rosettabench.summary.measured_contest import measured_contests
from rosettabench.summary.records import ContestSummary, EntrySummary, PeakSummary, ProofState, ProofSummary
from rosettabench.summary.run import summarise
from rosettabench.verify.causes import Cause, Installation, causes, unreadable
from rosettabench.verify.hardware import Hardware
from rosettabench.verify.installed import Counterpart
from rosettabench.verify.roof import Roof, roof_causes

if TYPE_CHECKING:
    from rosettabench.store.schema import Run
    from rosettabench.store.store import Store


class InstallationStanding(StrEnum):
    """The result of comparing an installation."""

    RIGHT = "as it should be"
    SLOW = "slow"
    OPEN = "not enough data"
    NONE = "nothing to compare it with"


@dataclass(frozen=True)
class ComparedInstallation:
    """An installation compared with something else: its standing, its time over the other's, and the doubt, if any."""

    standing: InstallationStanding
    interval: Interval | None = None
    doubts: tuple[Doubt, ...] = ()


@dataclass(frozen=True)
class NoManaged(Doubt):
    """The managed release could not be measured, and why."""

    why: str


NOTHING = ComparedInstallation(InstallationStanding.NONE)


@dataclass(frozen=True)
class CeilingShare:
    """The share of the machine's ceiling that an installation reaches, and that of the managed release.

    None where the ceiling is not measured yet; `peak` is what is known of it. It is told and not judged: a small model
    is far below any ceiling in every framework.
    """

    share: Estimate | None
    managed: Estimate | None
    peak: PeakSummary


@dataclass(frozen=True)
class Verification:
    """The findings for one framework of an interpreter.

    `fault` says why it could not be measured, empty where it was; `unproven` is its proof, if that failed.
    `managed` is it beside the managed release in the same rounds, `earlier` beside its own `runs` earlier runs on this
    machine, `past` that comparison itself; `roof` is its own products beside the machine's ceiling, `ceiling` what
    its steps reach of it. `causes` and `unread` are what was read of it, and what could not be.
    """

    label: str
    version: str | None
    run: str
    step: Estimate | None
    counterpart: Counterpart | None
    fault: str
    unproven: ProofSummary | None
    managed: ComparedInstallation
    earlier: ComparedInstallation
    past: Compared | None
    runs: int
    roof: Roof | None
    causes: tuple[Cause, ...]
    unread: tuple[str, ...]
    ceiling: CeilingShare

    @property
    def standing(self) -> InstallationStanding:
        """The verdict: slow if either comparison says so, else that of the managed release, else that of the past."""
        if InstallationStanding.SLOW in (self.managed.standing, self.earlier.standing):
            return InstallationStanding.SLOW
        return self.earlier.standing if self.managed.standing is InstallationStanding.NONE else self.managed.standing


def beside(interval: Interval | None, margin: float, doubts: tuple[Doubt, ...] = ()) -> ComparedInstallation:
    """Return how something stands that takes `interval` times as long as it should.

    As it should be: the whole interval is at most 1 + margin (a test of non-inferiority: Schuirmann 1987). Slow: the
    interval is above 1, and the estimate above 1 + margin. Otherwise there is not enough data.
    """
    if interval is None or doubts or not interval.steady:
        return ComparedInstallation(InstallationStanding.OPEN, interval, doubts)
    if interval.high <= 1 + margin:
        return ComparedInstallation(InstallationStanding.RIGHT, interval)
    if interval.low > 1 and interval.ratio > 1 + margin:
        return ComparedInstallation(InstallationStanding.SLOW, interval)
    return ComparedInstallation(InstallationStanding.OPEN, interval)


@dataclass(frozen=True)
class VerifiedSubject:
    """The subject of a verification: a framework's installed version, if known, and the managed release chosen for it.

    `debug_python` is whether its interpreter is a debug build, `roof` the rate of its products, if measured,
    `most_threads` the threads of a framework that cannot use more.
    """

    version: str | None
    counterpart: Counterpart | None
    debug_python: bool = False
    roof: Roof | None = None
    most_threads: int | None = None


def verification(store: Store, run: Run, subject: VerifiedSubject, hardware: Hardware, margin: float) -> Verification:
    """Return the verification from a run of one contest: its first entry is the installation, the next the release."""
    contest = summarise(run, measured_here(store, run.machine)).contests[0]
    labels = [entry.label for entry in run.contests[0].entries if entry.control_of is None]
    own, *others = (find(contest, label) for label in labels)
    managed = others[0] if others else None
    past, runs = compare_with_past(store, run, labels, margin)
    failed = own.proof.state is ProofState.FAILED
    return Verification(
        label=own.label,
        version=subject.version,
        run=run.id,
        step=own.step,
        counterpart=subject.counterpart,
        fault="" if failed else fault_of(own),
        unproven=own.proof if failed else None,
        managed=beside_managed(contest, own, managed, margin),
        earlier=NOTHING if past is None else beside(past.ratio, margin, past.verdict.doubts),
        past=past,
        runs=runs,
        roof=subject.roof,
        causes=(
            *causes(
                Installation(own.settings, own.packages, subject.debug_python, subject.most_threads),
                Installation(managed.settings, managed.packages) if managed else None,
                hardware,
                contest.setting["threads"],
            ),
            *roof_causes(subject.roof),
        ),
        unread=tuple(unreadable(own.settings)) if own.settings else (),
        ceiling=CeilingShare(own.share, managed.share if managed else None, contest.peak),
    )


def find(contest: ContestSummary, label: str) -> EntrySummary:
    """Return the entry with a label."""
    return next(entry for entry in contest.entries if entry.label == label)


def fault_of(own: EntrySummary) -> str:
    """Return why an installation could not be measured; empty if it was."""
    return "" if own.rounds else (own.faults[0].what if own.faults else "it was not timed")


def beside_managed(
    contest: ContestSummary, own: EntrySummary, managed: EntrySummary | None, margin: float
) -> ComparedInstallation:
    """Compare an installation with the managed release in their common rounds."""
    if managed is None:
        return NOTHING
    if not managed.rounds:
        return ComparedInstallation(InstallationStanding.NONE, None, (NoManaged(fault_of(managed)),))
    pair = next((one for one in contest.verdicts if {one.faster, one.slower} == {own.label, managed.label}), None)
    if pair is None or pair.interval is None:
        return ComparedInstallation(InstallationStanding.OPEN, None, (TooFewRounds(),))
    interval = pair.interval if pair.slower == own.label else pair.interval.inverse()
    return beside(interval, margin, pair.doubts)


def compare_with_past(store: Store, run: Run, labels: Sequence[str], margin: float) -> tuple[Compared | None, int]:
    """Compare an installation with its earlier runs on this machine; return also their number; None and 0 without any.

    Only earlier runs that equal the newest count: the state before the last change of the installation. If all of them
    included the same managed release, it is the control.
    """
    now = next((one for one in stored_contests(measured_contests(run)) if labels[0] in one.cells), None)
    if now is None:
        return None, 0
    keys = [now.cells[label].key for label in labels if label in now.cells]
    earlier = alike_contests(Archive(store, now.cells[labels[0]].key.workload, run.machine).of(keys[0]), run.id, keys)
    if not earlier:
        return None, 0
    pairing = Pairing(Side(earlier), Side([now]), (), run.contests[0].stopping["confidence"], margin)
    controls = [key for key in pairing.unchanged_cells() if key != keys[0]]
    return pairing.cell(keys[0], controls, 1), len({one.run for one in earlier})


def alike_contests(found: Sequence[StoredContest], run: str, keys: Sequence[Key]) -> list[StoredContest]:
    """Return the earlier contests that equal the newest of them in all cells, without flawed ones."""
    sound = [
        one for one in found if one.run < run and all((cell := one.find_cell(key)) and not cell.flaw for key in keys)
    ]
    newest = [sound[-1].find_cell(key) for key in keys] if sound else []
    return [
        one for one in sound if all(cell and (mine := one.find_cell(cell.key)) and mine.same(cell) for cell in newest)
    ]
