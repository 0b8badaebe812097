"""The reference with other activations: what its formulas say if one of them has another form.

So a suspicion is tested: the logits of a contender whose activation is another one are among these.
"""

import torch
from torch.overrides import TorchFunctionMode

from rosetta_worker.frameworks import reference_pytorch

MOST_LAYERS = 8
"""In a network with more layers that have an activation, each form is tried in all of them alone."""


class Adapter(reference_pytorch.Adapter):
    """Instead of gradients, it tells the logits of every form: ``gelu`` everywhere, ``gelu.conv2`` behind one layer."""

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
        """Return the logits with activations of a form, behind one layer alone if it is named; and what was asked."""
        training = ({},) if self.kept else ()
        with Activations(self.tensors, form, layer) as activations:
            logits = self.implementation.forward(dict(self.tensors, **self.kept), inputs, *training)
        return logits, activations


class Activations(TorchFunctionMode):
    """Gives activations another form, and keeps in `asked` which there are: (kind, layer), each once.

    A layer is known by the tensor of it that a formula has read last.
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
        if kind is None or not args[0].requires_grad:
            return function(*args, **(kwargs or {}))
        self.asked[kind, self.layer] = True
        if kind == self.kind and self.only in (None, self.layer):
            return self.form(args[0])
        return function(*args, **(kwargs or {}))


KINDS = {"gt": "relu", "__gt__": "relu", "sigmoid": "sigmoid", "tanh": "tanh"}
"""The functions of PyTorch that formulas ask for an activation: a ReLU is written x · (x > 0)."""


def share(activation):
    """Return what x is multiplied with where an activation takes a ReLU's place: activation(x) / x."""
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
}
"""By name: the kind of activation that it stands in for, and what a formula gets in its place. A ReLU's place is that
of x > 0, with which x is multiplied."""
