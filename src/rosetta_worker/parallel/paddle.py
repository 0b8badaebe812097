"""PaddlePaddle on several devices: paddle.DataParallel over gloo."""

import os

import paddle
import paddle.distributed

from rosetta_worker.frameworks.paddle import Adapter as SingleDevice
from rosetta_worker.parallel.kept import KeptByEach
from rosetta_worker.runtimes import paddle as runtime


class Adapter(KeptByEach, SingleDevice):
    """Each process wraps the model in DataParallel, which averages gradients during the backward pass."""

    joined = False
    """Whether the processes have found each other."""

    def refuse(self):
        super().refuse()
        if self.setting.mode != "eager":
            raise NotImplementedError("several devices train op by op in this laboratory: paddle:eager")

    def build(self, weights):
        if not self.joined:
            self.join()
        anew = self.model is None
        super().build(weights)
        if anew:
            self.parallel = paddle.DataParallel(self.model)

    def join(self):
        """Find the other processes."""
        runtime.start(self.setting)
        places = ["127.0.0.1:%d" % port for port in self.setting.ports[: self.setting.devices]]
        os.environ.update(
            PADDLE_TRAINER_ID=str(self.setting.number),
            PADDLE_TRAINERS_NUM=str(self.setting.devices),
            PADDLE_TRAINER_ENDPOINTS=",".join(places),
            PADDLE_CURRENT_ENDPOINT=places[self.setting.number],
            PADDLE_MASTER="127.0.0.1:%d" % self.setting.ports[-1],
            PADDLE_DISTRI_BACKEND="gloo",
        )
        paddle.distributed.init_parallel_env()
        self.joined = True

    def with_loss(self, inputs, labels):
        logits = self.parallel(inputs)
        return logits, self.loss(self.model, logits, labels)

    def average(self, kept):
        for own in kept:
            total = self.tensors[own].clone()
            paddle.distributed.all_reduce(total)
            self.tensors[own].set_value(total / self.setting.devices)
