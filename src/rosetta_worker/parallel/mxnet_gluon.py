"""MXNet Gluon on several devices: a KVStore of the kind dist_sync, with one server."""

import os
import subprocess
import sys

from rosetta_worker.children import die_with_parent
from rosetta_worker.framework import resolve
from rosetta_worker.frameworks.mxnet_gluon import Adapter as SingleDevice
from rosetta_worker.frameworks.mxnet_gluon import mx
from rosetta_worker.parallel.kept import KeptByEach
from rosetta_worker.runtimes import mxnet as runtime

OLDEST = (1, 9)
"""The first release of MXNet that this was written for."""

SERVE = "import numpy; numpy.bool = numpy.bool_; import mxnet"
"""The program of scheduler and server: MXNet serves at its import if DMLC_ROLE says so."""


class Adapter(KeptByEach, SingleDevice):
    """Each process pushes its gradients to the store's server, which adds them up, and pulls the sum.

    Scheduler and server are processes of the first device, and share its cores.
    """

    store = None
    """The store; None until all processes have found each other."""

    def refuse(self):
        super().refuse()
        if runtime.RELEASE < OLDEST:
            raise NotImplementedError("several devices need MXNet 1.9 in this laboratory")

    def build(self, weights):
        super().build(weights)
        if self.store is None:
            self.join()

    def join(self):
        """Start scheduler and server in the first device, and connect to them."""
        os.environ.update(
            DMLC_PS_ROOT_URI="127.0.0.1",
            DMLC_PS_ROOT_PORT=str(self.setting.ports[0]),
            DMLC_NODE_HOST="127.0.0.1",
            DMLC_NUM_SERVER="1",
            DMLC_NUM_WORKER=str(self.setting.devices),
        )
        if self.setting.number == 0:
            for role in ("scheduler", "server"):
                surroundings = dict(os.environ, DMLC_ROLE=role)
                subprocess.Popen([sys.executable, "-c", SERVE], env=surroundings, preexec_fn=die_with_parent)
        os.environ["DMLC_ROLE"] = "worker"
        self.store = mx.kv.create("dist_sync")
        for key, array in enumerate(self.own_gradients() + self.own_kept(self.kept())):
            self.store.init(key, mx.nd.zeros_like(array))

    def own_gradients(self):
        """Return the gradients of all trained parameters, in their order."""
        return [one.grad() for one in self.model.collect_params().values() if one.grad_req != "null"]

    def own_kept(self, kept):
        """Return the running statistics of these names."""
        return [resolve(self.model, own).data() for own in kept]

    def average(self, kept):
        self.replace_by_means(self.own_kept(kept), first=len(self.own_gradients()))

    def replace_by_means(self, arrays, first):
        """Replace arrays of this device by their means over all devices; `first` is the key of the first of them."""
        for key, array in enumerate(arrays, start=first):
            self.store.push(key, array, priority=-key)
            self.store.pull(key, array, priority=-key)
            array /= self.setting.devices

    def differentiate_fetched(self, inputs, labels):
        found = super().differentiate_fetched(inputs, labels)
        self.replace_by_means(self.own_gradients(), first=0)
        return found
