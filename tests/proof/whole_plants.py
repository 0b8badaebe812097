"""Mistakes that mean something in every workload: planted into each network as it is, not into a shorter one.

Each is the change of a few words in PyTorch's implementation, or in its adapter.
"""

from laboratory import Plant

from rosettabench.catalogue.workload import find_workload

ADAM = "eps=hyper.epsilon"
SGD = "momentum=hyper.momentum"
RMSPROP = "eps=hyper.epsilon)"
PARAMETERS = "model.parameters(),"
"""What an optimiser is given: a penalty may go through the parameters, too, and stays as it is."""

BY_KIND = """[
        {{"params": [one for one in model.parameters() if one.dim() > 1]}},
        {{"params": [one for one in model.parameters() if one.dim() == 1], {change}}},
    ],"""
WITHOUT_BIASES = "[one for one in model.parameters() if one.dim() > 1],"
THREE_OF_FOUR = "[one for place, one in enumerate(model.parameters()) if place % 4 != 1],"

STALE = (
    (
        "        with torch.no_grad():\n            self.tensors[own].copy_(torch.from_numpy(array))\n",
        "        with torch.no_grad():\n            self.tensors[own].copy_(torch.from_numpy(array))\n"
        "        self.given = dict(getattr(self, 'given', {}), **{own: torch.from_numpy(array.copy())})\n",
    ),
    (
        "            self.optimizer.zero_grad()\n            _, loss = self.forward(inputs, labels)\n",
        "            with torch.no_grad():\n"
        "                for own, given in self.given.items():\n"
        "                    self.tensors[own].copy_(given)\n"
        "            self.optimizer.zero_grad()\n            _, loss = self.forward(inputs, labels)\n",
    ),
)
"""Every step begins with the weights that were last written from outside, never with its own."""

ONE_OF_ITS_OWN = (
    (
        "        with torch.no_grad():\n            self.tensors[own].copy_(torch.from_numpy(array))\n",
        "        self.due = True\n"
        "        with torch.no_grad():\n            self.tensors[own].copy_(torch.from_numpy(array))\n",
    ),
    (
        "        self.optimizer.step()\n",
        "        before = {own: tensor.detach().clone() for own, tensor in self.tensors.items()}\n"
        "        self.optimizer.step()\n"
        "        with torch.no_grad():\n"
        "            for own, tensor in before.items() if not self.due else ():\n"
        "                self.tensors[own].copy_(tensor)\n"
        "        self.due = False\n",
    ),
)
"""One update after weights were written from outside, none after that: the optimiser counts on, and nothing moves."""

ONE_STEP_OLD = (
    (
        "        with torch.no_grad():\n            self.tensors[own].copy_(torch.from_numpy(array))\n",
        "        with torch.no_grad():\n            self.tensors[own].copy_(torch.from_numpy(array))\n"
        "        self.older = {}\n",
    ),
    (
        "            self.optimizer.zero_grad()\n            _, loss = self.forward(inputs, labels)\n",
        "            now = {own: tensor.detach().clone() for own, tensor in self.tensors.items()}\n"
        "            with torch.no_grad():\n"
        "                for own, older in self.older.items():\n"
        "                    self.tensors[own].copy_(older)\n"
        "            self.optimizer.zero_grad()\n            _, loss = self.forward(inputs, labels)\n"
        "            self.older = now\n",
    ),
    (
        "        self.optimizer.step()\n",
        "        with torch.no_grad():\n"
        "            for own, tensor in self.older.items():\n"
        "                self.tensors[own].copy_(tensor)\n"
        "        self.optimizer.step()\n",
    ),
)
"""Gradients are those of the weights before the last update, unless weights were written from outside meanwhile."""

CORRECTED_TWICE = (
    (
        "        self.optimizer.step()\n",
        "        self.optimizer.step()\n"
        "        for one in self.optimizer.state.values():\n"
        "            one['step'].clamp_(max=1)\n",
    ),
)
"""Adam's bias corrections are those of the first step, and from then on those of the second."""

FEW_STEPS = ("cifar-resnet56", "chestxray-densenet121", "imagenet-resnet56")
"""Workloads with Adam whose proofs have the fewest steps: in two of them, the mistake above would not show."""

OF_ADAM = {
    "epsilon 1e-7": ((ADAM, "eps=1e-7"),),
    "beta2 0.99": (("hyper.beta2)", "0.99)"),),
    "decoupled decay 4e-3": (("import Adam", "import AdamW as Adam"), (ADAM, f"{ADAM}, weight_decay=4e-3")),
    "L2 on biases": ((PARAMETERS, BY_KIND.format(change='"weight_decay": 1e-1')),),
}
OF_ADAM_OF_KERAS = {"epsilon 1e-8": ((ADAM, "eps=1e-8"),), **{name: OF_ADAM[name] for name in list(OF_ADAM)[1:]}}
"""Where the workload states an epsilon of 1e-7, Keras' default."""

OF_ADAMW = {
    "epsilon 1e-7": ((ADAM, "eps=1e-7"),),
    "beta2 0.999": (("hyper.beta2)", "0.999)"),),
    "L2 in place of decoupled decay": (("import AdamW", "import Adam as AdamW"),),
    "scales decay, too": (('"weight_decay": 0.0', '"weight_decay": hyper.weight_decay'),),
    "embeddings do not decay": (
        ("if one.dim() > 1]", "if one.dim() > 1 and len(one) > 65]"),
        ("if one.dim() == 1]", "if one.dim() == 1 or len(one) <= 65]"),
    ),
    "a quarter of the kernels untrained": (
        ("for one in model.parameters() if one.dim() > 1]", "for place, one in enumerate(model.parameters()) "
         "if one.dim() > 1 and place % 4 != 1]"),
    ),
    "scales that are never trained": ((', {"params": scales, "weight_decay": 0.0}', ""),),
    "the tied embedding decays twice": (
        ("one.dim() > 1]", "one.dim() > 1 and one is not model.token.weight]"),
        ("groups = [", 'groups = [{"params": [model.token.weight], "weight_decay": 2 * hyper.weight_decay}, '),
    ),
}  # fmt: skip
OF_TRANSFORMER = {
    "tanh for erf": (("F.gelu(self.up(self.norm2(x)))", 'F.gelu(self.up(self.norm2(x)), approximate="tanh")'),),
    "epsilon of the normalisation": (("eps=1e-5", "eps=1e-6"),),
    "no causal mask": (("is_causal=True", "is_causal=False"),),
    "scores not divided by the root": (("is_causal=True", "is_causal=True, scale=1.0"),),
    "queries and keys exchanged": (("attention(q, k, v", "attention(k, q, v"),),
    "positions one too far": (("+ self.position.weight", "+ self.position.weight.roll(1, 0)"),),
    "heads of other channels": (
        ("y.unflatten(-1, (self.heads, -1)).transpose(1, 2)", "y.unflatten(-1, (-1, self.heads)).permute(0, 3, 1, 2)"),
        ("y.transpose(1, 2).flatten(2)", "y.permute(0, 2, 3, 1).flatten(2)"),
    ),
    "float16 in the scores": (
        ("attention(q, k, v", "attention(q.half().float(), k.half().float(), v"),
    ),
    "an output layer of its own": (("self.token.weight)", "self.token.weight.detach())"),),
    "normalisations with a shift": (("eps=1e-5, bias=False", "eps=1e-5"),),
}  # fmt: skip
"""The mistakes that ports of transformers have."""

OF_CLIPPING = {
    "gradients not clipped": (("if self.clip_norm is not None:", "if False:"), "gradients are not clipped"),
    "each tensor clipped by itself": (
        (
            "torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.clip_norm)",
            "[torch.nn.utils.clip_grad_norm_([one], self.clip_norm) for one in self.model.parameters()]",
        ),
        "each tensor's gradient",
    ),
}
"""The mistakes of an adapter that clips gradients, each with a part of its cause."""

AS_MATRICES = ((" and one is not model.position.weight", ""), (" or one is model.position.weight", ""))
OF_ADAMW_OF_KERNELS = {
    "epsilon 1e-7": ((ADAM, "eps=1e-7"),),
    "beta2 0.99": (("hyper.beta2)", "0.99)"),),
    "L2 in place of decoupled decay": (("import AdamW", "import Adam as AdamW"),),
    "all tensors decay": (('"weight_decay": 0.0', '"weight_decay": hyper.weight_decay'),),
    "positions decay, too": AS_MATRICES,
    "projections that are never trained": (
        ("for one in model.parameters() if one.dim() > 1 and", "for place, one in enumerate(model.parameters()) "
         "if one.dim() > 1 and place % 16 != 11 and"),
    ),
    "biases and scales that are never trained": ((', {"params": others, "weight_decay": 0.0}', ""),),
}  # fmt: skip
OF_VISION_TRANSFORMER = {
    "tanh for erf": (("F.gelu(self.up(self.norm2(x)))", 'F.gelu(self.up(self.norm2(x)), approximate="tanh")'),),
    "epsilon of the normalisation": (("eps=1e-6", "eps=1e-5"),),
    "a causal mask": (("attention(q, k, v)", "attention(q, k, v, is_causal=True)"),),
    "scores not divided by the root": (("attention(q, k, v)", "attention(q, k, v, scale=1.0)"),),
    "queries and keys exchanged": (("attention(q, k, v)", "attention(k, q, v)"),),
    "positions one too far": (("+ self.position.weight", "+ self.position.weight.roll(1, 0)"),),
    "patches column by column": (("(images).flatten(2)", "(images).transpose(2, 3).flatten(2)"),),
    "the mean before the last normalisation": (("self.norm(x).mean(1)", "self.norm(x.mean(1))"),),
    "the first token in place of the mean": (("self.norm(x).mean(1)", "self.norm(x)[:, 0]"),),
    "heads of other channels": (
        ("y.unflatten(-1, (self.heads, -1)).transpose(1, 2)", "y.unflatten(-1, (-1, self.heads)).permute(0, 3, 1, 2)"),
        ("y.transpose(1, 2).flatten(2)", "y.permute(0, 2, 3, 1).flatten(2)"),
    ),
    "float16 in the scores": (
        ("attention(q, k, v)", "attention(q.half().float(), k.half().float(), v)"),
    ),
}  # fmt: skip
"""The same, and those of a transformer that sees images."""

TIME_BETWEEN = """y = y + self.time(F.silu(time))[:, :, None, None]
        y = self.conv2(F.silu(self.norm2(y)))"""
OF_DIFFUSION = {
    "epsilon of the normalisation": (("eps=1e-6", "eps=1e-5"),),
    "4 groups for 8": (("GroupNorm(8,", "GroupNorm(4,"),),
    "ReLU for SiLU": (("F.silu", "F.relu"),),
    "GELU for SiLU": (("F.silu", "F.gelu"),),
    "SiLU before the normalisation": (("F.silu(self.norm1(x))", "self.norm1(F.silu(x))"),),
    "no SiLU before the time of a block": (("self.time(F.silu(time))", "self.time(time)"),),
    "the time behind the second normalisation": (
        (TIME_BETWEEN, "y = self.conv2(F.silu(self.norm2(y) + self.time(F.silu(time))[:, :, None, None]))"),
    ),
    "scores not divided by the root": (("attention(q, k, v)", "attention(q, k, v, scale=1.0)"),),
    "scores divided by the root of all heads": (("attention(q, k, v)", "attention(q, k, v, scale=32**-0.5)"),),
    "queries and keys exchanged": (("attention(q, k, v)", "attention(k, q, v)"),),
    "heads of other channels": (
        ("y.unflatten(-1, (self.heads, -1)).transpose(1, 2)", "y.unflatten(-1, (-1, self.heads)).permute(0, 3, 1, 2)"),
        ("attention(q, k, v).transpose(1, 2)", "attention(q, k, v).permute(0, 2, 3, 1)"),
    ),
    "sines and cosines exchanged": (
        ("torch.sin(time[:, None] * rates), torch.cos", "torch.cos(time[:, None] * rates), torch.sin"),
    ),
    "another slowest wave": (("/ 63)", "/ 64)"),),
    "time steps from 1 on": (("inputs[:, 784]\n", "inputs[:, 784] + 1\n"),),
    "bilinear for nearest": (("scale_factor=2)", 'scale_factor=2, mode="bilinear")'),),
    "concatenated in the other order": (("[x, x2]", "[x2, x]"), ("[x, x1]", "[x1, x]")),
    "skip connections exchanged": (("[x, x2]", "[x, x3]"), ("[x, x1]", "[x, x2]"), ("[x, x3]", "[x, x1]")),
    "padding on all sides before a stride": (("(0, 1, 0, 1)", "(1, 1, 1, 1)"),),
    "columns for rows": (("(-1, 1, 28, 28)", "(-1, 1, 28, 28).mT"), (".flatten(1)", ".mT.flatten(1)")),
    "float16 in the scores": (
        ("attention(q, k, v)", "attention(q.half().float(), k.half().float(), v)"),
    ),
    "half of the loss": (("F.mse_loss(outputs, noise)", "F.mse_loss(outputs, noise) / 2"),),
}  # fmt: skip
"""The mistakes that ports of diffusion models have."""

OF_SGD = {
    "L2 on biases": ((PARAMETERS, BY_KIND.format(change='"weight_decay": 1e-1')),),
    "momentum 0.95": ((SGD, "momentum=0.95"),),
}
OF_RMSPROP = {
    "epsilon 1e-8": ((RMSPROP, "eps=1e-8)"),),
    "L2 on biases": ((PARAMETERS, BY_KIND.format(change='"weight_decay": 1e-1')),),
}
OF_ALL = {
    "biases that are never trained": ((PARAMETERS, WITHOUT_BIASES),),
    "a quarter of the tensors untrained": ((PARAMETERS, THREE_OF_FOUR),),
}
OF_NORMALISATION = {
    "chestxray-densenet121": (("eps=1e-5", "eps=1e-4"),),
    "cifar-resnet56": (("eps=1e-3", "eps=1e-5"),),
    "imagenet-resnet56": (("eps=1e-3", "eps=1e-5"),),
    "resnet50-synthetic": (("eps=1e-3", "eps=1e-5"),),
}
HALF = "F.conv2d({0}.half(), {1}.weight.half(), {1}.bias.half(){2}).float()"
HALF_OF_LAYER = """y = F.relu(self.norm2(y))
        y = F.conv2d(y.half(), self.conv2.weight.half(), padding=1).float()"""
OF_ONE_CONVOLUTION = {
    "chestxray-densenet121": (("y = self.conv2(F.relu(self.norm2(y)))", HALF_OF_LAYER),),
    "cifar-resnet56": (
        ("y = self.norm2(self.conv2(y))", f"y = self.norm2({HALF.format('y', 'self.conv2', ', padding=1')})"),
        ("from torch import nn", "import torch.nn.functional as F\nfrom torch import nn"),
    ),
    "cifar-vgg": (("self.conv3(x)", HALF.format("x", "self.conv3", ", padding=1")),),
    "fashion-cnn": (("self.conv2(x)", HALF.format("x", "self.conv2", "")),),
    "imagenet-resnet56": (
        ("y = self.norm2(self.conv2(y))", f"y = self.norm2({HALF.format('y', 'self.conv2', ', padding=1')})"),
    ),
    "resnet50-synthetic": (
        ("self.norm2(self.conv2(y))", f"self.norm2({HALF.format('y', 'self.conv2', ', padding=1')})"),
    ),
}
"""In a network of blocks, one convolution of each."""

OUTPUT = "        self.output = nn.Linear(4096, 1000)\n"
HOOK = "        self.blocks[26].conv2.weight.register_hook(lambda gradient: {})\n"
OF_THE_LAST_KERNEL = {
    "a tenth of the last kernel's gradient lost": ((OUTPUT, OUTPUT + HOOK.format("0.9 * gradient")),),
    "the last kernel's gradient without its outer rows": (
        (OUTPUT, OUTPUT + HOOK.format("nn.functional.pad(gradient[:, :, 1:2], (0, 0, 1, 1))")),
    ),
}
"""In imagenet-resnet56, float32 reaches furthest in the gradient of the kernel that is followed by the pool."""

OF_EMBEDDING = {"imdb-gru": (("nn.Embedding(30000, 125)", "nn.Embedding(30000, 125, padding_idx=0)"),)}
"""Reviews are padded with token 0, whose row is trained like others. docs/explanation/proof.md: why imdb-lstm does
not show it."""

OPTIMIZERS = {
    "fashion-mlp": OF_ADAM,
    "fashion-cnn": OF_ADAM,
    "fashion-diffusion": {**OF_ADAM, **OF_DIFFUSION},
    "imdb-gru": OF_ADAM,
    "imdb-lstm": OF_ADAM,
    "deepar-monash": {name: changes for name, changes in OF_ADAM.items() if "decay" not in name and "L2" not in name},
    "cifar-vgg": OF_SGD,
    "cifar-resnet56": OF_ADAM_OF_KERAS,
    "chestxray-densenet121": OF_ADAM,
    "resnet50-synthetic": OF_RMSPROP,
    "imagenet-resnet56": {**OF_ADAM, **OF_THE_LAST_KERNEL},
    "shakespeare-gpt": {**OF_ADAMW, **OF_TRANSFORMER},
    "cifar-vit": {**OF_ADAMW_OF_KERNELS, **OF_VISION_TRANSFORMER},
}
"""By workload, the mistakes of its optimiser, and of a transformer or a diffusion model.

DeepAR states a decay of its own, which the plants would replace."""


TRANSFORMERS = {"shakespeare-gpt", "cifar-vit"}
"""They have an optimiser of two groups, and its mistakes in place of those of all others."""

CAUSES = {
    "tanh for erf": "GELU in its approximation by tanh where the exact GELU is meant",
    "epsilon of the normalisation": "a normalisation adds 1e-0",
}
"""What the proof says of some of them; of the others it may say anything that does not mislead."""

STALE_CAUSES = {"shakespeare-gpt": "it trains on other weights", "cifar-vit": "it trains on older ones"}
"""What the proof says of stale weights in transformers; only that of cifar-vit is guided."""

STANDS_OUT = 10.0
"""How many times its tolerance the first check that fails is off, at least."""

LESS = {
    ("cifar-resnet56", "float16 in one convolution"): 3.0,
    ("chestxray-densenet121", "decoupled decay 4e-3"): 8.0,
    ("imagenet-resnet56", "float16 in one convolution"): 2.0,
    ("resnet50-synthetic", "float16 in one convolution"): 8.0,
}
"""Where it is less; docs/results/proof-margins.md has the reasons."""


def whole_plants() -> list[Plant]:
    """Every mistake in every workload in which it means something."""
    found = []
    for workload, own in OPTIMIZERS.items():
        for name, changes in (own if workload in TRANSFORMERS else {**own, **OF_ALL}).items():
            found.append(Plant(name, workload, changes, "", CAUSES.get(name, "")))
        if workload in OF_NORMALISATION:
            cause = "the normalisation adds"
            found.append(Plant("epsilon of the normalisation", workload, OF_NORMALISATION[workload], "", cause))
        if workload in OF_ONE_CONVOLUTION:
            found.append(Plant("float16 in one convolution", workload, OF_ONE_CONVOLUTION[workload], "", ""))
        if workload in OF_EMBEDDING:
            cause = "embedding has rows without a gradient (0)"
            found.append(Plant("padding that is never trained", workload, OF_EMBEDDING[workload], "", cause))
        for name, (change, cause) in OF_CLIPPING.items() if workload == "shakespeare-gpt" else ():
            found.append(Plant(name, workload, (), "", cause, (change,)))
        if workload in FEW_STEPS:
            found.append(Plant("bias corrections of two steps", workload, (), "", "", CORRECTED_TWICE))
        found.append(Plant("stale weights", workload, (), "", STALE_CAUSES.get(workload, ""), STALE))
        if find_workload(workload).proof.guided:
            found.append(Plant("one update of its own", workload, (), "", "it trains on older ones", ONE_OF_ITS_OWN))
    return found
