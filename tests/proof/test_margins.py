"""A proof that states a margin takes the samples whose units keep it, so that round-off accuses nobody."""

from dataclasses import replace

import numpy as np
import pytest
from laboratory import data, environment, make_work, open_session, reference
from smaller import Altered

from rosettabench.catalogue.framework import all_frameworks
from rosettabench.catalogue.workload import Workload, find_workload
from rosettabench.client.batches import draw_batches, permutation
from rosettabench.errors import ProofError
from rosettabench.proof.margins import Chooser, flat_share, margins_of
from rosettabench.proof.reference import choose_next, make_reference
from rosettabench.proof.weights import proof_weights, save_weights

pytestmark = [pytest.mark.environment, pytest.mark.slow]


MARGIN = 5e-6
"""The margin that fashion-cnn states."""


def with_margin(margin, flat=None):
    """fashion-cnn, guided and with a margin: it has ReLUs and a pool, and is quick."""
    stated = find_workload("fashion-cnn")
    extents = {"guided": True, "margin": margin, "flat": flat, "batch_size": 8, "steps": 3}
    proof = stated.proof.model_copy(update=extents)
    return Altered(**stated.model_copy(update={"proof": proof}).model_dump(), altered={})


@pytest.fixture(scope="module")
def chosen(tmp_path_factory):
    """Work with a margin, and its reference."""
    folder = tmp_path_factory.mktemp("margins")
    work = make_work(with_margin(1e-5), folder / "work")
    return work, reference(work, folder / "reference")


def test_no_unit_of_a_chosen_batch_is_nearer_to_its_edge_than_the_margin(chosen):
    work, exact = chosen
    assert [margin.step for margin in exact.margins] == [0, 1, 2]
    assert all(margin.nearest >= 1e-5 for margin in exact.margins)
    assert all(0 < margin.reach < margin.nearest / 2 for margin in exact.margins), "float32 turns none of them"
    rows = np.load(exact.batches)
    drawn = draw_batches(work.data.train.samples, 8, 3, work.setting.seed)
    assert not np.array_equal(rows[:3], drawn), "some of the drawn samples have a unit nearer to its edge"
    order = permutation(work.data.train.samples, work.setting.seed, 0).tolist()
    places = [order.index(sample) for sample in rows[:3].ravel().tolist()]
    assert len(set(places)) == 24
    assert max(places) < 500, "they are the first ones that keep it"


def test_no_image_of_a_chosen_batch_is_flatter_than_stated(chosen, tmp_path):
    images = np.load(chosen[0].data.train.inputs, mmap_mode="r").reshape(-1, 1, 28, 28)

    def shares(exact):
        return [flat_share(images[one]) for one in np.load(exact.batches)[:3].ravel()]

    usual = float(np.median(shares(chosen[1])))
    work = make_work(with_margin(1e-5, flat=usual), tmp_path / "work")
    assert max(shares(reference(work, tmp_path / "reference"))) <= usual < max(shares(chosen[1]))


def test_a_step_of_a_guided_proof_begins_with_the_weights_that_everybody_is_given(chosen):
    """Not with those that the reference's step has led to: they are float64, and where no batch fits they are moved."""
    _, exact = chosen
    assert exact.begin_of(0) == exact.start
    assert [exact.begin_of(step) for step in (1, 2)] == exact.guide[:2]
    for name, path in exact.begin_of(1).items():
        assert np.load(path).dtype == np.float32
        assert np.array_equal(np.load(path), np.load(exact.steps[0].parameters[name]).astype(np.float32))


def test_the_margin_is_the_distance_of_the_nearest_input_of_a_relu(tmp_path):
    """The bias of one hidden unit is set such that one sample has a known input of its ReLU, 1e-4."""
    work = make_work(find_workload("fashion-mlp"), tmp_path / "work")
    weights = proof_weights(work.workload, 0)
    ids = np.load(work.batches)[0]
    images = np.load(work.data.train.inputs, mmap_mode="r")[ids].reshape(len(ids), -1).astype(np.float64)
    images = images / 255 if np.load(work.data.train.inputs, mmap_mode="r").dtype == np.uint8 else images
    hidden = images @ weights["hidden.kernel"].T.astype(np.float64)
    weights["hidden.bias"] = weights["hidden.bias"].copy()
    weights["hidden.bias"][17] = -hidden[3, 17] + 1e-4
    entry = all_frameworks()["reference-pytorch"]
    session = open_session(entry, entry.mode, environment(entry.locks[0]), work, tmp_path / "s", "float64")
    try:
        session.build(save_weights(weights, tmp_path / "weights"))
        margins = margins_of(session, 0, tmp_path / "margins")
    finally:
        session.process.close()
    before = hidden + weights["hidden.bias"]
    assert margins == pytest.approx((np.abs(before) / np.sqrt((before**2).mean())).min(1), rel=1e-3)
    assert margins.argmin() == 3


def test_weights_with_which_no_batch_keeps_the_margin_are_moved(tmp_path):
    """A unit with the same value in every image, next to zero: another batch does not help."""
    work = make_work(with_margin(MARGIN), tmp_path / "work")
    weights = proof_weights(work.workload, 0)
    stuck = {name: array.copy() for name, array in weights.items()}
    stuck["conv1.kernel"][7], stuck["conv1.bias"] = 0, np.full_like(weights["conv1.bias"], 0.01)
    stuck["conv1.bias"][7] = 1e-9
    entry = all_frameworks()["reference-pytorch"]
    session = open_session(entry, entry.mode, environment(entry.locks[0]), work, tmp_path / "s", "float64")
    try:
        session.build(save_weights(weights, tmp_path / "weights"))
        chooser = Chooser(session, MARGIN, tmp_path / "chosen")
        chooser.choose(0)
        session.ask("place", weights=save_weights(stuck, tmp_path / "stuck"))
        with pytest.raises(ProofError, match="too few samples"):
            chooser.choose(1)
        begin = choose_next(session, chooser, 1, stuck, {"conv1.kernel", "conv1.bias"}, tmp_path / "begin")
        assert len(chooser.nearest) == 2
        assert (margins_of(session, 1, tmp_path / "margins") >= MARGIN).all()
    finally:
        session.process.close()
    moved = {name: np.load(path) for name, path in begin.items()}
    assert (moved["output.kernel"] == stuck["output.kernel"]).all(), "only what is trained is moved"
    for name in ("conv1.kernel", "conv1.bias"):
        way = np.linalg.norm(moved[name] - stuck[name]) / np.linalg.norm(stuck[name])
        assert 5e-4 < way < 2e-3


def test_a_framework_that_is_no_reference_does_not_tell(tmp_path):
    from rosettabench.errors import WorkerError

    work = make_work(find_workload("fashion-mlp"), tmp_path / "work")
    entry = all_frameworks()["pytorch"]
    session = open_session(entry, entry.mode, environment(entry.locks[0]), work, tmp_path / "session")
    try:
        with pytest.raises(WorkerError, match="how near a unit is") as caught:
            margins_of(session, 0, tmp_path / "margins")
        assert caught.value.kind == "unsupported"
    finally:
        session.process.close()


def test_a_margin_that_no_batch_keeps_is_told(tmp_path):
    work = make_work(with_margin(0.5), tmp_path / "work", prepared=few_samples(tmp_path))
    entry = all_frameworks()["reference-pytorch"]

    def start(precision, rounded, place):
        return open_session(entry, entry.mode, environment(entry.locks[0]), work, place, precision, rounded)

    with pytest.raises(ProofError, match=r"too few samples keep the margin 0\.5 that fashion-cnn states"):
        make_reference(entry.name, work, start, proof_weights(work.workload, 0), tmp_path / "reference")


def test_what_one_step_passes_over_is_tried_again_by_the_next(tmp_path):
    """The first step refuses whatever it can afford to, and leaves too few new samples to the second one."""
    work = make_work(with_margin(MARGIN), tmp_path / "work", prepared=few_samples(tmp_path))
    entry = all_frameworks()["reference-pytorch"]
    session = open_session(entry, entry.mode, environment(entry.locks[0]), work, tmp_path / "s", "float64")
    try:
        session.build(save_weights(proof_weights(work.workload, 0), tmp_path / "weights"))
        np.save(tmp_path / "all.npy", np.arange(64)[None])
        session.hand_rows(tmp_path / "all.npy")
        margins = np.sort(margins_of(session, 0, tmp_path / "margins"))
        chooser = Chooser(session, float(margins[-8]), tmp_path / "chosen")
        chooser.choose(0)
        with pytest.raises(ProofError, match="too few samples"):
            chooser.choose(1)
        chooser._margin = float(margins[0]) / 2
        chooser.choose(1)
    finally:
        session.process.close()
    first, second = np.load(chooser.path)[:2]
    assert not set(first.tolist()) & set(second.tolist()), "no sample is used twice"


def few_samples(folder):
    """The first 64 samples of the training part."""
    import json

    whole = data("fashion-mnist", json.dumps(find_workload("fashion-cnn").data.form))
    files = {}
    for name in ("inputs", "labels"):
        files[name] = folder / f"{name}.npy"
        np.save(files[name], np.load(getattr(whole.train, name), mmap_mode="r")[:64])
    return replace(whole, train=type(whole.train)(files["inputs"], files["labels"], 64))


@pytest.mark.slow
def test_a_reference_that_tells_no_margins_proves_on_the_drawn_batches(tmp_path):
    work = make_work(with_margin(1e-5), tmp_path / "work")
    exact = reference(work, tmp_path / "reference", "reference-jax")
    rows = np.load(work.batches)
    labels = np.load(work.data.train.labels)
    assert not exact.margins and exact.batches is None
    for step in exact.steps:
        assert np.array_equal(np.load(step.batch["labels"]), labels[rows[step.step]])


@pytest.mark.parametrize("proof", [{"margin": 1e-5}, {"returns": True}])
def test_margins_and_returns_ask_for_a_guided_proof(proof):
    stated = find_workload("fashion-cnn").model_dump()
    with pytest.raises(ValueError, match="guided"):
        Workload(**{**stated, "proof": proof})
