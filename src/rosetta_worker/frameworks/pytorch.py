"""PyTorch: eager by default, compiled with torch.compile."""

import functools

import numpy as np
import torch
from torch.optim.lr_scheduler import LambdaLR

from rosetta_worker.framework import Framework, labels_as
from rosetta_worker.optimizers.pytorch import AdamBesideSparse, counting, published, updates_of
from rosetta_worker.runtimes import pytorch as runtime
from rosetta_worker.runtimes.glibc import keep_freed_memory
from rosetta_worker.schedule import factor
from rosetta_worker.surroundings import readable

DESCRIPTION = {
    "title": "PyTorch",
    "modes": {
        "eager": "op by op, as its guides begin",
        "compiled": "torch.compile of the forward pass and loss",
        "tuned": "images channels last, an optimiser fused into one kernel, freed memory kept, and compiled where that "
        "pays (on a GPU with CUDA graphs)",
    },
    "mode": "eager",
    "packages": ["torch"],
    "locks": ["pytorch@2.13.0", "pytorch@1.0.0"],
    "lacks": {
        "pytorch@1.0.0": {
            "compiled": "torch.compile came with PyTorch 2.0",
            "tuned": "torch.compile, images channels last and fused optimisers came later",
        },
    },
    "hints": {
        r"(?s)BackendCompilerFailed: .*ImportError: /\S+\.so: ": "A process was killed while it compiled this file: "
        "delete it, and try again.",
    },
}


class Adapter(Framework):
    """PyTorch 1.0 and newer, on the CPU or one CUDA device."""

    lacks = runtime.lacks()

    def build(self, weights):
        runtime.start(self.setting)
        if self.model is None:  # a compiled model is reused, since compiling again would change nothing
            self.device = torch.device(self.setting.device)
            self.tuned = self.setting.mode == "tuned"
            self.model = self.implementation.Model().to(self.device)
            if self.tuned:
                keep_freed_memory()
                self.model.to(memory_format=torch.channels_last)
                if torch.nn.Conv2d in kinds(self.model):
                    self.model.register_forward_pre_hook(channels_last)
            self.tensors = dict(self.model.named_parameters(), **dict(self.model.named_buffers()))
            for layer in self.model.modules():
                if isinstance(layer, torch.nn.Dropout) and not self.dropout:
                    layer.p = 0.0
                if isinstance(layer, torch.nn.RNNBase) and not self.dropout:
                    layer.dropout = 0.0
                if isinstance(layer, torch.nn.Embedding):
                    layer.sparse = self.setting.embedding_gradient == "sparse"
            self.predict, self.eager = self.model, self.with_loss
            if self.setting.precision == "bfloat16":
                self.predict, self.eager = map(self.autocast(), (self.predict, self.eager))
            self.forward, self.answer = map(self.compiler(), (self.eager, self.predict))
        self.set_parameters(weights)
        if self.trains:
            self.make_optimizer()

    def compiler(self):
        """Return the function that compiles a function in this mode.

        "reduce-overhead" means CUDA graphs; on the CPU it is the same as the default. "max-autotune" would try other
        matrix products for minutes.
        """
        if self.tuned:
            gains = gains_by_compiling(self.model, self.device)
            return functools.partial(torch.compile, mode="reduce-overhead") if gains else untouched
        return torch.compile if self.setting.mode == "compiled" else untouched

    def make_optimizer(self):
        """Make the optimiser, and its scheduler if the setting has a schedule."""
        self.optimizer = published(self.implementation.optimizer(self.model, self.setting.optimizer))
        if self.tuned:
            self.optimizer = fused(self.optimizer)
        self.optimizer = counting(self.optimizer)
        if self.setting.embedding_gradient == "sparse":
            self.optimizer = AdamBesideSparse(self.optimizer, embeddings(self.model))
        if self.setting.schedule is not None:
            self.scheduler = LambdaLR(self.optimizer, lambda epoch: factor(self.setting.schedule, epoch))

    def autocast(self):
        """PyTorch's own mixed precision: products in bfloat16; the loss in float32, like the parameters."""
        return torch.autocast(self.setting.device, torch.bfloat16)

    def with_loss(self, inputs, labels):
        logits = self.model(inputs)
        return logits, self.loss(self.model, logits, labels)

    def get(self, own):
        return self.tensors[own].detach().cpu().numpy()

    def set(self, own, array):
        with torch.no_grad():
            self.tensors[own].copy_(torch.from_numpy(array))

    def load(self, inputs, labels):
        if inputs.dtype.kind == "i":
            inputs = inputs.astype("int64")  # in PyTorch 1.0, an embedding takes no other integers
        return torch.from_numpy(inputs).to(self.device), torch.from_numpy(labels_as(labels, "int64")).to(self.device)

    def batch(self, dataset, ids):
        inputs, labels = dataset
        index = torch.from_numpy(ids).to(self.device)
        return inputs.index_select(0, index), labels.index_select(0, index)  # takes less time than inputs[index]

    def loader(self, source):
        from rosetta_worker.loaders.pytorch import Loader

        return Loader(source, self.setting.workers, self.device)

    def train(self, dataset, batches):
        self.model.train()
        total = torch.zeros((), device=self.device)
        for inputs, labels in self.feed(dataset, batches):
            self.optimizer.zero_grad()
            _, loss = self.forward(inputs, labels)
            loss.backward()
            self.update()
            total += loss.detach()
        return total / len(batches)

    def update(self):
        """Let the optimiser apply the gradients, after clipping if the workload states it."""
        if self.clip_norm is not None:
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.clip_norm)
        self.optimizer.step()

    def begin_epoch(self, epoch):
        while self.setting.schedule is not None and self.scheduler.last_epoch < epoch:
            self.scheduler.step()

    def gradients(self, dataset, ids):
        self.model.train()
        self.optimizer.zero_grad()
        logits, loss = self.forward(*self.batch(dataset, ids))
        loss.backward()
        return logits.detach(), loss, self.canonical(lambda own: dense(self.tensors[own].grad).cpu().numpy())

    def evaluate(self, dataset, batches):
        self.model.eval()
        with torch.no_grad():
            return torch.cat([self.predict(self.batch(dataset, ids)[0]) for ids in batches])

    def infer(self, batches):
        self.model.eval()
        with torch.no_grad():
            outputs = [self.array(self.answer(torch.from_numpy(batch).to(self.device))) for batch in batches]
        return np.concatenate(outputs)

    def forecast(self, batches, lags, horizon, paths, seed):
        """Op by op in every mode: torch.compile would unroll the loop over the steps, each with its own kernels."""
        self.model.eval()
        lags = torch.tensor(lags, device=self.device)
        with torch.no_grad(), torch.random.fork_rng():  # keeps the random stream of the training unchanged
            torch.manual_seed(seed)
            steps = (torch.tensor(batch, device=self.device) for batch in batches)
            drawn = [self.array(self.implementation.sample(self.model, one, lags, horizon, paths)) for one in steps]
        return np.concatenate(drawn)

    def synchronize(self):
        if self.device.type == "cuda":
            torch.cuda.synchronize()

    def linger(self, size, repeats):
        matrix = torch.full((size, size), 1.0 / size, device=self.device)
        product = matrix
        for _ in range(repeats):
            product = product @ matrix
        return product

    def array(self, tensor):
        tensor = tensor.detach().cpu()
        if str(tensor.dtype) == "torch.bfloat16":  # which NumPy lacks
            tensor = tensor.float()
        return tensor.numpy()

    def learning_rate(self):
        return self.optimizer.param_groups[0]["lr"]

    def updates(self):
        return updates_of(self.optimizer)

    def settings(self):
        first = next(iter(self.tensors.values()))
        compiled = self.forward is not self.eager
        tuned = self.tuned and compiled == gains_by_compiling(self.model, self.device)
        compilation = runtime.compilation() if compiled else {}
        found = {
            "precision": str(first.dtype).replace("torch.", ""),
            "mode": "tuned" if tuned else how_it_runs(compilation),
            "loader_workers": 0,
        }
        found.update(
            readable(
                layout=lambda: layout(self.tensors.values()),
                embedding_gradient=lambda: kind_of_gradient(embeddings(self.model)),
                optimizer=lambda: implementation_of(self.optimizer) if self.trains else None,
            )
        )
        found.update(runtime.settings(first))
        if self.setting.precision == "bfloat16":
            found["autocast"] = self.autocast()(runtime.autocast)(found["device"])
        return dict(found, **compilation)

    def train_fetched(self, fetched, steps):
        self.model.train()
        total = torch.zeros((), device=self.device)
        for step in range(steps):
            self.optimizer.zero_grad()
            _, loss = self.forward(*fetched[step % len(fetched)])
            loss.backward()
            self.update()
            total += loss.detach()
        return total / steps

    def backpropagate(self, fetched, steps):
        self.model.train()
        for step in range(steps):
            self.optimizer.zero_grad()
            _, loss = self.forward(*fetched[step % len(fetched)])
            loss.backward()

    def keep_gradients(self, inputs, labels):
        self.backpropagate([(inputs, labels)], 1)

    def apply_gradients(self, steps):
        for _ in range(steps):
            self.update()

    def profile(self, work, folder):
        return runtime.profile(work, folder)

    def product(self, matrix, precision):
        kind = torch.float32 if precision == "tf32" else getattr(torch, precision)
        right = torch.from_numpy(matrix).to(self.device, kind)

        def multiply(times):
            if self.device.type == "cuda":
                torch.backends.cuda.matmul.allow_tf32 = precision == "tf32"
            left = right
            for _ in range(times):
                left = left @ right
            return left

        return multiply

    def copies(self, array):
        host = torch.from_numpy(array)
        source = host.to(self.device)
        target = torch.empty_like(source)
        ways = {"memory": copier(source, target)}
        if self.device.type == "cuda":
            pinned = host.pin_memory()  # required for a copy at full speed
            ways["to_device"], ways["from_device"] = copier(pinned, target), copier(source, pinned)
        return ways


def untouched(function):
    """Return `function`: the wrapper of eager mode."""
    return function


def how_it_runs(compilation):
    """Return what really runs, from the report of `compilation`; "" if nothing was to be compiled.

    If torch.compile breaks the graph or gives up a function, Python silently runs the rest. That happens with every
    recurrent layer (``torch._dynamo.config.allow_rnn`` is False).
    """
    if not compilation:
        return "eager"
    return "compiled in part" if compilation["graph_breaks"] or compilation["fallbacks"] else "compiled"


def kinds(model):
    """Return the classes of a model's layers."""
    return {type(layer) for layer in model.modules()}


def gains_by_compiling(model, device):
    """Return whether torch.compile makes a model faster. On the CPU, networks without normalisation gain nothing.

    Between their products there is only a ReLU to fuse. Compiled code converts images to other layouts, and calling it
    costs a tenth of a short step (docs/results/tuned.md has the times).
    """
    normalisations = (torch.nn.BatchNorm2d, torch.nn.GroupNorm, torch.nn.LayerNorm)
    return device.type != "cpu" or any(isinstance(layer, normalisations) for layer in model.modules())


def channels_last(model, given):
    """Return a model's input; images with channels last in memory, without changing the order of the axes."""
    inputs, *others = given
    return (inputs.contiguous(memory_format=torch.channels_last) if inputs.dim() == 4 else inputs, *others)


def fused(optimizer):
    """Return the same optimiser, with one update kernel for all parameters, or at least one per operation.

    PyTorch's guide to tuning recommends ``fused=True``, and ``foreach=True`` for optimisers without it.
    """
    way = "fused" if "fused" in optimizer.defaults else "foreach"
    ways = ("fused", "foreach")
    groups = [{name: held for name, held in group.items() if name not in ways} for group in optimizer.param_groups]
    return type(optimizer)(groups, lr=optimizer.defaults["lr"], **{way: True})


def implementation_of(optimizer):
    """Return which of PyTorch's implementations an optimiser was told to use; None if PyTorch chooses."""
    told = {way for group in optimizer.param_groups for way in ("fused", "foreach") if group.get(way)}
    return " and ".join(sorted(told)) or None


def copier(source, target):
    """Return a function that copies one tensor into the other a number of times."""

    def copy(times):
        for _ in range(times):
            target.copy_(source, non_blocking=True)
        return target

    return copy


def dense(gradient):
    """Return a gradient in dense form."""
    return gradient.to_dense() if gradient.is_sparse else gradient


def embeddings(model):
    """Return the weights of a model's embeddings."""
    return [layer.weight for layer in model.modules() if isinstance(layer, torch.nn.Embedding)]


def kind_of_gradient(weights):
    """Return whether the gradients of weights are dense or sparse tensors; None without any."""
    kinds = {"sparse" if weight.grad.is_sparse else "dense" for weight in weights if weight.grad is not None}
    return " and ".join(sorted(kinds)) or None


def layout(tensors):
    """Return the memory layout of convolution kernels, which determines how they are computed; None without any."""
    kernels = [tensor for tensor in tensors if tensor.dim() == 4]
    if not kernels:
        return None
    last = all(kernel.is_contiguous(memory_format=torch.channels_last) for kernel in kernels)
    first = all(kernel.is_contiguous() for kernel in kernels)
    return "channels_first" if first else "channels_last" if last else "mixed"
