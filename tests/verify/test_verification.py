"""What a verification says, from stored runs of which the truth is known: beside the managed release, and the past."""

import pytest
from stored import Player, write_run

from rosettabench.report.formats.verification import unproven_words
from rosettabench.statistics.doubt import SuspectRounds
from rosettabench.statistics.interval import Interval
from rosettabench.verify.hardware import Hardware
from rosettabench.verify.installed import Counterpart
from rosettabench.verify.verification import InstallationStanding, VerifiedSubject, beside, verification

SUBJECT = VerifiedSubject("2.13.0", Counterpart("2.13.0", "2.13.0", True))
PLAIN = Hardware("AVX2", ())
THEIRS = "/their/bin/python"


def write(store, number, times=1.0, **more):
    """Write a run of an installation, `times` as slow as its managed release; return it."""
    own = Player("pytorch", 2e-3 * times, python=THEIRS, **{"version": "2.13.0", **more.pop("own", {})})
    return store.run(write_run(store, number, [own, Player("pytorch", 2e-3, "2.13.0")], **more))


def verified(store, run, margin=0.1):
    return verification(store, run, SUBJECT, PLAIN, margin)


@pytest.mark.parametrize(
    ("ends", "standing"),
    [
        ((1.0, 0.95, 1.05), InstallationStanding.RIGHT),
        ((0.5, 0.4, 0.6), InstallationStanding.RIGHT),
        ((1.05, 1.02, 1.09), InstallationStanding.RIGHT),
        ((1.5, 1.4, 1.6), InstallationStanding.SLOW),
        ((1.3, 1.01, 1.6), InstallationStanding.SLOW),
        ((1.08, 1.01, 1.15), InstallationStanding.OPEN),
        ((1.3, 0.9, 1.8), InstallationStanding.OPEN),
    ],
)
def test_three_words(ends, standing):
    assert beside(Interval(*ends, 0.95, 20), 0.1).standing is standing


def test_what_is_in_doubt_is_open():
    slow = Interval(1.5, 1.4, 1.6, 0.95, 20)
    assert beside(slow, 0.1, (SuspectRounds(None),)).standing is InstallationStanding.OPEN
    assert beside(Interval(1.5, 1.4, 1.6, 0.95, 20, steady=False), 0.1).standing is InstallationStanding.OPEN
    assert beside(None, 0.1).standing is InstallationStanding.OPEN


def test_an_installation_like_the_managed_one_is_right(store):
    found = verified(store, write(store, 1, born=0.0, processes=5, rounds=20))
    assert found.standing is InstallationStanding.RIGHT
    assert (found.fault, found.unproven, found.past, found.runs) == ("", None, None, 0)
    assert found.label == f"pytorch@{THEIRS}"


def test_a_slow_one_is_slow_by_as_much(store):
    found = verified(store, write(store, 1, 1.8))
    assert found.standing is found.managed.standing is InstallationStanding.SLOW
    assert found.managed.interval.low < 1.8 < found.managed.interval.high * 1.03


def test_a_faster_one_is_right_too(store):
    assert verified(store, write(store, 1, 0.6)).standing is InstallationStanding.RIGHT


def test_slower_than_in_its_own_past_is_slow_though_no_slower_than_the_managed_release(store):
    for number in (1, 2, 3):
        write(store, number, 0.5)
    found = verified(store, write(store, 4, 1.0, own={"settings": {"threads": 1, "device": "cpu", "oneDNN": False}}))
    assert found.managed.standing is not InstallationStanding.SLOW
    assert found.earlier.standing is found.standing is InstallationStanding.SLOW
    assert found.runs == 3
    assert found.past.controls == ("pytorch:eager",)
    assert [change.what for change in found.past.changes] == ["setting oneDNN"]


def test_the_past_is_what_it_was_before_it_last_changed(store):
    write(store, 1, 3.0, own={"version": "2.12.0"})
    write(store, 2, 3.0, own={"version": "2.12.0"})
    write(store, 3, 1.0)
    write(store, 4, 1.0)
    assert verified(store, write(store, 5, 1.0)).runs == 2


def test_flawed_runs_other_machines_and_later_runs_are_no_past(store):
    write(store, 1, own={"proven": False})
    write(store, 2, machine={"processor": "Imaginary 9000"})
    run = write(store, 3)
    write(store, 4)
    assert verified(store, run).past is None


def test_a_failed_proof_is_told_and_not_judged(store):
    found = verified(store, write(store, 1, own={"proven": False}))
    said = unproven_words(found)
    assert "proof failed: at step 0" in said or "dense.kernel" in said
    assert found.managed.standing is InstallationStanding.OPEN


def test_with_nothing_beside_it_nothing_is_said(store):
    run = store.run(write_run(store, 1, [Player("pytorch", 2e-3, python=THEIRS)]))
    assert verification(store, run, VerifiedSubject("2.13.0", None), PLAIN, 0.1).standing is InstallationStanding.NONE
