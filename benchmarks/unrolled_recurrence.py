"""What it costs MXNet to unroll deepar-monash step by step, as GluonTS does, in place of its own fused layer.

    .venv/bin/python benchmarks/unrolled_recurrence.py [--window 39] [--rounds 20] [--threads 1]

The model, its loss, its optimiser and its weights are those of the workload, hybridized; only the two recurrent layers
are a cell for every step in the one form, and rnn.LSTM in the other. That both compute the same is checked before
anything is timed. In each round both take some steps, and who begins changes. The first step holds the making of the
graph. The script starts itself again in the environment of MXNet.
"""

import argparse
import os
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np

ROOT = Path(__file__).resolve().parents[1]

BATCH, CHANNELS, UNITS, STEPS = 32, 22, 40, 10
SAME = 1e-5
"""How far freedom, location and width may be apart, each relative to its norm: that of the proof
(docs/explanation/proof.md)."""


def main():
    """Check, measure, print; return 0 if both compute the same."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--window", type=int, default=39, help="context and horizon, in steps")
    options.add_argument("--rounds", type=int, default=20)
    options.add_argument("--threads", type=int, default=1)
    asked = options.parse_args()
    if find_spec("mxnet") is None:
        begin_in_environment(asked.threads)
    if not hasattr(np, "bool"):  # gone since NumPy 1.24, and MXNet asks for it when it is imported
        np.bool = np.bool_
    import mxnet as mx

    implementation = import_module("rosetta_worker.workloads.deepar_monash.mxnet_gluon")
    draw = np.random.RandomState(0)
    inputs = mx.nd.array(draw.rand(BATCH, asked.window, CHANNELS) + 0.5)
    labels = mx.nd.array(np.stack([draw.rand(BATCH, asked.window) + 0.5, np.ones((BATCH, asked.window))], 2))
    models = {"fused": implementation.Model(), "unrolled": unrolled_model(implementation, asked.window)}
    for model in models.values():
        model.initialize(mx.init.Xavier())
        model.hybridize()
    copy(models["fused"], models["unrolled"])
    implementation.loss.hybridize()
    outputs = [model(inputs).asnumpy() for model in models.values()]
    fused, unrolled = (one.reshape(-1, 3) for one in outputs)
    apart = (np.linalg.norm(unrolled - fused, axis=0) / np.linalg.norm(fused, axis=0)).max()
    print(f"what comes out is {apart:.1e} apart, relative to its norm")
    if not apart <= SAME:
        return 1
    steps = {name: stepper(mx, implementation, model, inputs, labels) for name, model in models.items()}
    for name, step in steps.items():
        print(f"{name:9} first step {1e3 * timed(mx, step, 1):7.1f} ms")
    took = {name: [] for name in steps}
    for number in range(asked.rounds):
        for name in sorted(steps, reverse=bool(number % 2)):
            took[name].append(timed(mx, steps[name], STEPS))
    ratios = sorted(slow / fast for slow, fast in zip(took["unrolled"], took["fused"], strict=True))
    for name, seconds in took.items():
        print(f"{name:9} each step  {1e3 * median(seconds):7.2f} ms")
    print(f"unrolled over fused: {median(ratios):.2f} (rounds: {ratios[0]:.2f} to {ratios[-1]:.2f})")
    return 0


def begin_in_environment(threads):
    """Let the interpreter of MXNet's environment take the place of this one."""
    sys.path.insert(0, str(ROOT / "tests"))
    from laboratory import environment

    found = str(environment("mxnet@1.9.1").python)
    more = {"PYTHONPATH": str(ROOT / "src"), "OMP_NUM_THREADS": str(threads)}
    os.execve(found, [found, *sys.argv], os.environ | more)  # noqa: S606 (no shell: this script, by its own words)


def unrolled_model(implementation, window):
    """Return the workload's model with a cell for every step in place of each recurrent layer."""
    from mxnet import gluon
    from mxnet.gluon import nn, rnn

    class Layer(gluon.HybridBlock):
        """What is shown in each step, (n, window, inputs), to what the cell puts out, (n, window, UNITS)."""

        def __init__(self, inputs):
            super().__init__()
            self.cell = rnn.LSTMCell(UNITS, input_size=inputs)
            self.cell.h2h_bias.grad_req = "null"

        def hybrid_forward(self, F, x):
            return self.cell.unroll(window, x, layout="NTC", merge_outputs=True)[0]

    class Model(implementation.Model):
        """The workload's, but for its two recurrent layers."""

        def __init__(self):
            gluon.HybridBlock.__init__(self)
            self.lstm1, self.dropout, self.lstm2 = Layer(CHANNELS), nn.Dropout(0.1), Layer(UNITS)
            self.output = nn.Dense(3, flatten=False, in_units=UNITS)

    return Model()


def copy(fused, unrolled):
    """Give the unrolled model the weights of the fused one; both have their gates in the same order."""
    for name in ("lstm1", "lstm2"):
        layer, cell = getattr(fused, name), getattr(unrolled, name).cell
        for part in ("i2h_weight", "h2h_weight", "i2h_bias", "h2h_bias"):
            getattr(cell, part).set_data(getattr(layer, "l0_" + part).data())
    unrolled.output.weight.set_data(fused.output.weight.data())
    unrolled.output.bias.set_data(fused.output.bias.data())


def stepper(mx, implementation, model, inputs, labels):
    """Return a function that takes one step with the workload's optimiser."""
    hyper = argparse.Namespace(learning_rate=1e-3, beta1=0.9, beta2=0.999, epsilon=1e-8, weight_decay=1e-8)
    trainer = implementation.optimizer(model, hyper)

    def step():
        with mx.autograd.record():
            loss = implementation.loss(model(inputs), labels)
        loss.backward()
        trainer.step(1)

    return step


def timed(mx, step, times):
    """Return the seconds of a step, the device being idle before and after so many of them."""
    mx.nd.waitall()
    start = perf_counter()
    for _ in range(times):
        step()
    mx.nd.waitall()
    return (perf_counter() - start) / times


if __name__ == "__main__":
    sys.exit(main())
