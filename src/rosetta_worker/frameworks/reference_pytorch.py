"""The reference in PyTorch: the formulas of a workload and of its optimiser, in float64.

Run in float32, it shows the effect of honest round-off: the noise from which the tolerances follow.
"""

from contextlib import nullcontext, suppress

import numpy as np
import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from rosetta_worker.framework import Framework

DESCRIPTION = {
    "title": "Reference on PyTorch",
    "modes": {"eager": "formulas written out"},
    "mode": "eager",
    "packages": ["torch"],
    "locks": ["pytorch@2.13.0"],
    "reference": True,
}

ROUND_OFF = 1e-5
"""The largest gradient that consists of round-off alone: far above Adam's epsilon, so that it gives a full step."""

NOTHING = 1e-6
"""The share of the norm of all gradients below which a gradient is round-off alone."""

CHANCE = 2
"""The seed of the random signs."""


class Adapter(Framework):
    """Uses only PyTorch's array operations and differentiation: no layer, loss or optimiser of PyTorch."""

    lacks = {}

    def build(self, weights):
        torch.set_num_threads(self.setting.threads)
        emulated = roundings(self.setting)
        self.dtype = torch.float32 if emulated else getattr(torch, self.setting.precision)
        self.arithmetic = RoundedProducts(*emulated) if emulated else nullcontext()
        self.summation = LoopedSums() if self.setting.rounded == "weights" else nullcontext()
        endings = getattr(self.implementation, "KEPT", ())
        self.kept = {
            name: torch.tensor(array, dtype=self.dtype) for name, array in weights.items() if name.endswith(endings)
        }
        self.tensors = {
            name: torch.tensor(array, dtype=self.dtype, requires_grad=True)
            for name, array in weights.items()
            if name not in self.kept
        }
        self.chance = torch.Generator().manual_seed(CHANCE)
        self.first = {name: torch.zeros_like(tensor) for name, tensor in self.tensors.items()}
        self.second = {name: torch.zeros_like(tensor) for name, tensor in self.tensors.items()}
        self.count = 0
        self.update = getattr(self, self.setting.optimizer.name) if self.trains else None
        self.known = None
        self.mean_loss = getattr(self.implementation, "loss", cross_entropy)

    def parameters(self):
        return {name: self.array(tensor) for name, tensor in dict(self.tensors, **self.kept).items()}

    def set_parameters(self, weights):
        for name, array in weights.items():
            trained = name in self.tensors
            held = self.tensors if trained else self.kept
            held[name] = torch.tensor(array, dtype=self.dtype, requires_grad=trained)
        self.known = None

    def load(self, inputs, labels):
        return self.held(torch.from_numpy(inputs)), self.held(torch.from_numpy(labels))

    def held(self, numbers):
        """Return numbers in the working precision, and whole numbers in PyTorch's default integer type."""
        return numbers.to(self.dtype) if numbers.is_floating_point() else numbers.long()

    def batch(self, dataset, ids):
        inputs, labels = dataset
        return inputs[ids], labels[ids]

    def train(self, dataset, batches):
        total = 0.0
        for ids in batches:
            _, loss, gradients, kept = self.differentiate(dataset, ids)
            self.rate = self.learning_rate()
            self.count += 1
            if self.setting.lazy:
                self.named = self.batch(dataset, ids)[0].unique()
            self.update(self.with_round_off(gradients))
            self.kept.update(kept)
            self.known = None
            total += float(loss)
        return total / len(batches)

    def differentiate(self, dataset, ids):
        """Return logits, loss, gradients and new running means.

        The result for the same batch at the same weights is kept for the step that follows.
        """
        if self.known and np.array_equal(self.known[0], ids):
            return self.known[1]
        inputs, labels = self.batch(dataset, ids)
        kept = {}
        training = (kept,) if self.kept else ()
        with self.summation:
            with self.arithmetic:
                logits = self.implementation.forward(dict(self.tensors, **self.kept), inputs, *training)
            loss = self.mean_loss(logits, labels)
            if self.penalty is not None:
                loss = loss + self.penalty(self.tensors)
            gradients = torch.autograd.grad(loss, list(self.tensors.values()), materialize_grads=True)
        if not getattr(self.summation, "found", True):  # the mode would only slow down every operation
            self.summation = nullcontext()
        self.known = ids, (logits, loss, dict(zip(self.tensors, gradients)), kept)
        return self.known[1]

    def with_round_off(self, gradients):
        """Return the gradients. In a trial of round-off, mathematically zero ones become small random numbers.

        Examples are a bias before a batch normalisation, and a shift that only linear layers separate from the next
        one. In float32 such a gradient is round-off alone. Adam and RMSprop divide it by its own size, and make a full
        step in a random direction.
        """
        if not self.setting.rounded:
            return gradients
        least = NOTHING * torch.linalg.vector_norm(torch.stack([g.norm() for g in gradients.values()]))
        return {name: g if g.norm() > least else ROUND_OFF * self.sign_like(g) for name, g in gradients.items()}

    def sign_like(self, tensor):
        """Return a tensor of random signs, 1 and -1."""
        return 2 * torch.randint(2, tensor.shape, generator=self.chance).to(self.dtype) - 1

    def adam(self, gradients):
        """Kingma and Ba (2015), algorithm 1: epsilon is added to the bias-corrected root.

        First, all gradients together are clipped to a norm (Pascanu, Mikolov and Bengio 2013, algorithm 1), then decay
        is added. For a tensor that is updated lazily, rows that the batch does not use keep their values and their
        moments.
        """
        hyper = self.setting.optimizer
        new1, new2 = self.one_minus("weights", hyper.beta1), self.one_minus("weights", hyper.beta2)
        correction1 = self.one_minus("corrections", hyper.beta1, self.count)
        correction2 = self.one_minus("corrections", hyper.beta2, self.count)
        with torch.no_grad():
            shorter = clipping(gradients.values(), hyper.clip_norm)
            for name, gradient in gradients.items():
                g = shorter * gradient + hyper.weight_decay * self.tensors[name]
                rows = self.named if name in self.setting.lazy else ...
                m = hyper.beta1 * self.first[name][rows] + new1 * g[rows]
                v = hyper.beta2 * self.second[name][rows] + new2 * g[rows] * g[rows]
                step = (m / correction1) / (torch.sqrt(v / correction2) + hyper.epsilon)
                self.first[name][rows], self.second[name][rows] = m, v
                self.tensors[name][rows] -= self.rate * step

    def sgd(self, gradients):
        """Gradient descent with Polyak's momentum: v = m·v + g, w = w - rate·v; the rate is not part of v."""
        hyper = self.setting.optimizer
        with torch.no_grad():
            for name, g in gradients.items():
                self.first[name] = hyper.momentum * self.first[name] + g
                self.tensors[name] -= self.rate * self.first[name]

    def rmsprop(self, gradients):
        """Tieleman and Hinton (2012), lecture 6e: v = rho·v + (1 - rho)·g²; epsilon is added to its root."""
        hyper = self.setting.optimizer
        new = self.one_minus("weights", hyper.rho)
        with torch.no_grad():
            for name, g in gradients.items():
                v = self.second[name] = hyper.rho * self.second[name] + new * g * g
                self.tensors[name] -= self.rate * g / (torch.sqrt(v) + hyper.epsilon)

    def one_minus(self, what, beta, count=1):
        """Return 1 - beta^count; in the working precision if `what` is rounded in this trial.

        In float32, 1 - 0.999 keeps four digits: the largest error of the step, and an honest one. MXNet computes the
        weights of new gradients in float32, Optax and Keras the bias corrections; PyTorch computes neither so.
        """
        if self.setting.rounded != what:
            return 1 - beta**count
        return 1 - torch.tensor(beta, dtype=self.dtype) ** count

    def gradients(self, dataset, ids):
        logits, loss, gradients, _ = self.differentiate(dataset, ids)
        return logits, loss, {name: self.array(gradient) for name, gradient in gradients.items()}

    def margins(self, dataset, ids, least):
        inputs, _ = self.batch(dataset, ids)
        training = ({},) if self.kept else ()
        with self.summation, Edges(least) as edges, suppress(TooNear):
            self.implementation.forward(dict(self.tensors, **self.kept), inputs, *training)
        return edges.margins()

    def evaluate(self, dataset, batches):
        tensors = dict(self.tensors, **self.kept)
        with torch.no_grad(), self.arithmetic:
            return torch.cat([self.implementation.forward(tensors, self.batch(dataset, ids)[0]) for ids in batches])

    def infer(self, batches):
        with torch.no_grad(), self.arithmetic:
            inputs = [torch.tensor(batch, dtype=self.dtype) for batch in batches]
            return np.concatenate([self.array(self.implementation.forward(self.tensors, one)) for one in inputs])

    def synchronize(self):
        """Do nothing: PyTorch computes on the CPU in the calling thread."""

    def array(self, tensor):
        return tensor.detach().numpy().copy()

    def begin_epoch(self, epoch):
        """Do nothing: `learning_rate` follows from the number of steps."""

    def learning_rate(self):
        rate, schedule = self.setting.optimizer.learning_rate, self.setting.schedule
        if schedule is None:
            return rate
        epoch = self.count // self.calendar.steps_per_epoch * self.calendar.epochs_apart
        if schedule.name == "steps":
            return rate * ([1.0] + schedule.factors)[sum(epoch >= after for after in schedule.after)]
        return rate * schedule.factor ** (epoch // schedule.every)

    def settings(self):
        return {
            "threads": torch.get_num_threads(),
            "device": "cpu",
            "precision": self.setting.precision,
            "mode": "eager",
        }


class RoundedProducts(TorchFunctionMode):
    """Rounds the operands and the results of products. Both roundings are pairs, for forward and backward pass."""

    def __init__(self, operands, result):
        super().__init__()
        self.operands = operands
        self.result = result

    def __torch_function__(self, function, types, args=(), kwargs=None):
        if getattr(function, "__name__", "") not in PRODUCTS:
            return function(*args, **(kwargs or {}))
        operands = [Rounded.apply(one, *self.operands) if torch.is_tensor(one) else one for one in args]
        return Rounded.apply(function(*operands, **(kwargs or {})), *self.result)


PRODUCTS = ("matmul", "__matmul__", "__rmatmul__", "conv2d")
"""The functions of PyTorch with which formulas multiply matrices and kernels."""


class Rounded(torch.autograd.Function):
    """A tensor that is rounded by `there`, and whose gradient is rounded by `back`."""

    @staticmethod
    def forward(ctx, tensor, there, back):
        ctx.back = back
        return there(tensor)

    @staticmethod
    def backward(ctx, gradient):
        return ctx.back(gradient), None, None


class TooNear(Exception):
    """A sample is nearer to an edge than the required distance."""


class Edges(TorchFunctionMode):
    """Finds the edges, where a gradient jumps: each ReLU, written with ``x > 0``, and each pool, with ``argmax``.

    At the first layer in which a sample is nearer to an edge than `least`, the formula ends with TooNear: later layers
    need not be computed.
    """

    def __init__(self, least):
        super().__init__()
        self.least = least
        self.nearest = []

    def __torch_function__(self, function, types, args=(), kwargs=None):
        edge = EDGES.get(getattr(function, "__name__", ""))
        if edge is not None and args[0].requires_grad:
            layer = args[0].detach()
            self.nearest.append(nearest(layer, edge(layer)))
            if (self.nearest[-1] < self.least).any():
                raise TooNear
        return function(*args, **(kwargs or {}))

    def margins(self):
        """Return the distance of each sample to the nearest edge, (samples,), over the computed layers."""
        return torch.stack(self.nearest).amin(0)


def from_zero(relu):
    """Return the distance of each input of a ReLU from zero."""
    return relu.abs()


def of_two_largest(pool):
    """Return the difference between the two largest inputs of each pool; the inputs are along the last axis."""
    first, second = pool.topk(2).values.unbind(-1)
    return first - second


EDGES = {"gt": from_zero, "__gt__": from_zero, "argmax": of_two_largest}
"""{function of PyTorch in a formula: function that returns the distances of its inputs from an edge}."""


def nearest(layer, distances):
    """Return the least distance of each sample from an edge, relative to the root mean square of the layer.

    An exact zero is not an edge: it comes from equal or black pixels, and is exact in every precision.
    """
    distances = torch.where(distances == 0, torch.inf, distances)
    return (distances / layer.square().mean().sqrt()).flatten(1).amin(1)


class LoopedSums(TorchDispatchMode):
    """Computes sums over several axes in a loop, one number after the other, in the forward and the backward pass.

    PyTorch's own sum adds in pairs, and its round-off hardly grows with the number of terms. Batch normalisation is a
    loop over an image whose pixels are stored one after the other, with all their channels or eight of them. So the
    lanes of a register hold channels, and each channel's sum is one loop. Its round-off grows with the number of terms,
    and is visible where a large sum is subtracted again. Of two trials of round-off, one adds in pairs and the other in
    a loop.
    """

    found = False
    """Whether there was such a sum."""

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        if function not in SUMS or len(args[1]) < 2:
            return function(*args, **(kwargs or {}))
        self.found = True
        tensor, axes = args[0], [axis % args[0].dim() for axis in args[1]]
        others = [axis for axis in range(tensor.dim()) if axis not in axes]
        rows = tensor.permute(*axes, *others).reshape(-1, *(tensor.shape[axis] for axis in others)).numpy()
        found = torch.from_numpy(np.add.accumulate(rows)[-1])
        if function is torch.ops.aten.mean.dim:
            found = found / len(rows)
        if len(args) > 2 and args[2]:  # keeps the axes, with extent 1
            found = found.reshape([1 if axis in axes else extent for axis, extent in enumerate(tensor.shape)])
        return found


SUMS = (torch.ops.aten.sum.dim_IntList, torch.ops.aten.mean.dim)
"""PyTorch's operations for sums and means over axes; the backward pass of a broadcast uses them, too."""


def roundings(setting):
    """Return the roundings of a product's operands and of its result, each for both passes; None without rounding.

    bfloat16 is a type that results and gradients have, too. TF32 is not a type: a product rounds its operands to it. In
    the backward pass, the operands are the gradient of the result, and again the multiplied values. A tensor core reads
    only the first 10 fraction bits. Whether a library rounds to them before is not specified, so one trial of round-off
    rounds them, and the other truncates them.
    """
    if setting.precision == "bfloat16":
        return (to_bfloat16, to_bfloat16), (to_bfloat16, to_bfloat16)
    if setting.precision == "tf32":
        shorter = cut_to_tf32 if setting.rounded == "weights" else to_tf32
        return (shorter, as_it_is), (as_it_is, shorter)
    return None


def to_bfloat16(tensor):
    """Return float32 rounded to bfloat16."""
    return tensor.bfloat16().to(tensor.dtype)


def to_tf32(tensor):
    """Return float32 rounded to TF32, with ties away from zero, as in PTX (``cvt.rna``).

    The sign is a separate bit, and the other bits grow with the magnitude, so half of the last remaining bit is added.
    """
    return cut_to_tf32((tensor.contiguous().view(torch.int32) + 0x1000).view(torch.float32))


def cut_to_tf32(tensor):
    """Return float32 without the last 13 of its 23 fraction bits."""
    return (tensor.contiguous().view(torch.int32) & ~0x1FFF).view(torch.float32)


def as_it_is(tensor):
    """Return the tensor unchanged."""
    return tensor.view_as(tensor)


def clipping(gradients, longest):
    """Return the factor that clips all gradients together to the norm `longest`, at most 1; 1 without a norm."""
    whole = torch.sqrt(sum((g * g).sum() for g in gradients))
    return 1.0 if longest is None else torch.clamp(longest / whole, max=1.0)


def cross_entropy(logits, labels):
    """Return the mean over the batch of -log softmax(logits)[label]."""
    shifted = logits - logits.max(1, keepdim=True)[0].detach()
    picked = shifted[torch.arange(len(labels)), labels]
    return (torch.log(torch.exp(shifted).sum(1)) - picked).mean()
