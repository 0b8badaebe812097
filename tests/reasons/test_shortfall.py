"""Shortfalls: whoever surely is far below is told of, with the operations and the switches; nobody else is."""

import json
from dataclasses import replace
from typing import get_args

import numpy as np
import pytest
from examined import FAST, SLOW, measured, subject

from rosettabench.catalogue.operations import operations_of_step
from rosettabench.catalogue.switch import Switch
from rosettabench.catalogue.workload import find_workload
from rosettabench.ceilings.ceiling import measured_here
from rosettabench.ceilings.series import CeilingSeries
from rosettabench.cli.explain import again
from rosettabench.lab.journal import Journal
from rosettabench.plan.request import ExplainRequest, PeakRequest
from rosettabench.reasons.measured import Operation, Profile
from rosettabench.reasons.parts import explain
from rosettabench.reasons.shortfall import (
    CONCERNED,
    FAR_BEHIND,
    FAR_BELOW,
    KINDS,
    Circumstances,
    EnteredContender,
    find_shortfalls,
)
from rosettabench.reasons.vocabulary import is_gradient
from rosettabench.report.formats.html import render_html
from rosettabench.report.formats.markdown import render_markdown
from rosettabench.report.formats.record import render_json
from rosettabench.report.words.shortfall import shortfall_words
from rosettabench.statistics.busy import Busy
from rosettabench.store.schema import Contest, Entry, Run
from rosettabench.store.store import Store, now
from rosettabench.summary.reasons import summarise_reasons
from rosettabench.summary.run import summarise

SLOW_STEP = SLOW["a"] + 32 * SLOW["b"] + SLOW["input"]
FAST_STEP = FAST["a"] + 32 * FAST["b"] + FAST["input"]
BACK = "ynn_fusion jit(update)/transpose(jvp())/conv_general_dilated"
ENTRANTS = [
    EnteredContender("slow", "jax", "0.10.2", "compiled"),
    EnteredContender("fast", "pytorch", "2.13.0", "eager"),
]
ON_CPU = Circumstances(device="cpu", at_ceiling=None, recurrent=False)

SWITCH = Switch(
    frameworks=("jax",),
    releases=("0.10.2",),
    in_force=("tuned",),
    device="cpu",
    kind="convolution",
    what="another library convolves",
    how="convolves=another",
    gains=True,
    page="reference/axes.md",
    heading="Modes",
    measured=({"workload": "cifar-vgg", "before": 413, "after": 279, "unit": "ms"},),
)
ANOTHER = {"measured": (), "gains": False, "outcome": "nothing"}


def operation(name, seconds, *within):
    return Operation(name=name, calls=10, seconds=seconds, within=within)


PROFILE = Profile(
    steps=10,
    elapsed_s=0.1,
    operations=(
        operation("conv jit(update)/jvp()/conv_general_dilated", 0.02, "convolution"),
        operation(BACK, 0.05, "convolution", "parameter"),
        operation("fusion jit(update)/jvp()/dot_general", 0.009, "dot"),
    ),
)
"""Seven tenths convolutions, a tenth or less matrix products, a fifth and more idle."""


def explained(noise=0.0, profile=PROFILE, without=(), rounds=12):
    random = np.random.default_rng(0)
    slow = subject("slow", SLOW, random, rounds, noise, without=without)
    slow = slow.model_copy(update={"framework": "jax", "profile": profile})
    return explain(measured(slow, subject("fast", FAST, random, rounds, noise)))


def found(share=0.1, explanation=None, entered=ENTRANTS, switches=(SWITCH,), **held):
    """What is found where a step at the ceiling takes so large a share of the slow one's."""
    circumstances = replace(ON_CPU, at_ceiling=share and share * SLOW_STEP, **held)
    return find_shortfalls(explanation or explained(), entered, circumstances, switches)


def test_far_below_names_the_operations_and_the_switch():
    slow, fast = found()
    assert (slow.label, fast.label) == ("slow", "fast")
    assert slow.share.value == pytest.approx(0.1)
    assert [(one.word, pytest.approx(one.share)) for one in slow.kinds] == [("convolution", 0.7)]
    assert [(one.name, one.gradient) for one in slow.operations] == [
        (BACK, True),
        ("conv jit(update)/jvp()/conv_general_dilated", False),
    ]
    assert slow.operations[0].share == pytest.approx(0.5)
    assert slow.switches == (SWITCH,)
    assert fast.kinds == fast.operations == fast.switches == ()


def test_near_the_ceiling_nothing_is_said():
    assert found(share=0.9) == []
    assert [one.label for one in found(share=FAR_BELOW * 0.99)] == ["slow"], "the fast one is near enough"
    assert found(share=FAR_BELOW * 1.01) == []


def test_it_must_be_sure():
    """An interval that reaches FAR_BELOW says nothing, though the estimate lies below."""
    noisy = explained(noise=0.3)
    [slow, _] = noisy.steps
    at_ceiling = FAR_BELOW * (slow.total.low + slow.total.value) / 2
    assert at_ceiling / slow.total.value < FAR_BELOW < at_ceiling / slow.total.low
    assert find_shortfalls(noisy, ENTRANTS[:1], replace(ON_CPU, at_ceiling=at_ceiling), [SWITCH]) == []


def test_without_a_ceiling_it_is_the_time_over_that_of_the_fastest():
    assert SLOW_STEP / FAST_STEP > FAR_BEHIND
    [slow] = found(share=None)
    assert (slow.label, slow.fastest, slow.share) == ("slow", "fast", None)
    assert slow.behind.value == pytest.approx(SLOW_STEP / FAST_STEP)
    assert slow.switches == (SWITCH,)
    random = np.random.default_rng(0)
    near = explain(measured(subject("slow", SLOW | {"b": 30e-6}, random), subject("fast", FAST, random)))
    assert found(share=None, explanation=near) == []


@pytest.mark.parametrize(
    "change",
    [
        {"mode": "tuned"},
        {"framework": "keras[jax]"},
        {"release": "0.9.0"},
    ],
)
def test_a_switch_of_others_or_in_force_is_not_named(change):
    [slow] = found(entered=[replace(ENTRANTS[0], **change)])
    assert slow.switches == ()
    assert "No switch is known here" in shortfall_words(slow, 0.95).evidence


def test_a_switch_of_another_device_is_not_named():
    assert found(device="cuda")[0].switches == ()


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"kind": "dense"}, False),  # less than a tenth of the step
        ({"kind": "optimiser"}, False),
        ({"kind": "launch"}, True),  # a fifth and more
        ({"kind": "allocation"}, True),
        ({"kind": "recurrence"}, False),  # no layer of the workload is one
        (ANOTHER, False),
    ],
)
def test_a_switch_is_named_if_it_concerns_what_takes_the_time_and_gained(change, named):
    assert CONCERNED == 0.2
    switch = Switch(**SWITCH.model_dump() | change)
    assert found(switches=[switch])[0].switches == ((switch,) if named else ())


def test_a_switch_for_recurrences_takes_a_recurrence():
    switch = SWITCH.model_copy(update={"kind": "recurrence"})
    slow = explained().measured.subjects[0].profile.operations[-1:]
    profile = Profile(steps=10, elapsed_s=0.1, operations=slow)
    held = {"explanation": explained(profile=profile), "switches": [switch]}
    assert found(recurrent=True, **held)[0].switches == (switch,)
    assert found(recurrent=False, **held)[0].switches == ()


def test_without_a_profile_no_operation_and_no_switch_is_named():
    [slow, _] = found(explanation=explained(profile=None))
    assert slow.kinds == slow.operations == slow.switches == ()
    assert "--profile asks for one" in shortfall_words(slow, 0.95).evidence
    [slow, _] = found(explanation=explained(profile=None, without=("profile",)))
    words = shortfall_words(slow, 0.95).evidence
    assert "cannot be measured separately in this framework (the step is one piece)" in words


def test_what_is_said_promises_nothing():
    said = shortfall_words(found()[0], 0.95)
    assert said.answer == "slow reaches 10% of the ceiling (95%: 10% to 10%)"
    assert said.evidence == (
        f"Of its step under the profiler: 70% convolutions ({BACK} 50%, a gradient; "
        "conv jit(update)/jvp()/conv_general_dilated 20%). Not in force in mode compiled: another library convolves "
        "(convolves=another). Where it was measured: cifar-vgg 413 to 279 ms (docs/reference/axes.md, “Modes”)."
    )
    [slow] = found(share=None)
    assert shortfall_words(slow, 0.95).answer == "slow is far behind fast: 2.18× its time (95%: 2.18 to 2.18)"


def test_what_belongs_to_the_way_back():
    assert is_gradient(operation(BACK, 1))
    assert is_gradient(operation("aten::convolution_backward", 1))
    assert is_gradient(operation("_backward_Convolution", 1))
    assert is_gradient(operation("Conv2DBackpropFilter: Conv2DBackpropFilter", 1))
    assert not is_gradient(operation("conv jit(update)/jvp()/conv_general_dilated", 1))
    assert not is_gradient(operation("aten::mkldnn_convolution", 1))


def summarised(seen=(), **more):
    explanation = explained(**more)
    circumstances = replace(ON_CPU, at_ceiling=0.1 * SLOW_STEP)
    return summarise_reasons(explanation.measured, seen=seen, entered=ENTRANTS, circumstances=circumstances)


def test_where_there_is_no_verdict_nobody_is_far_below():
    assert [one.label for one in summarised().shortfalls] == ["slow", "fast"]
    assert summarised(seen=[Busy(0.34, 0.0)]).shortfalls == ()
    assert summarised(rounds=6).shortfalls == ()


def test_every_kind_of_switch_has_words():
    assert set(KINDS) == set(get_args(Switch.model_fields["kind"].annotation))


CEILING = 1e11


@pytest.fixture
def store(tmp_path):
    """A store with an explanation of fashion-cnn, made up, and the ceiling of its machine."""
    kept = Store(f"sqlite:///{tmp_path / 'results.sqlite'}")
    for name, asked in (("peak", PeakRequest()), ("run", ExplainRequest(seconds=1))):
        request = asked.model_dump(mode="json")
        kept.add(Run(id=name, at=now(), version="0", command=["rosetta"], request=request, machine={"gpus": []}))
    series = CeilingSeries(
        library="numpy",
        environment="",
        threads=1,
        device="cpu",
        kind="product",
        what="float32",
        size=1024,
        amount=CEILING,
        times=1,
        seconds=(1.0,),
        cpu_seconds=(1.0,),
        error=2e-7,
    )
    Journal(kept, "peak").event(series)
    setting = {"batch_size": 32, "device": "cpu", "precision": "float32", "seed": 0, "threads": 1}
    stopping = {"confidence": 0.95, "margin": 0.02}
    contest = kept.add(Contest(run_id="run", workload="fashion-cnn", setting=setting, stopping=stopping))
    for one in ENTRANTS:
        lock = f"{one.framework}@{one.release}"
        held = {"label": one.label, "framework": one.framework, "mode": one.mode, "lock": lock}
        kept.add(Entry(contest_id=contest.id, python=None, control_of=None, **held))
    whole = 32 * operations_of_step(find_workload("fashion-cnn")) / CEILING
    parts = {"a": whole, "b": whole / 8, "optimiser": whole / 9, "input": whole, "feed": whole}
    random = np.random.default_rng(0)
    slow = subject("slow", parts, random).model_copy(update={"framework": "jax", "profile": PROFILE})
    fast = subject("fast", {name: part / 4 for name, part in parts.items()}, random)
    Journal(kept, "run", contest.id).event(measured(slow, fast))
    return kept


def test_from_the_store_to_every_form_of_the_report(store, tmp_path, capsys):
    """A step of 6 times the time at the ceiling, which the fast contender takes 1.5 times."""
    run = store.run("run")
    summary = summarise(run, measured_here(store, run.machine))
    said = "slow reaches 16.7% of the ceiling (95%: 16.7% to 16.7%)"
    [shortfall] = summary.contests[0].reasons.shortfalls
    assert shortfall_words(shortfall, 0.95).answer == said
    assert "xla_cpu_experimental_ynn_fusion_type" in shortfall_words(shortfall, 0.95).evidence
    assert said in render_html(summary)
    assert said in render_markdown(summary)
    told = json.loads(render_json(summary))["contests"][0]["reasons"]["shortfalls"]
    assert [one["answer"] for one in told] == [said]
    again(f"sqlite:///{tmp_path / 'results.sqlite'}")
    assert said in " ".join(capsys.readouterr().out.split()), "the stored explanation is printed with its ceiling"
