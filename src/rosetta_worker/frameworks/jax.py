"""JAX with Flax NNX and Optax: op by op, or the whole step through nnx.jit."""

import functools
import itertools

import jax
import numpy as np
import optax
from flax import nnx
from jax import numpy as jnp

from rosetta_worker.framework import Framework, labels_as, resolve
from rosetta_worker.runtimes import jax as runtime
from rosetta_worker.runtimes.glibc import keep_freed_memory
from rosetta_worker.surroundings import readable

DESCRIPTION = {
    "title": "JAX (Flax NNX, Optax)",
    "modes": {
        "eager": "op by op, without jit (a scan is compiled all the same, and again in every step)",
        "compiled": "nnx.jit of the whole step: forward, backward, update",
        "tuned": "jax.jit of batch, step and sum of losses in one, over the state (on a GPU donated to it); on a CPU "
        "Eigen convolves, not YNNPACK; freed memory kept",
    },
    "mode": "compiled",
    "packages": ["jax", "flax", "optax"],
    "locks": ["jax@0.10.2"],
    "not_exported": "jax2onnx 0.13.0 fails at convolutions of Flax 0.12.8 whose padding is a list, as it is here",
}


def hollow(model, seed):
    """Return a model without initial values, for which JAX would compile a program per shape. They are set afterwards.

    Flax's guides load checkpoints in this way. Each layer's dropout still gets a different random stream.
    """
    graph, shapes = nnx.split(nnx.eval_shape(lambda: model(nnx.Rngs(seed))))
    leaves, tree = jax.tree.flatten(shapes)
    key = jax.random.key(seed)
    filled = [
        jax.random.fold_in(key, number)
        if jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key)
        else jax.device_put(np.zeros(leaf.shape, leaf.dtype))
        for number, leaf in enumerate(leaves)
    ]
    return nnx.merge(graph, jax.tree.unflatten(tree, filled))


def paced(transformation):
    """Return an Optax transformation with a final factor, through which its rate can be changed from outside."""
    return optax.chain(transformation, optax.inject_hyperparams(optax.scale)(step_size=1.0))


class Adapter(Framework):
    """JAX 0.10 with Flax 0.12 and newer, on the CPU or one GPU."""

    functional = None
    """The step of mode `tuned`, in that mode."""
    lacks = {"embedding_gradient": "JAX has no sparse gradients: that of an embedding is a dense array"}

    whole = None
    """The model as modules, which are outdated while mode `tuned` takes its steps."""

    @property
    def model(self):
        """The model in the state after the last step."""
        self.settle()
        return self.whole

    @model.setter
    def model(self, model):
        self.whole = model

    def settle(self):
        """Update model and optimiser as modules from the steps of mode `tuned`, which hold them as plain state."""
        if self.functional:
            self.functional.settle()

    def build(self, weights):
        if self.model is None:
            runtime.start(self.setting)
            if self.setting.mode == "tuned":
                keep_freed_memory()
            self.model = hollow(self.implementation.Model, self.setting.seed)
            for _, layer in nnx.iter_modules(self.model):
                if isinstance(layer, nnx.Dropout) and not self.dropout:
                    layer.rate = 0.0
                if self.setting.precision == "bfloat16" and hasattr(layer, "param_dtype"):
                    layer.dtype = jnp.bfloat16  # the precision of its computation; its parameters stay as they are
            if self.trains:
                self.optimizer = self.implementation.optimizer(self.model, self.setting.optimizer)
                self.transformation = paced(self.optimizer.tx) if self.setting.schedule else self.optimizer.tx
            self.compile(*MODES[self.setting.mode])
        self.set_parameters(weights)
        if not self.trains:
            self.answer = self.bind(self.predict, self.evaluating())
            return
        self.optimizer = nnx.Optimizer(self.model, self.transformation, wrt=self.optimizer.wrt)  # with a new state
        self.step = self.bind(self.update_module, self.model, self.optimizer)
        if self.functional:
            self.functional.hold(self.model, self.optimizer)
        self.backward = self.bind(self.passes_of_module, self.model)

    def compile(self, jit, nnx_jit, bind):
        """Wrap each function that works on the device as the mode requires."""
        self.take = jit(take)
        self.differentiate = nnx_jit(nnx.value_and_grad(self.with_loss, has_aux=True))
        self.update_module = nnx_jit(self.update)
        self.passes_of_module = nnx_jit(self.passes)
        self.predict = nnx_jit(predict)
        self.bind = bind
        options = EIGEN_CONVOLVES if self.setting.device == "cpu" and has_convolution(self.whole) else None
        tuned = self.setting.mode == "tuned"
        self.functional = Functional(self.update, self.setting.device, options) if tuned else None
        if tuned:  # compiled with the same options as the step, since gradients of another program differ by round-off
            self.differentiate = functional(nnx.value_and_grad(self.with_loss, has_aux=True), options)
        self.run = self.functional.run if self.functional else self.run_bound

    def with_loss(self, model, inputs, labels):
        logits = in_float32(model(inputs))
        return self.loss(model, logits, labels), logits

    def update(self, model, optimizer, inputs, labels):
        (loss, _), gradients = nnx.value_and_grad(self.with_loss, has_aux=True)(model, inputs, labels)
        optimizer.update(model, gradients)
        return loss

    def get(self, own):
        return np.asarray(resolve(self.model, own)[...])

    def set(self, own, array):
        resolve(self.model, own)[...] = jnp.asarray(array)

    def load(self, inputs, labels):
        return jnp.asarray(inputs), jnp.asarray(labels_as(labels, "int32"))

    def batch(self, dataset, ids):
        return self.take(dataset, ids)

    def loader(self, source):
        from rosetta_worker.loaders.jax import Loader

        return Loader(source, self.setting.workers)

    def feed(self, dataset, batches):
        if self.functional and self.setting.input == "memory":
            cut = ((dataset, ids) for ids in batches)  # the step cuts out its own batch
            return self.counted(cut, lambda batch: self.labels_at(*batch))
        return super().feed(dataset, batches)

    def train(self, dataset, batches):
        return self.run(self.feed(dataset, batches)) / len(batches)

    def run_bound(self, feed):
        """Take a step on each batch of `feed`. Return the sum of the losses."""
        total = jnp.zeros(())
        for inputs, labels in feed:
            total += self.step(inputs, labels)
        return total

    def set_learning_rate(self, rate):
        factor = self.factor()
        factor[...] = jnp.full_like(factor[...], rate / self.setting.optimizer.learning_rate)

    def factor(self):
        """Return the variable that multiplies the updates, if the setting has a schedule."""
        self.settle()
        return self.optimizer.opt_state[-1].hyperparams["step_size"]

    def gradients(self, dataset, ids):
        (loss, logits), gradients = self.differentiate(self.model, *self.batch(dataset, ids))
        return logits, loss, self.canonical(lambda own: resolve(gradients, own)[...])

    def evaluate(self, dataset, batches):
        """A last batch that is short is padded with its own samples, since XLA compiles a program for each shape."""
        model, whole = self.evaluating(), len(batches[0])
        logits = [self.predict(model, self.batch(dataset, np.resize(ids, whole))[0])[: len(ids)] for ids in batches]
        return jnp.concatenate(logits)

    def evaluating(self):
        """Return the model in evaluation mode, with the same parameters."""
        return nnx.view(self.model, deterministic=True, use_running_average=True, raise_if_not_found=False)

    def infer(self, batches):
        return np.concatenate([np.asarray(self.answer(jnp.asarray(batch))) for batch in batches])

    def forecast(self, batches, lags, horizon, paths, seed):
        """Compiled in every mode: op by op, JAX would compile the loop over the steps again for each batch."""
        sample = functools.partial(self.implementation.sample, lags=jnp.asarray(lags), horizon=horizon, paths=paths)
        draw, model, key = nnx.jit(sample), self.evaluating(), jax.random.key(seed)
        drawn = [
            np.asarray(draw(model, jnp.asarray(batch), key=jax.random.fold_in(key, number)))
            for number, batch in enumerate(batches)
        ]
        return np.concatenate(drawn)

    def synchronize(self):
        runtime.synchronize()

    def linger(self, size, repeats):
        matrix = jnp.full((size, size), 1.0 / size)
        product = matrix
        for _ in range(repeats):
            product = product @ matrix
        return product

    def learning_rate(self):
        if self.setting.schedule is None:
            return None  # Optax has it inside the program of the step, where it cannot be read
        return self.setting.optimizer.learning_rate * float(self.factor()[...])

    def updates(self):
        return int(self.functional.updates() if self.functional else self.optimizer.step[...])

    def settings(self):
        first = jax.tree.leaves(nnx.state(self.model, nnx.Param))[0]
        compiled = self.bind is not functools.partial
        found = {
            "precision": str(first.dtype),
            "mode": ("tuned" if self.functional else "compiled") if compiled else "eager",
            "loader_workers": 0,
        }
        found.update(
            readable(
                layout=lambda: "channels_last" if has_convolution(self.model) else None,
                autocast=lambda: computed_in(self.model),
                compiler=lambda: "XLA" if compiled else None,
                xla_options=lambda: self.functional.options if self.functional else None,
                graphs=lambda: self.programs()._cache_size() if compiled else None,
            )
        )
        found.update(runtime.settings(first[...]))
        return found

    def programs(self):
        """Return the caches of XLA's programs for a step, or for an output without training."""
        if self.functional and self.trains:
            return self.functional.program
        return (self.update_module if self.trains else self.predict).jitted_fn

    def train_fetched(self, fetched, steps):
        return self.run(itertools.islice(itertools.cycle(fetched), steps)) / steps

    def backpropagate(self, fetched, steps):
        self.settle()
        total = jnp.zeros(())
        for step in range(steps):
            total, gradients = self.backward(total, *fetched[step % len(fetched)])
        return total, gradients

    def profile(self, work, folder):
        return runtime.profile(work, folder)

    def passes(self, model, total, inputs, labels):
        """Forward and backward pass. It takes the sum of the losses, so that no run starts before the last is done."""
        (loss, _), gradients = nnx.value_and_grad(self.with_loss, has_aux=True)(model, inputs, labels)
        return total + loss, gradients

    def keep_gradients(self, inputs, labels):
        if self.bind is not functools.partial:
            raise NotImplementedError("the compiled step of JAX is one piece: its update does not run by itself")
        _, self.kept = self.differentiate(self.model, inputs, labels)

    def apply_gradients(self, steps):
        for _ in range(steps):
            self.optimizer.update(self.model, self.kept)

    def product(self, matrix, precision):
        kind, exact = ("float32", "tensorfloat32") if precision == "tf32" else (precision, "float32")

        def multiply(times):
            with jax.enable_x64(precision == "float64"), jax.default_matmul_precision(exact):
                left = right
                for _ in range(times):
                    left = left @ right
            return left

        with jax.enable_x64(precision == "float64"):
            right = jnp.asarray(matrix, kind)
        return multiply

    def copies(self, array):
        host, device = jax.devices("cpu")[0], jax.devices(self.setting.device)[0]
        here, there = jax.device_put(array, host), jax.device_put(array, device)
        ways = {"memory": in_turn(jnp.copy, there)}
        if host != device:
            ways["to_device"] = in_turn(lambda _: jax.device_put(here, device), there)
            ways["from_device"] = in_turn(lambda _: jax.device_put(there, host), here)
        return ways


def functional(function, options):
    """Return a function of a model and a batch, compiled over the model's state, with XLA's `options`."""

    def over_state(graph, state, inputs, labels):
        model = nnx.merge(graph, state)
        return function(model, inputs, labels), nnx.state(model)

    program = jax.jit(over_state, static_argnums=0, compiler_options=options)

    def over_model(model, inputs, labels):
        found, state = program(*nnx.split(model), inputs, labels)
        nnx.update(model, state)
        return found

    return over_model


class Functional(object):
    """The step of mode `tuned`: one program over the state of model and optimiser.

    It is the functional loop of NNX's guide to performance. Modules are split into their state once, before the first
    step, and merged again when they are read. Between two steps, Python does not touch them. The program takes the
    state as a list of arrays: JAX takes nested states apart in Python at every call. On a GPU the program may reuse the
    state's memory. On the CPU, XLA would then copy a large embedding instead of updating it in place.
    """

    def __init__(self, update, device, options):
        self.update = update
        self.options = options
        self.state = None
        donated = () if device == "cpu" else (0, 1)
        self.program = jax.jit(self.step, donate_argnums=donated, compiler_options=options)

    def hold(self, model, optimizer):
        """Train these from now on. They must have the structure of those before them."""
        self.modules = (model, optimizer)
        self.graph = nnx.graphdef(self.modules)
        self.state = None

    def settle(self):
        """Merge the modules in the state after the last step. From now on, others may change them."""
        if self.state is not None:
            nnx.update(self.modules, jax.tree.unflatten(self.tree, self.state))
            self.state = None

    def step(self, state, total, inputs, labels):
        """Take a step on (inputs, labels), or on the samples `labels` of the data set `inputs`."""
        batch = take(inputs, labels) if isinstance(inputs, tuple) else (inputs, labels)
        modules = nnx.merge(self.graph, jax.tree.unflatten(self.tree, state))
        loss = self.update(*modules, *batch)
        return jax.tree.leaves(nnx.state(modules)), total + loss

    def updates(self):
        """Return the number of updates that the optimiser has counted, whether modules are merged or not."""
        if self.state is None:
            return self.modules[1].step[...]
        return jax.tree.unflatten(self.tree, self.state)[1]["step"][...]

    def run(self, feed):
        """Take a step on each batch of `feed`. Return the sum of the losses."""
        total = jnp.zeros(())
        if self.state is None:
            self.state, self.tree = jax.tree.flatten(nnx.state(self.modules))
        for inputs, labels in feed:
            self.state, total = self.program(self.state, total, inputs, labels)
        return total


def in_turn(copy, first):
    """Return a function that makes a number of copies, each after the one before it. JAX would drop unused copies."""

    def copies(times):
        last = first
        for _ in range(times):
            last = jax.block_until_ready(copy(last))
        return last

    return copies


def has_convolution(model):
    """Return whether a layer of the model is a convolution. Flax's convolutions take channels last only."""
    return any(isinstance(node, nnx.Conv) for _, node in nnx.iter_graph(model))


def take(dataset, ids):
    """Return the samples `ids` of (inputs, labels)."""
    inputs, labels = dataset
    return inputs[ids], labels[ids]


def predict(model, inputs):
    """Return the logits."""
    return in_float32(model(inputs))


def in_float32(logits):
    """Return logits as float32, in whatever precision the layers compute."""
    return logits if logits.dtype == jnp.float32 else logits.astype(jnp.float32)


def computed_in(model):
    """Return the precision that layers compute in, if it is not that of their parameters; otherwise False."""
    layers = [layer for _, layer in nnx.iter_modules(model) if hasattr(layer, "param_dtype")]
    own = {jnp.dtype(layer.dtype).name for layer in layers if layer.dtype not in (None, layer.param_dtype)}
    return " and ".join(sorted(own)) or False


def untouched(function):
    """Return `function`: the wrapper of eager mode."""
    return function


# By default, XLA passes convolutions to YNNPACK as well, whose backward pass takes up to three times as long as Eigen's
# (docs/results/tuned.md). These are the kinds of operation that YNNPACK keeps.
EIGEN_CONVOLVES = {
    "xla_cpu_experimental_ynn_fusion_type": "LIBRARY_FUSION_TYPE_DOT,LIBRARY_FUSION_TYPE_REDUCE",
}

COMPILED = (jax.jit, nnx.jit, nnx.cached_partial)

MODES = {"eager": (untouched, untouched, functools.partial), "compiled": COMPILED, "tuned": COMPILED}
"""By mode: how to compile a function of arrays, how to compile one of modules, and how to bind modules to it.
cached_partial traverses the modules once; nnx.jit alone does so in every step, which costs more than a small model's
arithmetic."""
