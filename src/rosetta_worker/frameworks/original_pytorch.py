"""The original as reference: a workload's own PyTorch implementation, in float64.

Ports are compared with it. Its optimiser is written out as in the formula reference in PyTorch; if the workload states
an optimiser that only the implementations know, the original's own is used.
"""

import numpy as np
import torch

from rosetta_worker.frameworks.reference_adamw_pytorch import Adapter as Formulas
from rosetta_worker.frameworks.reference_pytorch import CHANCE, LoopedSums, clipping, nullcontext
from rosetta_worker.originals import refuse_untied, tied_names

DESCRIPTION = {
    "title": "Original in PyTorch",
    "modes": {"eager": "the implementation itself, in float64"},
    "mode": "eager",
    "packages": ["torch"],
    "locks": ["pytorch@2.13.0"],
    "reference": True,
    "original": "pytorch",
}


class Adapter(Formulas):
    """Holds the model's own tensors by their canonical names. Its ties must not change any layout."""

    lacks = {
        "precision=bfloat16": "the noise of an original is that of float32 alone: bfloat16 has no tolerances",
        "precision=tf32": "the noise of an original is that of float32 alone: TF32 has no tolerances",
        "embedding_gradient": "an original computes dense gradients",
    }

    def __init__(self, implementation, setting):
        self.original = implementation
        self.penalty_of = getattr(implementation, "penalty", None)
        super().__init__(Model(self, implementation), setting)
        self.penalty = None if self.penalty_of is None else (lambda tensors: self.penalty_of(self.model))

    def build(self, weights):
        torch.set_num_threads(self.setting.threads)
        self.dtype = getattr(torch, self.setting.precision)
        torch.set_default_dtype(self.dtype)
        self.arithmetic = nullcontext()
        self.summation = LoopedSums() if self.setting.rounded == "weights" else nullcontext()
        self.chance = torch.Generator().manual_seed(CHANCE)
        self.model = self.original.Model().to(self.dtype)
        undropped(self.model)
        own = dict(self.model.named_parameters(), **dict(self.model.named_buffers()))
        self.tensors = tied(self.original.TENSORS, own)
        self.buffers = tied(getattr(self.original, "STATE", ()), own)
        self.kept = {name: tensor.clone() for name, tensor in self.buffers.items()}
        self.set_parameters(weights)
        self.first = {name: torch.zeros_like(tensor) for name, tensor in self.tensors.items()}
        self.second = {name: torch.full_like(tensor, self.initial) for name, tensor in self.tensors.items()}
        self.count = 0
        self.known = None
        refuse_untied(untied(self.model, self.tensors))
        if self.trains:
            self.mean_loss = self.original.loss
            self.update = getattr(self, self.setting.optimizer.name)
            if self.setting.optimizer.name == "own":
                self.optimizer = self.original.optimizer(self.model, self.setting.optimizer)

    @property
    def initial(self):
        """Return the initial value of the second moments."""
        return getattr(self.setting.optimizer, "initial", 0.0)

    def set_parameters(self, weights):
        with torch.no_grad():
            for name, array in weights.items():
                held = self.tensors if name in self.tensors else self.kept
                held[name].copy_(torch.as_tensor(array))
        self.known = None

    def forward(self, inputs, kept=None):
        """Return the model's outputs. In training, the kept tensors are stored into `kept`."""
        for name, buffer in self.buffers.items():
            buffer.copy_(self.kept[name])
        outputs = self.model(inputs)
        if kept is not None:
            kept.update({name: buffer.clone() for name, buffer in self.buffers.items()})
        return outputs

    def differentiate(self, dataset, ids):
        self.model.train()
        return super().differentiate(dataset, ids)

    def evaluate(self, dataset, batches):
        self.model.eval()
        return super().evaluate(dataset, batches)

    def infer(self, batches):
        self.model.eval()
        with torch.no_grad(), self.arithmetic:
            inputs = [self.held(torch.tensor(batch)) for batch in batches]  # whole numbers, ids say, stay whole
            return np.concatenate([self.array(self.implementation.forward(self.tensors, one)) for one in inputs])

    # -- optimisers, beside Adam, AdamW and RMSprop --------------------------------------------------------------------

    def sgd(self, gradients):
        """Polyak: v = m·v + g, w = w - rate·v; Nesterov: w - rate·(g + m·v). Decay is added to the clipped gradient."""
        hyper = self.setting.optimizer
        with torch.no_grad():
            shorter = clipping(gradients.values(), hyper.clip_norm)
            for name, gradient in gradients.items():
                g = shorter * gradient + hyper.weight_decay * self.tensors[name]
                v = self.first[name] = hyper.momentum * self.first[name] + g
                self.tensors[name] -= self.rate * (g + hyper.momentum * v if hyper.nesterov else v)

    def adagrad(self, gradients):
        """Duchi, Hazan and Singer (2011): v = v + g², w = w - rate·g / (√v + epsilon)."""
        hyper = self.setting.optimizer
        with torch.no_grad():
            for name, g in gradients.items():
                v = self.second[name] = self.second[name] + g * g
                self.tensors[name] -= self.rate * g / (torch.sqrt(v) + hyper.epsilon)

    def own(self, gradients):
        """The implementation's own optimiser."""
        for name, gradient in gradients.items():
            self.tensors[name].grad = gradient
        for group in self.optimizer.param_groups:
            group["lr"] = self.rate
        self.optimizer.step()


class Model(object):
    """An original with the interface of a reference's formulas: ``forward(w, inputs)``."""

    def __init__(self, adapter, implementation):
        self.adapter = adapter
        if hasattr(implementation, "arrange"):
            self.arrange = implementation.arrange

    def forward(self, w, inputs, kept=None):
        return self.adapter.forward(inputs, kept)


def tied(table, own):
    """Return {canonical name: the model's tensor} of a table of ties.

    Raises ValueError if a tie changes a layout, or names no tensor of the model.
    """
    names = tied_names(table)
    for name in names.values():
        if name not in own:
            raise ValueError("the original has no tensor %s: it has %s" % (name, ", ".join(sorted(own))))
    return {canonical: own[name] for canonical, name in names.items()}


def untied(model, tensors):
    """Return the names of the parameters of a model that are not among the tied `tensors`."""
    tied_ones = {id(tensor) for tensor in tensors.values()}
    return [name for name, tensor in model.named_parameters() if id(tensor) not in tied_ones]


def undropped(model):
    """Make a model drop nothing. Dropout is proven separately."""
    for layer in model.modules():
        if isinstance(layer, torch.nn.modules.dropout._DropoutNd):
            layer.p = 0.0
        if isinstance(layer, (torch.nn.RNNBase, torch.nn.MultiheadAttention)):
            layer.dropout = 0.0
