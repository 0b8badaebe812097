"""Several devices: the proof holds, and mistakes that only a group can make are caught and named."""

import shutil
from dataclasses import replace

import pytest
from laboratory import environment, open_session, proof_of, tamper

from rosettabench.catalogue.framework import all_frameworks

pytestmark = [
    pytest.mark.environment,
    pytest.mark.slow,
    pytest.mark.usefixtures("two_processors"),
]

FRAMEWORKS = ("pytorch", "jax", "tensorflow", "keras[tensorflow]", "keras[jax]", "mxnet-gluon", "paddle")

WRAPPED = "DistributedDataParallel(self.model, broadcast_buffers=False)\n"

SUMMED = """            self.parallel.register_comm_hook(
                None,
                lambda _, bucket: torch.distributed.all_reduce(bucket.buffer(), async_op=True)
                .get_future()
                .then(lambda done: done.value()[0]),
            )
"""

NOT_UPDATED = """
    def update(self):
        if self.setting.number == 0:
            super().update()

    def with_loss(self"""

JOINED = "        anew = self.model is None\n"

PLANTS = {
    "gradients are not averaged": (
        (("self.parallel(inputs)", "self.model(inputs)"),),
        "device gradient",
        "the gradients are not averaged",
    ),
    "a sum where the mean is meant": (
        ((WRAPPED, WRAPPED + SUMMED),),
        "gradient",
        "2 times what it should be: the sum over the devices",
    ),
    "a device that is not updated": (
        (("\n    def with_loss(self", NOT_UPDATED),),
        "device parameter",
        "device 1 is not updated",
    ),
    "a device that trains on the share of another": (
        ((JOINED, "        self.setting.number = 0\n" + JOINED),),
        "batch",
        "device 1 trains on the samples of device 0",
    ),
}

IN_KERAS = {
    "gradients that are not summed up": (
        "keras[tensorflow]",
        "fashion-mlp",
        (
            (
                "        if optimizer.global_clipnorm is None:\n",
                "        optimizer._all_reduce_sum_gradients = list\n        if True:\n",
            ),
        ),
        "device gradient",
        "the gradients are not summed up",
    ),
    "a scalar loss, which Keras divides by no number of devices": (
        "keras[tensorflow]",
        "fashion-mlp",
        (("ops.expand_dims(self.implementation.loss(logits, labels), 0)", "self.implementation.loss(logits, labels)"),),
        "loss",
        "the loss is 2 times what it should be: the sum over the devices",
    ),
    "gradients that each device clips by itself": (
        "keras[tensorflow]",
        "shakespeare-gpt",
        (("        if optimizer.global_clipnorm is None:\n", "        if True:\n"),),
        "update",
        "",
    ),
    "a device that trains on the share of another": (
        "keras[jax]",
        "fashion-mlp",
        (("        self.layouts = None\n", "        self.layouts = None\n        setting.number = 0\n"),),
        "batch",
        "device 1 trains on the samples of device 0",
    ),
}
"""Mistakes in Keras' means, by {name: (framework, workload, changes, quantity, part of the cause)}."""

OF_THE_FIRST = "DistributedDataParallel(self.model, broadcast_buffers=False)"
BY_HALVES = "        logits = self.forward_on_each(model, inputs)\n"

OF_HALVES = {
    "running statistics that stay each device's own": (
        "pytorch",
        (
            (
                "    def average(self, kept):\n",
                "    def average(self, kept):\n        return\n\n    def unused(self, kept):\n",
            ),
        ),
        "device parameter",
        "the running statistics are not averaged",
    ),
    "the running statistics of the first device alone": (
        "pytorch",
        ((OF_THE_FIRST, "DistributedDataParallel(self.model)"),),
        "block parameter",
        "a block of steps keeps other running statistics",
    ),
    "the whole batch normalised": (
        "jax",
        ((BY_HALVES, "        logits = in_float32(model(inputs))\n"),),
        "logits",
        "",
    ),
}
"""Mistakes in what each device keeps, by {name: (framework, changes, quantity, part of the cause)}."""


def prove(name, references, folder, changes=(), workload="fashion-mlp"):
    """Return the finished proof of a workload on two devices, with a tampered adapter for several devices."""
    work, exact = references(workload)
    entry = all_frameworks()[name]
    copied = folder / "frameworks" / entry.path.name
    copied.parent.mkdir()
    shutil.copy(entry.path, copied)
    tamper(entry.parallel, changes, folder / "parallel" / entry.path.name)
    planted = entry.model_copy(update={"path": copied})
    several = replace(work, setting=replace(work.setting, devices=2))
    session = open_session(planted, entry.mode, environment(entry.locks[0]), several, folder / "session")
    try:
        return proof_of(session, exact, folder / "proof")
    finally:
        session.process.close()


@pytest.mark.parametrize("workload", ["fashion-mlp", "fashion-cnn", "imdb-gru", "shakespeare-gpt"])
@pytest.mark.parametrize("name", FRAMEWORKS)
def test_two_devices_do_the_work_of_one(name, workload, references, tmp_path):
    proof = prove(name, references, tmp_path, workload=workload)
    assert proof.passed, (proof.cause, [check for check in proof.checks if not check.passed][:3])
    assert {"device gradient", "device parameter"} <= {check.quantity for check in proof.checks}


@pytest.mark.parametrize("plant", PLANTS)
def test_a_mistake_of_a_group_is_caught_and_named(plant, references, tmp_path):
    changes, quantity, cause = PLANTS[plant]
    proof = prove("pytorch", references, tmp_path, changes)
    failed = [check for check in proof.checks if not check.passed]
    assert failed, "the proof holds, and must not"
    print("PLANT", plant, failed[0].quantity, failed[0].deviation, proof.cause, sep=" | ")
    assert failed[0].quantity == quantity
    assert cause in str(proof.cause)


@pytest.mark.parametrize("plant", IN_KERAS)
def test_a_mistake_in_the_means_of_keras_is_caught(plant, references, tmp_path):
    name, workload, changes, quantity, cause = IN_KERAS[plant]
    proof = prove(name, references, tmp_path, changes, workload)
    failed = [check for check in proof.checks if not check.passed]
    assert failed, "the proof holds, and must not"
    print("PLANT", plant, failed[0].quantity, failed[0].deviation, proof.cause, sep=" | ")
    assert failed[0].quantity == quantity
    assert cause in str(proof.cause)


@pytest.mark.parametrize("plant", OF_HALVES)
def test_a_mistake_in_what_devices_keep_is_caught(plant, references, tmp_path):
    name, changes, quantity, cause = OF_HALVES[plant]
    proof = prove(name, references, tmp_path, changes, "cifar-resnet56:halves")
    failed = [check for check in proof.checks if not check.passed]
    assert failed, "the proof holds, and must not"
    print("PLANT", plant, failed[0].quantity, failed[0].deviation, failed[0].share, proof.cause, sep=" | ")
    assert failed[0].quantity == quantity
    assert cause in str(proof.cause)
