"""The reference with AdamW, in the same forms as that with other optimisers: see ``reference_pytorch.py``."""

from rosetta_worker.frameworks import reference_adamw_pytorch
from rosetta_worker.variants import reference_pytorch


class Adapter(reference_pytorch.Adapter, reference_adamw_pytorch.Adapter):
    """Returns the logits of every form instead of gradients."""
