"""PyTorch on several devices: DistributedDataParallel over gloo."""

import os

import torch
import torch.distributed
from torch.nn.parallel import DistributedDataParallel

from rosetta_worker.frameworks.pytorch import Adapter as SingleDevice
from rosetta_worker.parallel.kept import KeptByEach
from rosetta_worker.runtimes import pytorch as runtime

OLDEST = (2, 0)
"""The first release of PyTorch that this was written for."""


class Adapter(KeptByEach, SingleDevice):
    """Each process wraps the model in DistributedDataParallel, which averages gradients during the backward pass."""

    parallel = None
    """The wrapped model; None until the devices have found each other."""

    def refuse(self):
        super().refuse()
        if runtime.RELEASE < OLDEST:
            raise NotImplementedError("several devices need PyTorch 2.0 or newer in this laboratory")

    def build(self, weights):
        if not torch.distributed.is_initialized():
            runtime.start(self.setting)
            os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")  # not the address of the host's name
            torch.distributed.init_process_group(
                "gloo",
                init_method="tcp://127.0.0.1:%d" % self.setting.ports[0],
                rank=self.setting.number,
                world_size=self.setting.devices,
            )
        anew = self.model is None
        super().build(weights)
        if anew:
            self.parallel = DistributedDataParallel(self.model, broadcast_buffers=False)

    def with_loss(self, inputs, labels):
        logits = self.parallel(inputs)
        return logits, self.loss(self.model, logits, labels)

    def average(self, kept):
        for own in kept:
            torch.distributed.all_reduce(self.tensors[own])
            self.tensors[own] /= self.setting.devices
