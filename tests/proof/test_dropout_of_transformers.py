"""Dropout in a real transformer: its logits show that an honest one drops as stated, and where another does not."""

import pytest
from laboratory import environment, make_work, open_session, tamper
from smaller import with_files

from rosettabench.catalogue.framework import all_frameworks
from rosettabench.catalogue.workload import find_workload
from rosettabench.proof.dropout import probe_dropout
from rosettabench.proof.tolerance import GUIDES

pytestmark = [pytest.mark.environment, pytest.mark.slow]

GPT = "shakespeare-gpt:gpu"
ATTENTION = "dropped = self.dropout.p if self.training else 0.0"
FUSED = "y = F.scaled_dot_product_attention(q, k, v, dropout_p=dropped, is_causal=True)"


STEPPING = "dropped = self.dropout.p if self.training and not stepping else 0.0"
IN_STEPS = (
    (
        "        self.model.train()\n        total",
        "        self.implementation.stepping = True\n        self.model.train()\n        total",
    ),
    (
        "        self.model.train()\n        self.opt",
        "        self.implementation.stepping = False\n        self.model.train()\n        self.opt",
    ),
)
"""The adapter tells the implementation whether it takes steps, or a pass whose logits are seen."""


def broadcast(first: str) -> str:
    """Attention in which one mask serves all samples and heads, as Flax has it by default, or all of one of them."""
    return f"""scores = (q @ k.transpose(2, 3) / 8).masked_fill(q.new_ones(256, 256).triu(1).bool(), -1e9)
        y = scores.softmax(-1) * self.dropout(q.new_ones({first}, 256, 256)) @ v"""


MISTAKES = {
    "none": ((), None),
    "no dropout behind the MLP": ((("self.dropout(self.down(", "(self.down("),), ("dropout scale", "down")),
    "none behind attention": ((("self.dropout(self.attend(", "(self.attend("),), ("dropout share", "projection")),
    "none on the shares": (((ATTENTION, "dropped = 0.0"),), ("dropout scale", "attention")),
    "another rate on the shares": (((ATTENTION, "dropped = 0.1 * self.training"),), ("dropout scale", "attention")),
    "shares dropped in evaluation": (((ATTENTION, "dropped = 0.2"),), ("dropout evaluation", "attention")),
    "none on the embeddings": (
        (("self.dropout(self.token(ids) + self.position.weight)", "self.token(ids) + self.position.weight"),),
        ("dropout scale", "embedding"),
    ),
    "one mask for samples and heads": (((FUSED, broadcast("1, 1")),), ("dropout together", "attention")),
    "one mask for the heads of a sample": (((FUSED, broadcast("len(q), 1")),), ("dropout together", "attention")),
    "one mask for the samples of a head": (((FUSED, broadcast("1, 6")),), ("dropout together", "attention")),
    "steps that drop no shares, though passes do": (((ATTENTION, STEPPING),), ("dropout loss", "attention"), *IN_STEPS),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_in_the_dropout_of_a_transformer_is_located(name, tmp_path):
    changes, located, *adapter = MISTAKES[name]
    entry = all_frameworks()["pytorch"]
    work = make_work(find_workload(GPT), tmp_path / "work")
    source = work.workload.implementation(entry.implementation_name)
    planted = with_files(work, {entry.implementation_name: tamper(source, changes, tmp_path / source.name)})
    entry = entry.model_copy(update={"path": tamper(entry.path, adapter, tmp_path / "adapters" / entry.path.name)})
    session = open_session(entry, "eager", environment(entry.locks[0]), planted, tmp_path / "session")
    try:
        found = [(one, one.value / (GUIDES[one.quantity] or 1)) for one in probe_dropout(session, tmp_path / "dropout")]
    finally:
        session.process.close()
    failed = [(one.quantity, one.tensor) for one, share in found if share > 1]
    assert (failed[0] if failed else None) == located, [(one.quantity, one.tensor, share) for one, share in found]
