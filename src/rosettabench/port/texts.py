"""The texts of a new folder: the statement, the original, and the beginnings of ports."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from rosettabench.catalogue.syntax import parse_python
from rosettabench.port.columns import columns_of, join_names, named_words
from rosettabench.port.description import Description, Input, Inputs
from rosettabench.port.ties import tie_words, transforms_used
from rosettabench.port.work import LOSSES, METRIC_OF_LOSS, SAMPLES, Placeholder

TITLES = {
    "pytorch": "PyTorch",
    "jax": "JAX: Flax NNX and Optax",
    "keras": "Keras",
    "tensorflow": "TensorFlow 2",
    "mxnet-gluon": "MXNet Gluon",
}
"""The frameworks of a new folder."""

STATEMENT = """title = "{name}"
reference = "pytorch"  # pytorch.py is the original: all others are proven equal to it
{weights}
# train = "x.npy", labels = "y.npy" (and test, test_labels), or function = "data.py", in place of [data.random]:
# docs/guide/port-a-model.md
[data.random]
samples = {samples}
{inputs}
labels = {labels}

[optimizer]
name = "adam"  # or adamw, sgd, rmsprop, adagrad; own: what the implementations make
learning_rate = 1e-3
beta1 = 0.9
beta2 = 0.999
epsilon = 1e-8

[training]
batch_size = 32
epochs = 1

[metric]
name = "{metric}"  # or accuracy, perplexity, mean squared error, mean absolute error; none without this table
"""

OPTIMIZERS = {
    "pytorch": """
    return Adam(model.parameters(), lr=hyper.learning_rate, betas=(hyper.beta1, hyper.beta2), eps=hyper.epsilon)
""",
    "jax": """
    adam = optax.adam(hyper.learning_rate, hyper.beta1, hyper.beta2, hyper.epsilon)
    return nnx.Optimizer(model, adam, wrt=nnx.Param)
""",
    "keras": """
    return Adam(hyper.learning_rate, beta_1=hyper.beta1, beta_2=hyper.beta2, epsilon=hyper.epsilon)
""",
    "mxnet-gluon": """
    adam = Adam(learning_rate=hyper.learning_rate, beta1=hyper.beta1, beta2=hyper.beta2, epsilon=hyper.epsilon)
    return gluon.Trainer(model.collect_params(), adam)
""",
}
OPTIMIZERS["tensorflow"] = OPTIMIZERS["keras"]

IMPORTS = {
    "jax": "import optax\nfrom flax import nnx\n",
    "keras": "import keras\nfrom keras import ops\nfrom keras.losses import sparse_categorical_crossentropy\n",
    "tensorflow": "import tensorflow as tf\n",
    "mxnet-gluon": "from mxnet import gluon, nd\n",
}

ADAM = {
    "keras": "from rosetta_worker.optimizers.keras import Adam\n",
    "tensorflow": "from rosetta_worker.optimizers.keras import Adam\n",
    "mxnet-gluon": "from rosetta_worker.optimizers.mxnet import Adam\n",
}
"""Adam with epsilon added after the bias correction, where the library's own adds it before."""

SHIFTED = """    # Not softmax_cross_entropy: it takes no probability for less than 1e-8.
    outputs = outputs - outputs.max(axis=-1, keepdims=True)
"""
"""What stands before MXNet's loss of classes."""

MODELS = {
    "jax": '''class Model(nnx.Module):
    """{takes}"""

    def __init__(self, rngs):
        raise NotImplementedError("port Model of pytorch.py; TENSORS below says by which names")

    def __call__(self, inputs):
        return inputs
''',
    "keras": '''class Model(keras.Model):
    """{takes}"""

    def __init__(self):
        super().__init__()
        raise NotImplementedError("port Model of pytorch.py; TENSORS below says by which names")

    def call(self, inputs):
        return inputs
''',
    "tensorflow": '''class Model(tf.keras.Model):
    """{takes}"""

    def __init__(self):
        super().__init__()
        raise NotImplementedError("port Model of pytorch.py; TENSORS below says by which names")

    def call(self, inputs):
        return inputs
''',
    "mxnet-gluon": '''class Model(gluon.HybridBlock):
    """{takes}"""

    def __init__(self):
        super().__init__()
        raise NotImplementedError("port Model of pytorch.py; TENSORS below says by which names")

    def hybrid_forward(self, F, inputs):
        return inputs
''',
}
"""`Model` before it is ported."""


def statement(name: str, described: Description, work: Placeholder, weights: str | None) -> str:
    """Return ``workload.toml``; `weights` is the file with the first values, where there is one."""
    head = STATEMENT.format(
        name=name,
        weights=f'weights = "{weights}"  # first values of the tensors that state no init\n' if weights else "",
        samples=SAMPLES,
        metric=METRIC_OF_LOSS[work.loss],
        inputs=draws_words(work.inputs),
        labels=draw_words(work.labels),
    )
    return head + "".join(
        f'\n[[tensors]]\nname = "{tensor.name}"\nshape = {list(tensor.shape)}\n'
        + ("" if tensor.constant is None else f'init = "{constant_words(tensor.constant)}"\n')
        + ("" if tensor.trained else "trained = false\n")
        for tensor in described.tensors
    )


def draws_words(inputs: Inputs) -> str:
    """Return the lines of ``[data.random]`` on the inputs: an only one has no name there."""
    return "\n".join(
        f"inputs{f'.{name}' if len(inputs) > 1 else ''} = {draw_words(one)}" for name, one in inputs.items()
    )


def draw_words(one: Input) -> str:
    """Return how an array is drawn."""
    shape = f"shape = {list(one.shape)}, " if one.shape else ""
    values = f'values = "integers", below = {one.below}' if one.below else 'values = "normal"'
    return f"{{ {shape}{values} }}"


def constant_words(value: float) -> str:
    """Return the init of a tensor of one value."""
    return {0.0: "zeros", 1.0: "ones"}.get(value, f"constant({value!r})")


def original(name: str, source: str, model: str, described: Description, work: Placeholder) -> str:
    """Return ``pytorch.py``: the user's own source, and what a folder wants besides."""
    docstring = "" if ast.get_docstring(parse_python(source)) else f'"""{name} in PyTorch."""\n\n'
    imports = (
        "from torch.nn import functional\nfrom torch.optim import Adam\n\nfrom rosetta_worker.tensors import Tie\n"
    )
    marked = [f"{docstring}{source.rstrip()}\n", f"# -- what Rosettabench wants besides {'-' * 83}\n\n{imports}"]
    return "\n\n".join([*marked, *model_words(model, described), *rest("pytorch", described, work)])


def model_words(model: str, described: Description) -> list[str]:
    """Return what makes the user's class `Model`; of one with several inputs, a class that takes them as one array."""
    if len(described.inputs) > 1:
        names = list(described.inputs)
        return [
            named_words("pytorch", described.inputs),
            f'class Model({model}):\n    """Takes {join_names(names)} as columns of one array."""\n\n'
            f"    def forward(self, inputs):\n        {', '.join(names)} = named(inputs)\n"
            f"        return super().forward({', '.join(f'{name}={name}' for name in names)})\n",
        ]
    return [] if model == "Model" else [f"Model = {model}\n"]


def port(name: str, framework: str, described: Description, work: Placeholder, model: str | None = None) -> str:
    """Return the file of another framework: all of it but Model, which is the user's to port, or `model`."""
    takes = f"Inputs {inputs_words(work.inputs)} to outputs {shape_words(described.output)}."
    ties = [tie_words(tensor, framework) for tensor in described.tensors]
    imports = IMPORTS[framework]
    if work.loss == "squares":
        imports = imports.replace("from keras.losses import sparse_categorical_crossentropy\n", "")
    tensors = f"from rosetta_worker.tensors import {', '.join(transforms_used(ties))}\n"
    head = f'"""{name} in {TITLES[framework]}."""\n\n{imports}\n{ADAM.get(framework, "")}{tensors}'
    text = (model or MODELS[framework]).format(takes=takes)
    if len(work.inputs) > 1:
        text = f"{named_words(framework, work.inputs)}\n\n{taken_by_name(framework, text, list(work.inputs))}"
    return "\n\n".join([head, text, *rest(framework, described, work)])


def taken_by_name(framework: str, model: str, names: Sequence[str]) -> str:
    """Return a Model that is left to port so that it begins with its inputs by name."""
    taken = "F, inputs" if framework == "mxnet-gluon" else "inputs"
    begun = f"        {', '.join(names)} = named({taken})\n        return {names[0]}\n"
    return model.replace("        return inputs\n", begun)


def rest(framework: str, described: Description, work: Placeholder) -> list[str]:
    """Return what stands behind Model: the loss, the optimiser and the ties."""
    shifts = framework == "mxnet-gluon" and work.loss != "squares"
    parts = [
        f"def loss(outputs, labels):\n{SHIFTED if shifts else ''}    return {LOSSES[framework][work.loss]}\n",
        f"def optimizer(model, hyper):{OPTIMIZERS[framework]}",
        table("TENSORS", [tie_words(one, framework) for one in described.tensors if one.trained]),
    ]
    kept = [tie_words(one, framework) for one in described.tensors if not one.trained]
    return [*parts, table("STATE", kept)] if kept else parts


def table(name: str, ties: Sequence[str]) -> str:
    """Return a table of ties."""
    return f"{name} = [\n" + "".join(f"    {tie},\n" for tie in ties) + "]\n"


def inputs_words(inputs: Inputs) -> str:
    """Return the shapes of a batch of inputs as docstrings have them: ``(n, 9), user (n,) and image (n, 2, 4),``."""
    if len(inputs) == 1:
        return shape_words(next(iter(inputs.values())).shape)
    width = max(one.end for one in columns_of(inputs).values())
    return (
        f"{shape_words((width,))}, {join_names([f'{name} {shape_words(one.shape)}' for name, one in inputs.items()])},"
    )


def shape_words(shape: Sequence[int]) -> str:
    """Return the shape of a batch as docstrings have it: ``(n, 3, 32, 32)``."""
    return f"(n, {', '.join(map(str, shape))})" if shape else "(n,)"


SAMPLE = '''"""A small multilayer perceptron: replace it by a model of your own."""

from torch import nn


class Perceptron(nn.Module):
    """Inputs (n, 16) to logits (n, 4)."""

    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(16, 32)
        self.logits = nn.Linear(32, 4)

    def forward(self, inputs):
        return self.logits(self.hidden(inputs).relu())
'''
"""The model of a folder that is made without --from."""

SAMPLE_MODELS: Mapping[str, str] = {
    "jax": '''class Model(nnx.Module):
    """{takes}"""

    def __init__(self, rngs):
        self.hidden = nnx.Linear(16, 32, rngs=rngs)
        self.logits = nnx.Linear(32, 4, rngs=rngs)

    def __call__(self, inputs):
        return self.logits(nnx.relu(self.hidden(inputs)))
''',
    "keras": '''class Model(keras.Model):
    """{takes}"""

    def __init__(self):
        super().__init__()
        self.hidden = keras.layers.Dense(32, activation="relu")
        self.logits = keras.layers.Dense(4)
        self(keras.Input((16,)))

    def call(self, inputs):
        return self.logits(self.hidden(inputs))
''',
    "tensorflow": '''class Model(tf.keras.Model):
    """{takes}"""

    def __init__(self):
        super().__init__()
        self.hidden = tf.keras.layers.Dense(32, activation="relu")
        self.logits = tf.keras.layers.Dense(4)
        self(tf.keras.Input((16,)))

    def call(self, inputs):
        return self.logits(self.hidden(inputs))
''',
    "mxnet-gluon": '''class Model(gluon.HybridBlock):
    """{takes}"""

    def __init__(self):
        super().__init__()
        self.hidden = gluon.nn.Dense(32, in_units=16)
        self.logits = gluon.nn.Dense(4, in_units=32)

    def hybrid_forward(self, F, inputs):
        return self.logits(F.relu(self.hidden(inputs)))
''',
}
"""Its ports."""
