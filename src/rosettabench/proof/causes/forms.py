"""The sentences for the forms of operations that ``rosetta_worker/variants`` tries in a reference."""

from __future__ import annotations

RELU = "where ReLU is meant"
GELU = "where GELU is meant"
SILU = "where SiLU is meant"

FORMS = {
    "leaky-relu": f"a leaky ReLU, which lets a hundredth of what is negative pass, {RELU}",
    "relu6": f"a ReLU that ends at 6 {RELU}",
    "elu": f"ELU {RELU}",
    "gelu": f"GELU {RELU}",
    "gelu-tanh": f"GELU in its approximation by tanh {RELU}",
    "silu": f"SiLU (swish) {RELU}",
    "softplus": f"softplus {RELU}",
    "no-relu": f"no activation {RELU}",
    "relu-tanh": f"tanh {RELU}",
    "hard-sigmoid-fifth": "a hard sigmoid, 0.2·x + 0.5 cut at 0 and 1 (Keras 2), where the sigmoid is meant",
    "hard-sigmoid-sixth": "a hard sigmoid, x/6 + 0.5 cut at 0 and 1, where the sigmoid is meant",
    "hard-tanh": "a hard tanh, x cut at -1 and 1, where tanh is meant",
    "softsign": "softsign where tanh is meant",
    "tanh-relu": "ReLU where tanh is meant",
    "no-tanh": "no activation where tanh is meant",
    "gelu-by-tanh": "GELU in its approximation by tanh where the exact GELU is meant",
    "gelu-by-sigmoid": f"GELU in its approximation by a sigmoid {GELU}",
    "relu-for-gelu": f"ReLU {GELU}",
    "silu-for-gelu": f"SiLU (swish) {GELU}",
    "no-gelu": f"no activation {GELU}",
}
"""Forms of an activation in formulas."""

EPSILON = "epsilon-"
"""What the name of a form begins with that adds another epsilon, which follows."""

GROUPS = "groups-"
"""The same of another number of groups of a group normalisation."""

OPERATIONS = {
    "gelu-tanh": "GELU in its approximation by tanh where the exact GELU is meant",
    "gelu-erf": "the exact GELU where its approximation by tanh is meant",
    "gelu-sigmoid": f"GELU in its approximation by a sigmoid {GELU}",
    "gelu-relu": f"ReLU {GELU}",
    "gelu-silu": f"SiLU (swish) {GELU}",
    "gelu-none": f"no activation {GELU}",
    "silu-gelu": f"GELU {SILU}",
    "silu-relu": f"ReLU {SILU}",
    "silu-sigmoid": f"a sigmoid {SILU}",
    "silu-none": f"no activation {SILU}",
    "relu-gelu": f"GELU {RELU}",
    "relu-silu": f"SiLU (swish) {RELU}",
    "relu-leaky": f"a leaky ReLU of slope 0.01 {RELU}",
    "relu-leaky-fifth": f"a leaky ReLU of slope 0.2 {RELU}",
    "relu-elu": f"ELU {RELU}",
    "relu-six": f"a ReLU that ends at 6 {RELU}",
    "relu-none": f"no activation {RELU}",
    "leaky-slope-fifth": "the leaky ReLU has the slope 0.2 (JAX has 0.01, Keras 0.3)",
    "leaky-slope-third": "the leaky ReLU has the slope 0.3 (Keras' default)",
    "leaky-slope-hundredth": "the leaky ReLU has the slope 0.01 (PyTorch's and JAX' default)",
    "tanh-none": "no activation where tanh is meant",
    "sigmoid-none": "no activation where the sigmoid is meant",
    "sigmoid-hard": "a hard sigmoid where the sigmoid is meant",
    "norm-unscaled": "the layer normalisation applies neither its scale nor its shift",
    "norm-second-axis": "the layer normalisation is over the axis in front of the last one",
    "norm-unbiased": "the layer normalisation divides the variance by n - 1",
    "norm-none": "a normalisation is left out",
    "groups-strided": "the group normalisation groups every so-many-th channel, not neighbouring ones",
    "groups-one": "the group normalisation takes all channels as one group",
    "concatenation-reversed": "tensors are concatenated in the reverse order",
    "attention-exchanged": "queries and keys of the attention are exchanged",
    "attention-unscaled": "the scores of the attention are not scaled",
    "attention-scaled-by-width": "the scores of the attention are divided by the width of a head, not by its root",
    "attention-scaled-by-all": "the scores of the attention are scaled by the width of all heads together",
    "attention-unmasked": "the attention is not masked: positions see what follows them",
    "attention-masked": "the attention is masked causally, and none is meant to be",
    "attention-mask-late": "the causal mask lets each position see the next one",
    "softmax-axis": "a softmax is over the axis in front of the last one",
    "mask-none": "a mask is not applied",
    "scores-unscaled": "a division or product by a number is left out, such as the scaling of scores",
    "heads-order": "heads are split the other way: the head is the faster axis",
    "bias-none": "a bias is left out",
    "kernel-transposed": "a square kernel is transposed",
    "kernel-flipped": "kernels of convolutions are turned round",
    "kernel-swapped": "kernels of convolutions have height and width exchanged",
    "padding-behind": "strided convolutions pad below and at the right first (SAME), where both sides alike are meant",
    "padding-repeated": "convolutions pad with the border, where zeros are meant",
    "pool-mean": "a pool takes the mean where the largest is meant",
    "pool-largest": "a pool takes the largest where the mean is meant",
    "upsampling-bilinear": "upsampling is bilinear where the nearest neighbour is meant",
}
"""Forms of an operation of an original, by the names that ``variants/original_pytorch.py`` gives them."""


def form_words(name: str, original: bool, stated_epsilon: float | None = None) -> str:
    """Return the sentence on a form, ``gelu-tanh`` or, in one layer alone, ``gelu-tanh.mlp``.

    `stated_epsilon` is what a workload's batch normalisations add to the variance, if its statement says so.
    """
    form, _, layer = name.partition(".")
    if form.startswith(EPSILON):
        added = f"normalisation adds {float(form.removeprefix(EPSILON)):g} to the variance"
        if stated_epsilon is None:
            what = f"a {added}: another epsilon is meant"
        else:
            what = f"the {added}, the workload states {stated_epsilon:g}"
    elif form not in OPERATIONS and form.startswith(GROUPS):
        what = f"a group normalisation has {form.removeprefix(GROUPS)} groups: another number is meant"
    else:
        what = (OPERATIONS if original else FORMS)[form]
    where = "" if not layer else f", in {layer}" if original else f", behind {layer}"
    return what + where
