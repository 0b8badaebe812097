"""TensorFlow on several devices: MultiWorkerMirroredStrategy, one worker for each."""

import json
import os

import tensorflow as tf

from rosetta_worker.framework import resolve
from rosetta_worker.frameworks.tensorflow import Adapter as SingleDevice
from rosetta_worker.optimizers.keras import summed
from rosetta_worker.parallel.kept import KeptByEach
from rosetta_worker.runtimes import tensorflow as runtime


class Adapter(KeptByEach, SingleDevice):
    """Each process runs the step under the strategy, which mirrors variables and averages gradients."""

    strategy = None
    """The strategy; None until the workers have found each other."""

    def refuse(self):
        super().refuse()
        if self.setting.mode != "compiled":
            raise NotImplementedError("several devices need a tf.function of the step: tensorflow:compiled")

    def build(self, weights):
        if self.strategy is None:
            runtime.start(self.setting)
            workers = ["127.0.0.1:%d" % port for port in self.setting.ports[: self.setting.devices]]
            task = {"type": "worker", "index": self.setting.number}
            os.environ["TF_CONFIG"] = json.dumps({"cluster": {"worker": workers}, "task": task})
            self.strategy = tf.distribute.MultiWorkerMirroredStrategy()
        with self.strategy.scope():
            super().build(weights)

    def compile(self, function):
        super().compile(lambda work: function(lambda *given: self.strategy.run(work, given)))
        self.average_all = self.function(self.average_kept)

    def with_gradients(self, inputs, labels):
        logits, loss, gradients = super().with_gradients(inputs, labels)
        return logits, loss, tf.distribute.get_replica_context().all_reduce(tf.distribute.ReduceOp.MEAN, gradients)

    def apply(self, gradients):
        if self.clip_norm is not None:
            # Devices hand in the same rows of an embedding. A norm over them separately is not that of their sum.
            gradients = [summed(gradient) for gradient in gradients]
        self.optimizer._all_reduce_sum_gradients = list  # they are averaged already; Keras would sum them again
        super().apply(gradients)

    def average(self, kept):
        if kept:
            self.average_all()

    def average_kept(self):
        """Replace all running statistics by their means over all devices, in one reduction."""
        variables = [resolve(self.model, own) for own in self.kept()]
        own = [tf.identity(variable) for variable in variables]
        means = tf.distribute.get_replica_context().all_reduce(tf.distribute.ReduceOp.MEAN, own)
        for variable, mean in zip(variables, means):
            variable.assign(mean)

    def synchronize(self):
        """Read the optimiser's counter, which every step writes. TensorFlow's own wait serves no cluster's context."""
        if self.model is not None and self.trains:
            self.optimizer.iterations.numpy()
