"""The reference with one activation in another form, or with another epsilon in its normalisations.

It tests a suspicion: the logits of a contender with such a mistake are equal to those of one of these forms.
"""

import torch
from torch.overrides import TorchFunctionMode

from rosetta_worker.frameworks import reference_pytorch

MOST_LAYERS = 8
"""In a network with more layers with activations than this, each form is tried only in all of them together."""


class Adapter(reference_pytorch.Adapter):
    """Returns the logits of every form instead of gradients: ``gelu`` everywhere, ``gelu.conv2`` after one layer."""

    def gradients(self, dataset, ids):
        inputs, labels = self.batch(dataset, ids)
        logits, stated = self.forward_as(inputs)
        found = {}
        for form, (kind, _) in FORMS.items():
            layers = [layer for asked, layer in stated.asked if asked == kind]
            if layers:
                found[form] = self.array(self.forward_as(inputs, form)[0])
            if 1 < len(layers) <= MOST_LAYERS:
                alone = {layer: self.forward_as(inputs, form, layer)[0] for layer in layers}
                found.update({"%s.%s" % (form, layer): self.array(one) for layer, one in alone.items()})
        return logits, self.mean_loss(logits, labels), found

    def forward_as(self, inputs, form=None, layer=None):
        """Return the logits with activations in another form, everywhere or after `layer` only, and the activations."""
        training = ({},) if self.kept else ()
        with Activations(self.tensors, form, layer) as activations:
            logits = self.implementation.forward(dict(self.tensors, **self.kept), inputs, *training)
        return logits, activations


class Activations(TorchFunctionMode):
    """Replaces activations by another form, and collects in `asked` the (kind, layer) pairs, each once.

    A layer is identified by its tensor that a formula has read last.
    """

    def __init__(self, tensors, form, layer):
        super().__init__()
        self.names = {id(tensor): name.rpartition(".")[0] for name, tensor in tensors.items()}
        self.kind, self.form = FORMS.get(form, (None, None))
        self.only = layer
        self.layer = ""
        self.asked = {}

    def __torch_function__(self, function, types, args=(), kwargs=None):
        for one in args:
            self.layer = self.names.get(id(one), self.layer)
        kind = KINDS.get(getattr(function, "__name__", ""))
        if kind == "epsilon" and not is_epsilon(args[1]):
            kind = None
        if kind is None or not args[0].requires_grad:
            return function(*args, **(kwargs or {}))
        self.asked[kind, self.layer] = True
        if kind == self.kind and self.only in (None, self.layer):
            return self.form(args[0])
        return function(*args, **(kwargs or {}))


KINDS = {
    "gt": "relu",
    "__gt__": "relu",
    "sigmoid": "sigmoid",
    "tanh": "tanh",
    "erf": "gelu",
    "add": "epsilon",
    "__add__": "epsilon",
}
"""{function of PyTorch in a formula: kind of activation}.

A ReLU is written x · (x > 0), a GELU x · (1 + erf(x / √2)) / 2, and a normalisation adds a small number to a variance.
"""

LARGEST_EPSILON = 1e-2

EPSILONS = (1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-12)
"""Epsilons that normalisations have somewhere."""


def is_epsilon(number):
    """Return whether a number that is added can be the epsilon of a normalisation."""
    return isinstance(number, float) and 0 < number <= LARGEST_EPSILON


def of_gelu(factor):
    """Return what replaces erf in a GELU, so that x is multiplied by `factor` of x."""
    return lambda scaled: 2 * factor(scaled * 2**0.5) - 1


def with_epsilon(epsilon):
    """Return the variance with another epsilon."""
    return lambda variance: variance + epsilon


def share(activation):
    """Return the factor of x that turns a ReLU into another activation: activation(x) / x."""
    return lambda x: torch.where(x == 0, torch.zeros_like(x), activation(x) / x)


FORMS = {
    "leaky-relu": ("relu", lambda x: torch.where(x > 0, 1.0, 0.01)),
    "relu6": ("relu", share(lambda x: x.clamp(0, 6))),
    "elu": ("relu", share(lambda x: torch.where(x > 0, x, torch.expm1(x)))),
    "gelu": ("relu", lambda x: (1 + torch.erf(x / 2**0.5)) / 2),
    "gelu-tanh": ("relu", lambda x: (1 + torch.tanh((2 / torch.pi) ** 0.5 * (x + 0.044715 * x**3))) / 2),
    "silu": ("relu", lambda x: 1 / (1 + torch.exp(-x))),
    "softplus": ("relu", share(lambda x: torch.logaddexp(x, torch.zeros_like(x)))),
    "no-relu": ("relu", torch.ones_like),
    "relu-tanh": ("relu", share(lambda x: torch.tanh(x))),
    "hard-sigmoid-fifth": ("sigmoid", lambda x: (0.2 * x + 0.5).clamp(0, 1)),
    "hard-sigmoid-sixth": ("sigmoid", lambda x: (x / 6 + 0.5).clamp(0, 1)),
    "hard-tanh": ("tanh", lambda x: x.clamp(-1, 1)),
    "softsign": ("tanh", lambda x: x / (1 + abs(x))),
    "tanh-relu": ("tanh", lambda x: x.clamp(min=0)),
    "no-tanh": ("tanh", torch.clone),
    "gelu-by-tanh": ("gelu", lambda y: torch.tanh((4 / torch.pi) ** 0.5 * (y + 0.08943 * y**3))),
    "gelu-by-sigmoid": ("gelu", of_gelu(lambda x: torch.sigmoid(1.702 * x))),
    "relu-for-gelu": ("gelu", torch.sign),
    "silu-for-gelu": ("gelu", of_gelu(torch.sigmoid)),
    "no-gelu": ("gelu", torch.ones_like),
    **{"epsilon-%.0e" % epsilon: ("epsilon", with_epsilon(epsilon)) for epsilon in EPSILONS},
}
"""{form: (kind of activation that it replaces, replacement in a formula)}. For a ReLU, x > 0 is replaced, the factor of
x; for a GELU, erf(x / √2)."""
