"""The data and the loss of a new folder: random inputs, and labels that the model's outputs suggest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rosettabench.port.description import Description, Input, Inputs

SAMPLES = 2048
"""Samples that are drawn for training."""


@dataclass(frozen=True)
class Placeholder:
    """The inputs and labels of a sample, and the `loss`, a key of LOSSES."""

    inputs: Inputs
    labels: Input
    loss: str


def work_of(described: Description) -> Placeholder:
    """Return the placeholder for a model.

    A row of outputs is taken for logits of classes; a row at each position of ids, for logits of tokens. The loss of
    any other output is the mean squared error.
    """
    inputs, output = described.inputs, described.output
    if len(output) == 1 and output[0] > 1:
        return Placeholder(inputs, Input((), output[0]), "classes")
    if len(output) == 2 and any(one.below is not None and one.shape == output[:1] for one in inputs.values()):
        return Placeholder(inputs, Input(output[:1], output[1]), "tokens")
    return Placeholder(inputs, Input(output), "squares")


METRIC_OF_LOSS = {"classes": "accuracy", "tokens": "perplexity", "squares": "mean squared error"}
"""What evaluation reports in a new folder."""

LOSSES: Mapping[str, Mapping[str, str]] = {
    "pytorch": {
        "classes": "functional.cross_entropy(outputs, labels)",
        "tokens": "functional.cross_entropy(outputs.flatten(0, 1), labels.flatten())",
        "squares": "functional.mse_loss(outputs, labels)",
    },
    "jax": {
        "classes": "optax.softmax_cross_entropy_with_integer_labels(outputs, labels).mean()",
        "tokens": "optax.softmax_cross_entropy_with_integer_labels(outputs, labels).mean()",
        "squares": "((outputs - labels) ** 2).mean()",
    },
    "keras": {
        "classes": "ops.mean(sparse_categorical_crossentropy(labels, outputs, from_logits=True))",
        "tokens": "ops.mean(sparse_categorical_crossentropy(labels, outputs, from_logits=True))",
        "squares": "ops.mean(ops.square(outputs - labels))",
    },
    "tensorflow": {
        "classes": "tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, outputs))",
        "tokens": "tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, outputs))",
        "squares": "tf.reduce_mean(tf.square(outputs - labels))",
    },
    "mxnet-gluon": {
        "classes": "(nd.log(nd.exp(outputs).sum(axis=-1)) - nd.pick(outputs, labels)).mean()",
        "tokens": "(nd.log(nd.exp(outputs).sum(axis=-1)) - nd.pick(outputs, labels)).mean()",
        "squares": "nd.mean(nd.square(outputs - labels))",
    },
}
"""By framework: the mean over a batch, as its own users write it."""
