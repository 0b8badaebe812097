"""The differences of Keras' `fit` between back ends: how it takes its steps, and how they are compiled."""

import keras
from keras import ops

from rosetta_worker.optimizers.keras_witnesses import Gradients, Spectator
from rosetta_worker.runtimes.glibc import keep_freed_memory


class OnTensorFlow(object):
    """`fit` on TensorFlow."""

    spectator = Spectator

    def __init__(self, setting):
        from rosetta_worker.runtimes import tensorflow

        self.runtime = tensorflow
        self.runtime.start(setting)

    def mode(self, model):
        return "eager" if model.run_eagerly else "compiled"

    def compilation(self, model):
        functions = functions_within(stepping(model), "experimental_get_tracing_count")
        traces = [function.experimental_get_tracing_count() for function in functions]
        return {"xla": model.jit_compile, "compiler": "tf.function", "graphs": max(traces, default=0)}

    def fed(self, batch):
        return batch

    def endless(self, adapter):
        import tensorflow as tf

        apart = tf.data.Options()
        apart.threading.private_threadpool_size = 1  # its thread may wait for rows, so it must not be one that computes
        return iter(adapter.get_tf_dataset().with_options(apart))

    def run_steps(self, model, feed, steps):
        for _ in range(steps):
            logs = model.train_function(feed)
        return logs


class OnJAX(object):
    """`fit` on JAX: the state leaves the variables before the first step, and returns to them at the end."""

    spectator = Gradients  # with a Spectator, XLA might compute only the number of a gradient that it reads
    state = ("trainable_variables", "non_trainable_variables", "optimizer_variables", "metrics_variables")

    def __init__(self, setting):
        from rosetta_worker.runtimes import jax

        self.runtime = jax
        self.runtime.start(setting)
        self.tuned = False

    def tune(self, model):
        """Keep freed memory: docs/results/processes.md says what that gives."""
        self.tuned = True
        keep_freed_memory()

    def mode(self, model):
        if not model.jit_compile or model.run_eagerly:
            return "eager"
        return "tuned" if self.tuned else "compiled"

    def compilation(self, model):
        functions = functions_within(stepping(model), "_cache_size")
        return {"compiler": "XLA", "graphs": max((function._cache_size() for function in functions), default=0)}

    def fed(self, batch):
        return batch

    def endless(self, adapter):
        return adapter.get_jax_iterator()

    def run_steps(self, model, feed, steps):
        state = model._get_jax_state(purge_model_variables=True, **dict.fromkeys(self.state, True))
        model._jax_state_synced = False
        for _ in range(steps):
            logs, state = model.train_function(state, feed)
        model._jax_state = dict(zip(self.state, state))
        model.jax_state_sync()
        return logs


class OnPyTorch(object):
    """`fit` on PyTorch: it takes tensors, and puts the modules into training mode."""

    spectator = Spectator

    def __init__(self, setting):
        from rosetta_worker.runtimes import pytorch

        self.runtime = pytorch
        self.runtime.start(setting)
        self.device = keras.device("cpu" if setting.device == "cpu" else "gpu:0")
        self.device.__enter__()  # for the life of this process; by default Keras takes a GPU
        self.on_cpu = setting.device == "cpu"
        self.tuned = False

    def tune(self, model):
        """Keep freed memory and, without cuDNN, avoid its replacement: docs/findings.md explains why."""
        self.tuned = True
        keep_freed_memory()
        for layer in recurrent(model) if self.on_cpu else ():
            layer.use_cudnn = False

    def mode(self, model):
        if model.jit_compile:
            return "compiled"
        own_loops = all(layer.use_cudnn is False for layer in recurrent(model))
        return "tuned" if self.tuned and (own_loops or not self.on_cpu) else "eager"

    def fed(self, batch):
        return tuple(map(ops.convert_to_tensor, batch))

    def endless(self, adapter):
        return iter(adapter.get_torch_dataloader())

    def run_steps(self, model, feed, steps):
        model.train()
        for _ in range(steps):
            logs = model.train_function([next(feed)])
        model.eval()
        return logs


def recurrent(model):
    """Return a model's layers for which cuDNN has a function."""
    return [layer for layer in model.layers if isinstance(layer, (keras.layers.LSTM, keras.layers.GRU))]


def stepping(model):
    """Return the function of a model's steps: training steps, or predictions if it only predicts."""
    return model.train_function or model.predict_function


def functions_within(function, mark):
    """Return the functions with an attribute `mark` in the closure of Keras' training function."""
    found, waiting, seen = [], [function], set()
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if hasattr(one, mark):
            found.append(one)
        inner = getattr(one, "python_function", one)
        waiting += [cell.cell_contents for cell in getattr(inner, "__closure__", None) or () if callable_within(cell)]
    return found


def callable_within(cell):
    """Return whether a cell of a closure holds a function."""
    try:
        return callable(cell.cell_contents)
    except ValueError:  # the cell is still empty
        return False


BACKENDS = {"tensorflow": OnTensorFlow, "jax": OnJAX, "torch": OnPyTorch}
"""{Keras' name of a back end: class of its differences}.

Each has a `runtime`; `mode`, the mode of a model; `compilation`, if that mode can be compiled, with a report on it;
`tune`, if there is such a mode, which configures the layers for it; `fed`, which converts a batch for the training
step; `endless`, which converts a PyDataset as `fit` does; `run_steps`; and `spectator`, the optimiser to use if
gradients are to be computed without updates.
"""
