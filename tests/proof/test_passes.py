"""Passes that differ, as on a GPU: honest frameworks are proven all the same, and every mistake is still caught.

The contender is PyTorch on the CPU. Round-off that is new in every pass is added to its gradients, as large as what
atomic additions leave on a GPU (docs/findings.md). On a CPU, two programs may round differently, but each repeats
itself to the last bit: for that rule, the round-off is in the steps alone, and the same for the same gradient.
"""

from dataclasses import replace
from math import inf

import numpy as np
import pytest
from laboratory import Plant
from plants import PLANTS
from test_plants import prove
from tiers import slow_except

from rosettabench.catalogue.workload import find_workload
from rosettabench.proof import walk
from rosettabench.proof.updates import OwnUpdates
from rosettabench.proof.weights import draw_weights, leaves_zeros, proof_weights

pytestmark = pytest.mark.environment

UNREST = '''def disturb(model):
    """Add round-off to every gradient, drawn anew in every pass. A sum of zeros has none."""
    chance = torch.Generator()
    chance.seed()
    for one in model.parameters():
        if one.grad is not None:
            noise = torch.randn(one.grad.shape, generator=chance)
            one.grad += 1e-7 * one.grad.std() * noise * (one.grad != 0)


class Adapter(Framework):'''

RESTLESS = (
    ("class Adapter(Framework):", UNREST),
    ("loss.backward()\n        return", "loss.backward()\n        disturb(self.model)\n        return"),
    (
        "loss.backward()\n            self.update",
        "loss.backward()\n            disturb(self.model)\n            self.update",
    ),
)

DRAWN = "            noise = torch.randn("
OF_GRADIENT = f"            chance.manual_seed(zlib.crc32(one.grad.numpy().tobytes()))\n{DRAWN}"

HONEST = Plant("none", "fashion-mlp", (), "", "", RESTLESS)
KNOWN = [
    replace(plant, adapter=(*RESTLESS, *plant.adapter))
    for plant in PLANTS
    if plant.framework == "pytorch" and plant.workload in ("fashion-mlp", "fashion-cnn")
]


def planted_in_block(name, *change):
    """A mistake that only a block of several steps makes, so that nothing but other blocks could excuse it."""
    return Plant(name, "fashion-mlp", (), "block parameter", "", (*RESTLESS, change))


LOOP = "self.feed(dataset, batches):"
BEGIN = "        self.model.train()\n        total"
UPDATE = "            self.update()"
BLOCKS = [
    planted_in_block(
        "the last batch of a block skipped", LOOP, "self.feed(dataset, batches[: max(1, len(batches) - 1)]):"
    ),
    planted_in_block(
        "two batches of a block exchanged", LOOP, "self.feed(dataset, [*batches[:-2], *batches[-2:][::-1]]):"
    ),
    planted_in_block(
        "a batch drawn in each block skipped",
        BEGIN,
        "        if len(batches) > 1:\n"
        f"            batches = np.delete(batches, np.random.randint(len(batches)), 0)\n{BEGIN}",
    ),
    planted_in_block(
        "a rate two percent too high in a block",
        BEGIN,
        f"        self.optimizer.param_groups[0]['lr'] = 1e-3 * (1.02 if len(batches) > 1 else 1)\n{BEGIN}",
    ),
    planted_in_block(
        "a bias that a block does not train",
        UPDATE,
        f"            if len(batches) > 1:\n                [*self.model.parameters()][1].grad = None\n{UPDATE}",
    ),
]
"""The blocks that skip a drawn batch differ from each other, too: a hundredth is the most that this excuses."""

WIDE = Plant(
    "passes that differ by more than float32 explains",
    "fashion-mlp",
    (),
    "update",
    "",
    tuple((old, new.replace("1e-7", "5e-6")) for old, new in RESTLESS),
)
"""Every gradient is within its tolerance. But among passes that lie so far apart, any update of the small ones fits."""

ACCUMULATED = {"one tensor is not trained": "gradient"}
"""What is caught earlier than without further passes: nobody sets such a gradient to zero between two passes."""

QUICK = [plant for plant in KNOWN if plant.name in ("a small penalty", "repeated batches")]


@pytest.fixture
def passes_again(monkeypatch):
    """Let the proof ask a contender on the CPU for further passes, as it asks one on a GPU."""
    monkeypatch.setitem(walk.PASSES_AGAIN, "cpu", walk.PASSES_AGAIN["cuda"])


def on_a_cpu(plant):
    """Return the plant with the round-off of a CPU instead: in the steps alone, and the same for the same gradient."""
    outside = RESTLESS[1][0]
    changes = [(old, new.replace(DRAWN, OF_GRADIENT)) for old, new in plant.adapter if old != outside]
    return replace(plant, adapter=(("import functools\n", "import functools\nimport zlib\n"), *changes))


def failed(proof):
    """The checks of a proof that failed."""
    return [check for check in proof.checks if not check.passed]


def test_an_honest_framework_whose_passes_differ_is_proven(references, tmp_path, passes_again):
    proof = prove(HONEST, references, tmp_path)
    assert proof.passed, failed(proof)[:3]


@pytest.mark.parametrize("honest", [HONEST, on_a_cpu(HONEST)], ids=["GPU", "CPU"])
def test_without_the_rule_it_is_not(honest, references, tmp_path, monkeypatch):
    """So the rule is needed, and the round-off that is added here is not too little to show."""
    monkeypatch.setattr(OwnUpdates, "_off_other_passes", lambda own, name: inf)
    found = failed(prove(honest, references, tmp_path))
    assert found[0].quantity == "update"


def test_on_a_cpu_single_numbers_may_follow_another_pass(references, tmp_path):
    """Here it is nearly all one weight of 100,352; in TensorFlow it is the step in a loop (docs/findings.md)."""
    proof = prove(on_a_cpu(HONEST), references, tmp_path)
    assert proof.passed, failed(proof)[:3]
    assert {(one.quantity, one.tensor, one.passed) for one in proof.excused} == {("update", "hidden.kernel", False)}


@pytest.mark.parametrize("plant", slow_except([*KNOWN, *BLOCKS, WIDE], *QUICK), ids=lambda plant: plant.name)
def test_a_mistake_is_caught_where_passes_differ(plant, references, tmp_path, passes_again):
    found = failed(prove(plant, references, tmp_path))
    assert found, "the proof holds, and must not"
    assert found[0].quantity == ACCUMULATED.get(plant.name, plant.diverges)
    tell(plant, found)


@pytest.mark.parametrize("plant", slow_except([*KNOWN, *BLOCKS, WIDE], *QUICK), ids=lambda plant: plant.name)
def test_a_mistake_is_caught_where_single_numbers_may_differ(plant, references, tmp_path):
    found = failed(prove(on_a_cpu(plant), references, tmp_path))
    assert found, "the proof holds, and must not"
    assert found[0].quantity == plant.diverges
    tell(plant, found)


def tell(plant, found):
    """Print how clearly a mistake shows."""
    print("PLANT", plant.name, found[0].quantity, f"{max(one.share for one in found):.3g} × tolerance", sep=" | ")


# -- a convolution that leaves no zero exact ---------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "drawn"), [("fashion-cnn", True), ("cifar-resnet56", False), ("imdb-gru", False)])
def test_biases_begin_off_zero_on_a_gpu_where_relus_would_be_at_zero(name, drawn):
    workload = find_workload(name)
    assert leaves_zeros(workload, "cuda") == drawn
    canonical, moved = draw_weights(workload, 0), proof_weights(workload, 0, "cuda")
    changed = {key for key in canonical if not np.array_equal(proof_weights(workload, 0)[key], moved[key])}
    assert changed == ({key for key in canonical if key.endswith(".bias")} if drawn else set())
