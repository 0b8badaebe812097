"""An installation beside the ceilings: its share is told where a ceiling is stored, and else the command."""

import pytest
from rows import event_of
from stored import SETTING, Player, write_run

from rosettabench.catalogue.operations import operations
from rosettabench.catalogue.workload import find_workload
from rosettabench.ceilings.series import CeilingSeries
from rosettabench.client.machine import describe_machine
from rosettabench.plan.request import PeakRequest
from rosettabench.report.formats.verification import ceiling_words
from rosettabench.store.schema import Run
from rosettabench.store.store import now
from rosettabench.verify.hardware import Hardware
from rosettabench.verify.installed import Counterpart
from rosettabench.verify.verification import VerifiedSubject, verification

SUBJECT = VerifiedSubject("2.13.0", Counterpart("2.13.0", "2.13.0", True))


def verified(store):
    players = [Player("pytorch", 4e-3, python="/their/bin/python"), Player("pytorch", 2e-3)]
    run = store.run(write_run(store, 1, players))
    return verification(store, run, SUBJECT, Hardware(None, ()), 0.1)


def test_without_a_ceiling_the_command_is_told(store):
    found = verified(store)
    assert found.ceiling.share is None
    assert "rosetta peak --threads 1" in ceiling_words(found)


def test_the_share_of_a_stored_ceiling(store):
    machine = describe_machine()
    request = PeakRequest().model_dump(mode="json")
    run = Run(id="peak", at=now(), version="0", command=["rosetta", "peak"], request=request, machine=machine)
    store.add(run)
    series = CeilingSeries(
        library="pytorch",
        environment="pytorch@2.13.0",
        threads=1,
        device="cpu",
        kind="product",
        what="float32",
        size=2048,
        amount=1e9,
        times=10,
        seconds=(0.1, 0.2),
        cpu_seconds=(0.1, 0.2),
        error=1e-7,
    )
    store.add(event_of(series, "peak"))
    found = verified(store)
    step = operations(find_workload("fashion-mlp")).training * SETTING["batch_size"]
    assert found.ceiling.share.value == pytest.approx(step / found.step.value / 1e11)
    assert found.ceiling.managed.value == pytest.approx(2 * found.ceiling.share.value, rel=0.1)
    assert "of the machine's ceiling, the managed release" in ceiling_words(found)
