"""Keras 3 on several devices: `tf.distribute` on TensorFlow, `keras.distribution` on JAX."""

import contextlib
import functools
import json
import os

import keras
import numpy as np
from keras import ops

from rosetta_worker.framework import resolve
from rosetta_worker.frameworks.keras import Adapter as SingleDevice
from rosetta_worker.optimizers.keras_witnesses import Gradients, Logits
from rosetta_worker.parallel.kept import KeptByEach

LACKS = {
    "torch": "Keras 3.15 has no keras.distribution on PyTorch, and its guide replaces `fit` by a loop around "
    "DistributedDataParallel",
}
"""{back end: why it has no means}. The laboratory reads this without running the file."""


class Adapter(KeptByEach, SingleDevice):
    """Each process takes the steps of `fit` on its own share of a batch. MEANS has what differs between back ends."""

    means = None
    """The means of the back end; None until the processes have found each other."""

    def refuse(self):
        super().refuse()
        if self.setting.backend in LACKS:
            raise NotImplementedError(LACKS[self.setting.backend])
        if self.setting.mode == "eager":
            raise NotImplementedError("several devices need a compiled step: keras[%s]:compiled" % self.setting.backend)

    def build(self, weights):
        if self.means is None:
            self.means = MEANS[self.setting.backend](self.setting)
        with self.means.scope():
            super().build(weights)

    def compile(self, optimizer, metrics=()):
        """As on one device, but the loss has an axis: Keras does not divide a scalar by the number of devices."""
        with self.means.scope():
            model = self.make()
            model.compile(
                self.means.prepare(optimizer(model, self.setting.optimizer)),
                loss=lambda labels, logits: ops.expand_dims(self.implementation.loss(logits, labels), 0),
                metrics=list(metrics),
            )
            model.optimizer.build(model.trainable_variables)
        return model

    def make(self):
        model = super().make()
        self.means.change(model, normalises=bool(self.kept()))
        return model

    def feed(self, dataset, batches):
        return map(self.means.share, super().feed(dataset, batches))

    def fetch(self, dataset, ids):
        return self.means.share(super().fetch(dataset, ids))

    def gradients(self, dataset, ids):
        """As on one device, but without `fit`: on TensorFlow it would share out this device's share once more."""
        inputs, labels = self.batch(dataset, ids)
        if self.twin is None:
            answers = self.model.compute_output_spec(keras.KerasTensor(inputs.shape, inputs.dtype.name))
            self.logits = Logits(self.means.seen(answers.shape))
            self.twin = self.compile(lambda model, hyper: Gradients(), [self.logits])
        self.twin.set_weights(self.model.get_weights())
        loss = self.twin.train_on_batch(inputs, labels, return_dict=True)["loss"]
        gradients = self.canonical(lambda own: self.twin.optimizer.gradient_of(resolve(self.twin, own)))
        return self.means.own_logits(self.logits.seen), loss, gradients

    def evaluate(self, dataset, batches):
        self.average(self.kept())
        ids, whole = np.concatenate(batches), len(batches[0])
        inputs, _ = self.batch(dataset, np.resize(ids, len(batches) * whole))
        return self.means.predict(self.model, inputs, whole)[: len(ids)].astype("float32")

    def average(self, kept):
        self.means.average([resolve(self.model, own) for own in kept])

    def synchronize(self):
        self.means.synchronize(self.model)

    def array(self, tensor):
        return self.means.own_part(tensor)


class OnTensorFlow(object):
    """tf.distribute.MultiWorkerMirroredStrategy mirrors variables, and Keras' optimiser sums up gradients."""

    def __init__(self, setting):
        import tensorflow as tf

        from rosetta_worker.runtimes import tensorflow as runtime

        runtime.start(setting)
        workers = ["127.0.0.1:%d" % port for port in setting.ports[: setting.devices]]
        task = {"type": "worker", "index": setting.number}
        os.environ["TF_CONFIG"] = json.dumps({"cluster": {"worker": workers}, "task": task})
        self.strategy = tf.distribute.MultiWorkerMirroredStrategy()
        self.scope = self.strategy.scope

    def prepare(self, optimizer):
        """Return an optimiser that sums up the gradients of all devices before it clips them, and not after it."""
        if optimizer.global_clipnorm is None:
            return optimizer
        import tensorflow as tf

        clip = optimizer._clip_gradients

        def clip_sum(gradients):
            return clip(tf.distribute.get_replica_context().all_reduce(tf.distribute.ReduceOp.SUM, gradients))

        optimizer._clip_gradients = clip_sum
        optimizer._all_reduce_sum_gradients = list  # they are summed up already
        return optimizer

    def change(self, model, normalises):
        """Give each metric an axis: Keras averages over it, and fails without one (docs/findings.md).

        Batch normalisation needs no change: each device normalises its own share.
        """
        compute = model.compute_metrics

        def compute_vectors(*given, **named):
            return {name: ops.expand_dims(value, 0) for name, value in compute(*given, **named).items()}

        model.compute_metrics = compute_vectors

    def share(self, batch):
        return batch

    def seen(self, shape):
        return shape

    def own_logits(self, logits):
        return self.strategy.experimental_local_results(logits.value)[0].numpy()  # a metric's value is a sum over all

    def predict(self, model, inputs, batch_size):
        return model.predict(inputs, batch_size=batch_size, verbose=0)  # shares out each batch, and gathers the outputs

    def average(self, variables):
        """Replace variables by their means over all devices, in one reduction."""
        if not variables:
            return
        own = np.concatenate([ops.convert_to_numpy(variable).ravel() for variable in variables])
        means = self.strategy.reduce("MEAN", ops.convert_to_tensor(own), axis=None).numpy()
        ends = np.cumsum([np.prod(variable.shape) for variable in variables], dtype=int)
        for variable, mean in zip(variables, np.split(means, ends[:-1])):
            variable.assign(mean.reshape(variable.shape))

    def synchronize(self, model):
        """Read the optimiser's counter, which every step writes. TensorFlow's own wait serves no cluster's context."""
        model.optimizer.iterations.numpy()

    def own_part(self, tensor):
        return ops.convert_to_numpy(tensor)


class OnJAX(object):
    """keras.distribution.DataParallel: one program over a mesh of processes, in which XLA inserts the sums."""

    def __init__(self, setting):
        import jax

        from rosetta_worker.runtimes import jax as runtime

        jax.config.update("jax_cpu_collectives_implementation", "gloo")
        keras.distribution.initialize("127.0.0.1:%d" % setting.ports[0], setting.devices, setting.number)
        self.jax, self.runtime, self.setting = jax, runtime, setting
        self.local = jax.local_devices()[0]
        self.distribution = keras.distribution.DataParallel(
            devices=keras.distribution.list_devices("cpu"),
            auto_shard_dataset=False,  # the worker cuts this device's share
        )
        keras.distribution.set_distribution(self.distribution)
        self.layouts = None

    @contextlib.contextmanager
    def scope(self):
        """Let this process make its arrays on its own device, here and from now on."""
        with self.jax.default_device(self.local):
            yield
        self.jax.config.update("jax_default_device", self.local)  # the runtime named the device of the first process

    def prepare(self, optimizer):
        return optimizer

    def change(self, model, normalises):
        """Let metrics begin without communication, and each process normalise its own share of a batch."""
        model.reset_metrics = functools.partial(self.reset_metrics, model)
        if normalises:
            model.stateless_call = self.on_each(model.stateless_call)

    def reset_metrics(self, model):
        """Set all metrics to zeros that are global: JAX would let the processes compare others, for 4 ms in a block."""
        for variable in model.metrics_variables:
            zeros = np.zeros(variable.shape, variable.dtype)
            variable.assign(self.jax.make_array_from_process_local_data(variable.value.sharding, zeros))

    def on_each(self, call):
        """Return a model's `stateless_call` that normalises each process's share of a training batch by itself.

        What the model keeps becomes the mean over all. One program for all would normalise the whole batch.
        """
        whole, shares = self.jax.sharding.PartitionSpec(), self.jax.sharding.PartitionSpec("batch")

        def call_on_each(trained, kept, inputs, **options):
            if not options.get("training"):
                return call(trained, kept, inputs, **options)

            def forward(trained, kept, share):
                logits, kept, *losses = call(trained, kept, share, **options)
                return logits, self.jax.lax.pmean(kept, "batch"), *losses

            ends = (shares, whole) + (whole,) * options.get("return_losses", False)
            mesh = self.distribution.device_mesh.backend_mesh
            on_each = self.jax.shard_map(forward, mesh=mesh, in_specs=(whole, whole, shares), out_specs=ends)
            return on_each(trained, kept, inputs)

        return call_on_each

    def share(self, batch):
        """Return the global arrays whose first axis is the shares of all processes, as `fit` makes them."""
        if self.layouts is None:
            self.layouts = [self.distribution.get_data_layout(array.shape).backend_layout for array in batch]
        return tuple(map(self.jax.make_array_from_process_local_data, self.layouts, map(np.asarray, batch)))

    def seen(self, shape):
        return (self.setting.devices * shape[0],) + tuple(shape[1:])

    def own_logits(self, logits):
        return np.split(ops.convert_to_numpy(logits), self.setting.devices)[self.setting.number]

    def predict(self, model, inputs, batch_size):
        """Every process predicts all samples: `predict` cannot read the parts of the others."""
        layout = keras.distribution.TensorLayout([None] * inputs.ndim, self.distribution.device_mesh).backend_layout
        batches = np.split(inputs, range(batch_size, len(inputs), batch_size))
        whole = (self.jax.make_array_from_process_local_data(layout, batch) for batch in batches)
        return np.concatenate([model.predict_on_batch(batch) for batch in whole])

    def average(self, variables):
        """A step has averaged them already."""

    def synchronize(self, model):
        """Wait for every array that is alive, as on one device."""
        self.runtime.synchronize()

    def own_part(self, tensor):
        """Return this process's part of a global array; all of any other."""
        if not isinstance(tensor, self.jax.Array) or tensor.is_fully_replicated:
            return np.asarray(tensor)
        return np.concatenate([np.asarray(shard.data) for shard in tensor.addressable_shards])


MEANS = {"tensorflow": OnTensorFlow, "jax": OnJAX}
"""{Keras' name of a back end: class of its means}.

Each has a `scope`, in which models are built; `prepare`, which changes an optimiser; `change`, which changes a model
before it is compiled; `share`, which returns the batch for a step; `seen`, the shape of a step's logits, and
`own_logits`, those of this device; `predict`; `average`, which replaces what each device keeps by the mean over all;
`synchronize`; and `own_part`, this device's part of a tensor.
"""
