"""What the look at dropout rests on: the expected loss, the shares that survive, and weights that show them."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosettabench.catalogue.workload import find_workload
from rosettabench.proof.dropout import off_pairs, probe_for
from rosettabench.proof.dropout_chain import Chain, loss_to_expect, probe_weights
from rosettabench.proof.dropout_recurrent import Recurrent, scales
from rosettabench.proof.dropout_site import Paths, Site
from rosettabench.proof.dropout_transformer import STEPS, Transformer, loss_of, simulate
from rosettabench.statistics.student_t import negative_log_likelihood, weighted_mean

DEEPAR = find_workload("deepar-monash")
GPT = find_workload("shakespeare-gpt:gpu")
probe = Recurrent()


@settings(max_examples=20)
@given(st.floats(0.2, 0.9), st.integers(2, 12))
def test_the_loss_to_expect_is_that_of_drawn_masks(kept, classes):
    """A fixed stream of masks: the mean of 40,000 losses within five standard errors, their variance within 10%."""
    draws = np.random.default_rng(1).random((40_000, classes))
    logits = (draws < kept) / kept
    losses = np.log(np.exp(logits).sum(1)) - logits[:, 0]
    mean, variance = loss_to_expect(kept, classes)
    assert abs(losses.mean() - mean) < 5 * np.sqrt(variance / len(losses))
    assert losses.var() == pytest.approx(variance, rel=0.1)


def test_what_survives_is_the_product_of_all_layers_to_come():
    found = {site.layer: site.kept for site in Chain().sites(find_workload("cifar-vgg"))}
    assert list(found) == ["hidden", "conv4", "conv2"]
    assert found == pytest.approx({"hidden": 0.5, "conv4": 0.75 * 0.5, "conv2": 0.75 * 0.75 * 0.5})
    assert Chain().sites(find_workload("fashion-mlp")) == []


@pytest.mark.parametrize("layer", ["conv2", "conv4", "hidden"])
def test_a_logit_follows_one_path_of_its_own(layer):
    """Behind the layer each output has one input, and the ten logits share none on their way."""
    weights = probe_weights(find_workload("cifar-vgg"), layer)
    chain = ["conv1", "conv2", "conv3", "conv4", "hidden", "output"]
    used = np.arange(10)
    for one in reversed(chain[chain.index(layer) + 1 :]):
        kernel = weights[f"{one}.kernel"][used].reshape(10, -1)
        assert ((kernel != 0).sum(1) == 1).all() and (kernel.sum(1) == 1).all()
        assert not weights[f"{one}.bias"].any()
        place = kernel.argmax(1)
        taps = 9 if one.startswith("conv") else 64 if one == "hidden" else 1
        assert set(place % taps) == ({4} if taps == 9 else {0})
        used = place // taps
        assert len(set(used)) == 10


# -- between two LSTM layers ------------------------------------------------------------------------------------------


def lstm(x, weights, layer):
    """An LSTM layer in NumPy: (n, steps, in) to (n, steps, out)."""
    kernel, recurrent, bias = (weights[f"{layer}.{part}"] for part in ("kernel", "recurrent_kernel", "bias"))
    h = c = np.zeros((len(x), len(bias) // 4))
    outputs = []
    for step in np.moveaxis(x, 1, 0):
        enter, forget, cell, output = np.split(step @ kernel.T + h @ recurrent.T + bias, 4, axis=1)
        c = c / (1 + np.exp(-forget)) + np.tanh(cell) / (1 + np.exp(-enter))
        h = np.tanh(c) / (1 + np.exp(-output))
        outputs.append(h)
    return np.stack(outputs, 1)


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1), st.floats(0.3, 0.95))
def test_the_degrees_of_freedom_tell_what_is_left_of_a_unit(seed, kept):
    draw = np.random.default_rng(seed)
    weights = probe.weights(DEEPAR, "lstm1")
    x = lstm(draw.normal(size=(3, 5, 22)), weights, "lstm1")
    mask = (draw.random(x.shape) < kept) / kept
    outputs = lstm(x * mask, weights, "lstm2") @ weights["output.kernel"].T + weights["output.bias"]
    logits = np.log1p(np.exp(outputs)) + np.array([2, 0, 0])
    left = probe.survivors(DEEPAR, Site("lstm1", kept), logits, training=True)
    assert left.looked_at == pytest.approx(mask[..., 0].ravel(), abs=1e-6)


def test_each_kind_of_network_has_its_probe():
    assert isinstance(probe_for(DEEPAR), Recurrent) and isinstance(probe_for(find_workload("cifar-vgg")), Chain)
    assert isinstance(probe_for(GPT), Transformer)
    assert {site.layer: site.kept for site in probe.sites(DEEPAR)} == {"lstm1": 0.9}


def test_the_loss_to_expect_of_forecasts_is_that_of_drawn_masks(tmp_path):
    """10,000 steps on one batch with missing values: mean within five standard errors, variance within 10%."""
    draw, kept = np.random.default_rng(1), 0.8
    inputs = draw.normal(size=(4, 6, 22)).astype(np.float32)
    inputs[..., -1] = draw.random((4, 6)) < 0.5
    labels = np.stack([draw.normal(size=(4, 6)) * 3, draw.random((4, 6)) < 0.7], 2).astype(np.float32)
    for name, array in (("inputs", inputs), ("labels", labels), ("rows", np.array([[2, 0]]))):
        np.save(tmp_path / f"{name}.npy", array)
    train = SimpleNamespace(inputs=tmp_path / "inputs.npy", labels=tmp_path / "labels.npy")
    work = SimpleNamespace(batches=tmp_path / "rows.npy", data=SimpleNamespace(train=train))
    mean, variance = probe.loss(work, Site("lstm1", kept))
    values, weights = np.moveaxis(labels[[2, 0]].astype(np.float64), 2, 0)
    left = np.tanh(np.tanh(np.array([0, np.tanh(1) / kept])))
    width = np.log(2) * scales(inputs[[2, 0]])[:, None] * np.ones((1, 6))
    lost, whole = (
        negative_log_likelihood(np.stack([np.full((2, 6), 2 + np.log1p(np.exp(one))), 0 * width, width], 2), values)
        for one in left
    )
    losses = np.array(
        [weighted_mean(np.where(draw.random((2, 6)) < kept, whole, lost), weights) for _ in range(10_000)]
    )
    assert abs(losses.mean() - mean) < 5 * np.sqrt(variance / len(losses))
    assert losses.var() == pytest.approx(variance, rel=0.1)


# -- in a transformer --------------------------------------------------------------------------------------------------


def test_the_layers_of_a_transformer_and_what_survives_from_each_to_a_logit():
    """The embeddings first; the shares of attention pass the dropout behind the projection as well."""
    found = [(site.layer, site.kept) for site in Transformer().sites(GPT)]
    assert found == [("embedding", 0.8), ("down", 0.8), ("projection", 0.8), ("attention", pytest.approx(0.64))]
    assert Transformer().sites(find_workload("shakespeare-gpt")) == []


@pytest.mark.parametrize("site", Transformer().sites(GPT), ids=lambda site: site.layer)
def test_the_paths_of_a_transformer_are_read_from_its_logits(site):
    """Logits of drawn masks: each path is dropped, or 1 over the share that is kept, which is as stated."""
    logits = simulate(GPT, site.layer, (4, 256), np.random.default_rng(1))
    paths = Transformer().survivors(GPT, site, logits.astype(np.float32), training=True)
    left = paths.looked_at
    assert len(left) > 1000
    assert left[left != 0] * site.kept == pytest.approx(1, abs=1e-5)
    assert (left != 0).mean() == pytest.approx(site.kept, abs=0.02)
    assert off_pairs([paths], site.kept) < 5


@pytest.mark.parametrize("layer", GPT.dropout)
def test_the_loss_of_a_transformer_shows_steps_that_do_not_drop(layer):
    """Without the dropout of one layer, the mean loss of the steps is seven standard errors away.

    The steps for the shares of attention show the dropout behind the projection, too.
    """
    labels = np.random.default_rng(1).integers(65, size=(2, 256))
    draw = np.random.default_rng(2)
    losses = [loss_of(simulate(GPT, layer, labels.shape, draw), labels) for _ in range(100)]
    without = GPT.model_copy(update={"dropout": {**GPT.dropout, layer: 1e-9}})
    other = [loss_of(simulate(without, layer, labels.shape, draw), labels) for _ in range(30)]
    assert np.mean(losses) - np.mean(other) > 7 * np.std(losses) / np.sqrt(STEPS[layer] or STEPS["attention"])


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1), st.sampled_from(["rows", "columns"]))
def test_neighbours_that_are_dropped_together_are_seen(seed, shared):
    """Independent masks stay within six standard errors; where every second neighbour is the same, they do not."""
    kept = np.random.default_rng(seed).random((200, 60)) < 0.8
    assert off_pairs([Paths.all_of(kept)], 0.8) < 6
    same = np.repeat(kept[::2], 2, axis=0) if shared == "rows" else np.repeat(kept[:, ::2], 2, axis=1)
    assert off_pairs([Paths.all_of(same)], 0.8) > 6
