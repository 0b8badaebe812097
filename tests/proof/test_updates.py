"""A contender's parameters against what the optimiser makes of its own gradients."""

import shutil
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from laboratory import small_work

from rosettabench.catalogue.optimizer import AdamW
from rosettabench.catalogue.workload import find_workload, read_workload
from rosettabench.client.session import Turn
from rosettabench.errors import UsageError
from rosettabench.proof.comparison import Deviation
from rosettabench.proof.optimizers import FLOAT32_FORMS, adam_steps, longest_step, steps_from, suspects, wandering
from rosettabench.proof.tolerance import GUIDES, Tolerances
from rosettabench.proof.updates import OwnUpdates
from rosettabench.proof.walk import Walked
from rosettabench.proof.weights import save_weights

RATE, STEPS = 1e-3, 4
ADAM_OF_WORK = find_workload("fashion-mlp").optimizer
ADAM = {"beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8}
NOISE = Tolerances([Deviation("gradient", step, "kernel", 1e-6) for step in range(STEPS)])
"""Float32 moves gradients by so much: a number below a hundred-thousandth of the typical one is round-off."""


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    return small_work("fashion-mlp", tmp_path_factory.mktemp("work"))


def save(folder, array):
    return save_weights({"kernel": array}, folder)


def drawn(seed):
    """Weights, and gradients some of which are nothing but round-off."""
    chance = np.random.default_rng(seed)
    weights = chance.normal(size=(30, 20)).astype("float32")
    sizes = 10 ** chance.uniform(-10, 0, (STEPS, 30, 20))
    return weights, [(size * chance.normal(size=(30, 20))).astype("float32") for size in sizes]


def led(weights, gradients, rates, **mistake):
    """Where Adam with a `mistake` leads weights, in float64."""
    *_, end = adam_steps(weights.astype("float64"), zip(gradients, rates, strict=True), **{**ADAM, **mistake})
    return end


def deviations(work, folder, seed, guide=None, noise=None, **mistake):
    """How far each step's parameters are off, where Adam with a `mistake` has made them in float32."""
    weights, gradients = drawn(seed)
    places = None if guide is None else [save(folder / f"guide{k}", one) for k, one in enumerate(guide)]
    own, found = OwnUpdates(work, save(folder / "start", weights), places, noise=noise), []
    for step in range(STEPS):
        seen, rates = [one.astype("float64") for one in gradients[: step + 1]], [RATE] * (step + 1)
        there = led(weights, seen, rates, **mistake)
        if guide is not None and step:
            before = led(weights, seen[:-1], rates[:-1], **mistake)
            there = guide[step - 1] + (there - before)
        files = save(folder / f"g{step}", gradients[step]), save(folder / f"p{step}", there.astype("float32"))
        own.record(Walked(step, {}, *files, Turn(0.0, 0.0, 0.0, RATE, 1, 0.0)))
        found.append(own.off("kernel"))
    return found


@given(seed=st.integers(0, 2**32 - 1))
def test_adam_in_float32_is_where_its_own_gradients_lead(work, tmp_path_factory, seed):
    assert max(deviations(work, tmp_path_factory.mktemp("adam"), seed)) < GUIDES["update"]


@given(seed=st.integers(0, 2**32 - 1))
def test_so_it_is_where_a_guide_has_said_with_what_a_step_begins(work, tmp_path_factory, seed):
    guide = list(np.random.default_rng(seed).normal(size=(STEPS, 30, 20)).astype("float32"))
    assert max(deviations(work, tmp_path_factory.mktemp("adam"), seed, guide)) < GUIDES["update"]


@pytest.mark.parametrize("form", FLOAT32_FORMS)
def test_constants_in_float32_are_known_and_nothing_is_left_of_them(work, tmp_path, form):
    assert max(deviations(work, tmp_path, 0, form=form)) < GUIDES["update"] / 100


@pytest.mark.parametrize("step", [0, STEPS - 1])
def test_what_has_no_gradient_goes_no_further_than_its_optimiser_can(work, tmp_path, step):
    weights, _ = drawn(0)
    own, longest = OwnUpdates(work, save(tmp_path / "start", weights), still={"kernel"}), longest_step(ADAM_OF_WORK)
    for number in range(step + 1):
        there = save(tmp_path / f"p{number}", weights + np.float32((number + 1) * longest))
        own.record(
            Walked(number, {}, save(tmp_path / f"g{number}", 0 * weights), there, Turn(0.0, 0.0, 0.0, RATE, 1, 0.0))
        )
    (found,) = own.compare_wandering(there)
    assert 0.99 < found.value < GUIDES["wandering"] < 2 * found.value


@pytest.mark.parametrize(("returns", "share"), [(False, 2 / 3), (True, 2.0)])
def test_where_steps_return_each_may_go_no_further_than_one_step(work, tmp_path, returns, share):
    """In the third step, a tensor without a gradient is two of the longest steps away from where the first began."""
    proof = work.workload.proof.model_copy(update={"returns": returns})
    stated = replace(work, workload=work.workload.model_copy(update={"proof": proof}))
    weights, _ = drawn(0)
    own, longest = OwnUpdates(stated, save(tmp_path / "start", weights), still={"kernel"}), longest_step(ADAM_OF_WORK)
    for number in range(3):
        there = weights + np.float32(2 * longest)
        files = save(tmp_path / f"g{number}", 0 * weights), save(tmp_path / f"p{number}", there)
        found = Walked(number, {}, *files, Turn(0.0, 0.0, 0.0, RATE, 1, 0.0))
        own.record(found)
    (wandered,) = own._compare_own(found)
    assert wandered.quantity == "wandering"
    assert wandered.value == pytest.approx(share, rel=1e-3)
    assert (wandered.value > GUIDES["wandering"]) is returns


def test_gradient_descent_lets_nothing_wander():
    assert wandering(find_workload("cifar-vgg").optimizer, {"bias"}) == ()
    assert wandering(ADAM_OF_WORK, {"bias"}) == {"bias"}


@pytest.mark.parametrize(
    ("mistake", "step"),
    [
        ({"epsilon": 1e-7}, 0),
        ({"hat": True}, 0),
        ({"beta2": 0.99}, 1),
        ({"decay": 0.004}, 0),
        ({"amsgrad": True}, 3),
        ({"penalty": 1e-4}, 0),
    ],
)
@pytest.mark.parametrize("known", [False, True])
def test_another_optimiser_is_seen(work, tmp_path, mistake, step, known):
    """Also where it is known how far another pass may move a gradient."""
    noise = NOISE if known else None
    assert deviations(work, tmp_path, 0, noise=noise, **mistake)[step] > 10 * GUIDES["update"]


def off_in_single_numbers(work, folder, changed, by, noise=NOISE, size=1e-9):
    """How far a first step is off in which the numbers `changed` have gradients of this size and move otherwise.

    They are moved `by` so much of a step, to the other side if it is negative; None moves them by a whole one anyway.
    """
    chance = np.random.default_rng(3)
    weights, gradient = (chance.normal(size=(50, 40)).astype("float32") for _ in range(2))
    gradient.flat[:3] = size
    there = led(weights, [gradient.astype("float64")], [RATE])
    taken = (there - weights).flat[:changed]
    there.flat[:changed] += RATE if by is None else (by - 1) * taken
    own = OwnUpdates(work, save(folder / "start", weights), noise=noise)
    files = save(folder / "g", gradient), save(folder / "p", there.astype("float32"))
    own.record(Walked(0, {}, *files, Turn(0.0, 0.0, 0.0, RATE, 1, 0.0)))
    return own.off("kernel")


@pytest.mark.parametrize("changed", [1, 2])
def test_single_numbers_may_follow_another_pass(work, tmp_path, changed):
    """Two of 2,000 numbers, whose gradients are round-off, go to the other side."""
    assert off_in_single_numbers(work, tmp_path, changed, -1.0) < GUIDES["update"]


@pytest.mark.parametrize(
    ("changed", "by", "more"),
    [
        (3, -1.0, {}),  # more than one in a thousand
        (1, -1.0, {"size": 1e-3}),  # a gradient that is no round-off
        (1, None, {"size": 0.0}),  # a number without a gradient is moved
        (1, 200.0, {}),  # further than Adam's steps
        (1, -1.0, {"noise": None}),  # nothing is known of passes
    ],
)
def test_a_mistake_in_single_numbers_is_seen(work, tmp_path, changed, by, more):
    assert off_in_single_numbers(work, tmp_path, changed, by, **more) > 10 * GUIDES["update"]


CANCELLING = (0.011621139943599701, -0.0037559568881988525, -0.2606288492679596, -0.2893754541873932)
"""The gradients of a bias of imdb-gru with seed 15: four steps lead it back, but for a 240th of its way."""


def off_where_steps_cancel(work, folder, faster=(1.0,) * STEPS, epsilon=1e-8):
    """How far each step of a bias is off that Adam moves in float32; `faster` multiplies its steps."""
    one, rate, new1, new2 = map(np.float32, (1.0, RATE, 1 - 0.9, 1 - 0.999))
    bias, first, second = (np.zeros(1, np.float32) for _ in range(3))
    own, found = OwnUpdates(work, save(folder / "start", bias)), []
    for step, number in enumerate(CANCELLING):
        gradient = np.array([number], np.float32)
        first = first + (gradient - first) * new1
        second = second * (one - new2) + gradient * gradient * new2
        below = np.sqrt(second) / np.float32(np.sqrt(1 - 0.999 ** (step + 1))) + np.float32(epsilon)
        taken = rate / np.float32(1 - 0.9 ** (step + 1)) * first / below
        bias = (bias - taken * np.float32(faster[step])).astype(np.float32)
        files = save(folder / f"g{step}", gradient), save(folder / f"p{step}", bias)
        own.record(Walked(step, {}, *files, Turn(0.0, 0.0, 0.0, RATE, 1, 0.0)))
        found.append(own.off("kernel"))
    return found, own


def test_what_float32_leaves_where_steps_cancel_is_no_mistake(work, tmp_path, monkeypatch):
    found, own = off_where_steps_cancel(work, tmp_path)
    assert max(found) < GUIDES["update"]
    monkeypatch.setattr(own, "_left_by_arithmetic", lambda name: 0.0)
    assert own.off("kernel") > GUIDES["update"], "these are gradients with which it shows"


@pytest.mark.parametrize(
    ("mistake", "step"),
    [
        ({"faster": (1.0001,) * STEPS}, 0),
        ({"faster": (1.0, 1.0, 1.0, 1.00002)}, 3),
        ({"faster": (1.0, 1.0, 0.9999, 1.0)}, 2),
        ({"faster": (1.0, 1.0, 1.0, 0.0)}, 3),
        ({"epsilon": 1e-4}, 0),
    ],
)
def test_a_mistake_where_steps_cancel_is_still_seen(work, tmp_path, mistake, step):
    found, _ = off_where_steps_cancel(work, tmp_path, **mistake)
    assert found[step] > 5 * GUIDES["update"]


CLIPPED = find_workload("deepar-monash").proven.optimizer
"""An Adam that clips all gradients together, and adds a penalty to them: the sum of both may cancel."""


def in_float32(added=0.0, longest=1.0, penalty=1.0, decoupled=False):
    """A clipped Adam's first step, all in float32: where it leads weights, and the gradients that it was given.

    In one of a hundred elements the penalty cancels the gradient, but for some units in the last place.
    """
    chance = np.random.default_rng(5)
    weights = chance.normal(scale=0.1, size=(30, 20)).astype("float32")
    gradients = chance.normal(scale=0.1, size=(30, 20)).astype("float32")
    few, units = np.s_[::10, ::10], 1 + 1e-7 * chance.integers(-9, 10, (3, 2))
    for _ in range(20):  # the factor depends on what it makes cancel
        factor = CLIPPED.clip_norm / np.linalg.norm(gradients.astype("float64"))
        gradients[few] = -CLIPPED.weight_decay * weights[few] / factor * units
    factor = np.float32(longest * CLIPPED.clip_norm) / (np.linalg.norm(gradients) + np.float32(added))
    kept = np.float32(penalty * CLIPPED.weight_decay) * weights
    taken = factor * gradients + (0 if decoupled else kept)
    step = taken / (abs(taken) + np.float32(CLIPPED.epsilon)) + (kept if decoupled else 0)
    return weights, gradients, weights - np.float32(CLIPPED.learning_rate) * step


def off_in_float32(folder, **mistake):
    """How far the update of such a step is off."""
    weights, gradients, there = in_float32(**mistake)
    work = small_work("deepar-monash", folder)
    assert work.workload.optimizer == CLIPPED
    own = OwnUpdates(work, save(folder / "start", weights))
    files = save(folder / "g", gradients), save(folder / "p", there)
    own.record(Walked(0, {}, *files, Turn(0.0, 0.0, 0.0, CLIPPED.learning_rate, 1, 0.0)))
    return own.off("kernel"), own


@pytest.mark.parametrize("added", [0.0, 1e-8, 1e-6])
def test_what_float32_leaves_where_a_penalty_cancels_a_gradient_is_no_mistake(tmp_path, monkeypatch, added):
    found, own = off_in_float32(tmp_path, added=added)
    assert found < GUIDES["update"]
    monkeypatch.setattr(own, "_left_by_sums", lambda name: 0.0)
    assert own.off("kernel") > 5 * GUIDES["update"], "this is a draw in which it shows"


@pytest.mark.parametrize(
    "mistake",
    [
        {"added": 0.01},
        {"longest": 1.001},
        {"longest": 1e9},
        {"penalty": 1.001},
        {"penalty": 0.0},
        {"decoupled": True},
    ],
)
def test_a_mistake_in_the_sum_is_still_seen(tmp_path, mistake):
    found, _ = off_in_float32(tmp_path, **mistake)
    assert found > 10 * GUIDES["update"]


@pytest.mark.parametrize(
    ("decays", "names"),
    [
        ("all", {"dense.kernel", "embedding", "dense.bias"}),
        ("matrices", {"dense.kernel", "embedding"}),
        ("kernels", {"dense.kernel"}),
    ],
)
def test_adamw_decays_the_tensors_that_are_stated_and_no_others(decays, names):
    """Without a gradient, only the decay moves a tensor: by rate times decay times itself."""
    values = {"learning_rate": RATE, "beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8, "weight_decay": 0.5}
    optimizer = AdamW(name="adamw", decays=decays, **values)
    tensors = {"dense.kernel": np.ones((2, 3)), "embedding": np.ones((4, 2)), "dense.bias": np.ones(3)}
    for name, weights in tensors.items():
        (end,) = steps_from(optimizer, name, weights, [(np.zeros_like(weights), RATE)])
        assert np.array_equal(end, weights * (1 - RATE * 0.5 if name in names else 1)), name


def test_what_decays_beside_kernels_is_told():
    values = {"learning_rate": RATE, "beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8, "weight_decay": 0.5}
    told = {decays: suspects(AdamW(name="adamw", decays=decays, **values)) for decays in ("all", "kernels")}
    sentence = "the optimiser decays a tensor that is no kernel: kernels alone are meant"
    assert told["kernels"][sentence] == {"decays": "all"}
    assert sentence not in told["all"]


def test_a_decay_of_kernels_where_there_is_none_is_refused(tmp_path):
    folder = shutil.copytree(find_workload("cifar-vit").folder, tmp_path / "cifar_vit")
    text = (folder / "workload.toml").read_text(encoding="utf-8").replace('.kernel"', '.matrix"')
    (folder / "workload.toml").write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match="and there is none"):
        read_workload(folder / "workload.toml")
