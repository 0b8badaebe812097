"""What differs between the libraries, read from the code that is really installed."""

import pytest
from installed_libraries import installed

from rosettabench.shipped.library import all_libraries
from rosettabench.shipped.record import Fact, Installed
from rosettabench.shipped.trainer import Trainer
from rosettabench.summary.trainings import differences

pytestmark = [pytest.mark.environment, pytest.mark.slow]

TORCH, MXNET = "gluonts[torch]", "gluonts[mxnet]"

EXPECTED = {
    "recurrent layers": (
        "2 × 40 units in one LSTM, which takes all steps",
        "2 × 40 units in LSTMCell, one for every step",
    ),
    "residual connection": ("none", "around layer 2"),
    "dropout": (
        "0.1 of what leaves a layer, but the last",
        "zoneout in 2 layers: 0.1 of the states stay as they were, 0 of the outputs",
    ),
    "initial weights": (
        "recurrent ones up to 0.16, biases up to 0.16",
        "recurrent ones up to 0.17, biases up to 0.00",
    ),
    "steps of a training window": ("context + horizon - 1", "context + horizon"),
    "loss of a window": ("mean over all steps, 0 where nothing was observed", "mean over the observed steps"),
    "scale of a window of zeros, where the mean of its batch is 1": ("1e-10", "1"),
    "optimizer": (
        "Adam, rate 0.001, weight decay 1e-08; a first gradient of 1e-08 moves 0.50 of the rate",
        "Adam, rate 0.001, weight decay 1e-08; a first gradient of 1e-08 moves 0.03 of the rate",
    ),
    "gradients are clipped": ("all together, by their norm, at 10", "each element on its own, at 10"),
    "the learning rate falls": (
        "×0.5 after 11 epochs without a gain, also if each gains 1e-06",
        "×0.5 after 10 epochs without a gain, which a gain of 1e-06 interrupts",
    ),
    "a batch whose loss is not finite": ("is used like any other", "is left out"),
    "checkpoints": (
        "the weights are written when an epoch was the best; those of the best 1 are loaded at the end",
        "the weights are written after every epoch; those of the best 1 are loaded at the end",
    ),
    "log of a training": ("CSVLogger, and a bar", "a bar"),
    "compilation": ("none", "one graph of all steps, at the first batch"),
}
"""What is not the same in GluonTS 0.17.0, by library."""

SAME = {
    "a training": "100 epochs of 50 batches of 32 windows",
    "inputs of a step (monthly series)": "21",
    "parameters (monthly series)": "23324",
    "sample paths of a series": "100",
}


@pytest.fixture(scope="module")
def facts(tmp_path_factory):
    """What each library says."""
    found = {}
    for name, library in all_libraries().items():
        folder = tmp_path_factory.mktemp("facts") / "worker"
        with Trainer(library, installed(library), 1, folder, 600.0) as trainer:
            found[name] = [Fact(**one) for one in trainer.facts()]
    return found


def test_every_difference_is_read(facts):
    found = {name: {one.what: one.value for one in of_library} for name, of_library in facts.items()}
    expected = {what: dict(zip((TORCH, MXNET), values, strict=True)) for what, values in EXPECTED.items()}
    same = {what: dict.fromkeys((TORCH, MXNET), value) for what, value in SAME.items()}
    assert {what: {name: found[name][what] for name in found} for what in found[TORCH]} == expected | same


def test_every_fact_says_where_it_was_read(facts):
    for of_library in facts.values():
        assert all(one.where.split(".")[0] in ("gluonts", "torch", "lightning", "mxnet") for one in of_library)


def test_side_by_side_what_differs_comes_first(facts):
    sides = [
        Installed(library=name, interpreter="3.11", packages={}, settings={}, facts=tuple(of_library))
        for name, of_library in facts.items()
    ]
    rows = differences(sides)
    assert [one.what for one in rows if not one.same] == [one.what for one in rows][: len(EXPECTED)]
    assert {one.what for one in rows if one.same} == {*SAME}
