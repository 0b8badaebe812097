"""JAX on several devices: one program over a mesh of processes, with the batch sharded and the weights replicated."""

import jax
import numpy as np
from flax import nnx
from jax import numpy as jnp
from jax.experimental.multihost_utils import sync_global_devices
from jax.sharding import AxisType, NamedSharding, PartitionSpec

from rosetta_worker.framework import Framework, resolve
from rosetta_worker.frameworks.jax import Adapter as SingleDevice
from rosetta_worker.frameworks.jax import in_float32, take


class Adapter(SingleDevice):
    """Each process holds its share of every global array. XLA inserts the sums over the mesh into the step.

    The loss is the mean over the global batch, in every process.
    """

    mesh = None
    """The processes, in their order; None until they have found each other."""

    def refuse(self):
        super().refuse()
        if self.setting.mode == "eager":
            raise NotImplementedError("several devices need one program of the whole step: jax:compiled or jax:tuned")

    def build(self, weights):
        if self.mesh is None:
            self.join()
        with jax.default_device(self.local):
            super().build(weights)
        jax.config.update("jax_default_device", self.local)
        self.replicate()

    def join(self):
        """Find the other processes. Must come before any other use of JAX."""
        jax.config.update("jax_cpu_collectives_implementation", "gloo")
        jax.distributed.initialize(
            "127.0.0.1:%d" % self.setting.ports[0], self.setting.devices, self.setting.number, local_device_ids=[0]
        )
        self.local = jax.local_devices()[0]
        self.mesh = jax.make_mesh((self.setting.devices,), ("devices",), axis_types=(AxisType.Auto,))
        # gloo connects now: later, one process may compile for longer than the other waits (30 s)
        sync_global_devices("joined")

    def replicate(self):
        """Make the whole state of model and optimiser global: the same values in every process."""
        trained = (self.model, self.optimizer) if self.trains else (self.model,)
        nnx.update(trained, jax.tree.map(self.replicated, nnx.state(trained)))

    def replicated(self, array):
        """Return a global array with these values in every process; one that is global already as it is."""
        if isinstance(array, jax.Array) and not array.is_fully_addressable:
            return array
        if isinstance(array, jax.Array) and jnp.issubdtype(array.dtype, jax.dtypes.prng_key):
            return jax.random.wrap_key_data(self.replicated(jax.random.key_data(array)))
        return self.whole_of(array, np.shape(array), PartitionSpec())

    def sharded(self, array):
        """Return a global array whose first axis is the shares of all processes, in their order; this is its own."""
        shape = (self.setting.devices * len(array),) + array.shape[1:]
        return self.whole_of(array, shape, PartitionSpec("devices"))

    def whole_of(self, array, shape, parts):
        """Return the global array of which this process holds one part."""
        own = jax.device_put(array, self.local)
        return jax.make_array_from_single_device_arrays(shape, NamedSharding(self.mesh, parts), [own])

    def with_loss(self, model, inputs, labels):
        if not getattr(self.implementation, "STATE", ()):
            return super().with_loss(model, inputs, labels)
        logits = self.forward_on_each(model, inputs)
        return self.loss(model, logits, labels), logits

    def forward_on_each(self, model, inputs):
        """Let each process normalise its own share of a batch; return the logits of all, and update the running means.

        Outside of this, a program sees the whole batch, and would normalise that.
        """
        graph, parameters, kept = nnx.split(model, nnx.Param, ...)

        def forward(parameters, kept, share):
            own = nnx.merge(graph, parameters, kept)
            logits = in_float32(own(share))
            return logits, jax.lax.pmean(nnx.split(own, nnx.Param, ...)[2], "devices")

        whole, shares = PartitionSpec(), PartitionSpec("devices")
        on_each = jax.shard_map(forward, mesh=self.mesh, in_specs=(whole, whole, shares), out_specs=(shares, whole))
        logits, kept = on_each(parameters, kept, inputs)
        nnx.update(model, kept)
        return logits

    def set(self, own, array):
        resolve(self.model, own)[...] = self.replicated(array)

    def batch(self, dataset, ids):
        return tuple(map(self.sharded, self.take(dataset, ids)))

    def feed(self, dataset, batches):
        return Framework.feed(self, dataset, batches)  # not cut out within the step: the data set is not global

    def run_bound(self, feed):
        total = self.replicated(np.zeros((), "float32"))
        for inputs, labels in feed:
            total += self.step(inputs, labels)
        return total

    def evaluate(self, dataset, batches):
        """Every process evaluates all samples."""
        model, whole = self.evaluating(), len(batches[0])
        logits = [
            self.array(self.predict(model, self.replicated(take(dataset, np.resize(ids, whole))[0])))[: len(ids)]
            for ids in batches
        ]
        return np.concatenate(logits)

    def array(self, tensor):
        """Return this process's share of a global array; all of any other."""
        if not isinstance(tensor, jax.Array) or tensor.is_fully_addressable or tensor.is_fully_replicated:
            return np.asarray(tensor)
        return np.concatenate([np.asarray(shard.data) for shard in tensor.addressable_shards])
