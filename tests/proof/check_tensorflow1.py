"""What TensorFlow 1 does by itself, and what is made of it here; run in its environment, it prints JSON.

python check_tensorflow1.py WORKER_FOLDER
"""

import json
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(sys.argv[1]).parent))

import tensorflow as tf

from rosetta_worker.framework import Setting
from rosetta_worker.layers.tensorflow1 import BatchNormalization
from rosetta_worker.service import load_file

WORKER = Path(sys.argv[1])
ADAM = {"name": "adam", "learning_rate": 1e-3, "beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8}


def kept_variance(layer):
    """What a normalisation keeps of the variance of 0 and 2, which is 1, where it keeps nothing of the one before."""
    with tf.Graph().as_default(), tf.Session() as session:
        layer(momentum=0.0, name="norm")(tf.constant([0.0, 2.0], shape=(2, 1, 1, 1)), training=True)
        session.run(tf.global_variables_initializer())
        session.run(tf.get_collection(tf.GraphKeys.UPDATE_OPS))
        return float(session.run("norm/moving_variance:0")[0])


def least_epsilon(fused):
    """The epsilon that normalises 1 and -1 times 1e-4, asked for 1e-7: (y / x)⁻² is variance + epsilon."""
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant([1e-4, -1e-4], shape=(2, 1, 1, 1))
        y = tf.layers.batch_normalization(x, epsilon=1e-7, training=True, fused=fused)
        session.run(tf.global_variables_initializer())
        return float(1e-8 / session.run(y).ravel()[0].astype("float64") ** 2 - 1e-8)


def adapter():
    """TensorFlow 1 at work on fashion-mlp, from weights of 0.01."""
    kind = load_file("rosetta_framework", str(WORKER / "frameworks/tensorflow_graph.py")).Adapter
    model = load_file("rosetta_implementation", str(WORKER / "workloads/fashion_mlp/tensorflow_graph.py"))
    made = kind(model, Setting(mode="compiled", device="cpu", threads=1, batch_size=4, optimizer=ADAM))
    shapes = {"hidden.kernel": (128, 784), "hidden.bias": (128,), "output.kernel": (10, 128), "output.bias": (10,)}
    made.build({name: np.full(shape, 0.01, "float32") for name, shape in shapes.items()})
    return made


def products(made, work):
    """How many products of matrices a session computes in ``work()``."""
    _, operations = made.profile(work, None)
    return sum(one["calls"] for one in operations if one["name"].endswith(":MatMul"))


made = adapter()
batch = np.ones((4, 784), "float32"), np.zeros(4, "int32")
with made.graph.as_default():
    made.graph._unsafe_unfinalize()
    group = tf.group(*made.slopes)
print(
    json.dumps(
        {
            "variance": {"own": kept_variance(tf.layers.BatchNormalization), "here": kept_variance(BatchNormalization)},
            "epsilon": {"fused": least_epsilon(True), "not fused": least_epsilon(False)},
            "products": {
                "forward": products(made, lambda: made.run(made.mean_loss, *batch)),
                "train": products(made, lambda: made.train_fetched([batch], 1)),
                "backpropagate": products(made, lambda: made.backpropagate([batch], 1)),
                "group": products(made, lambda: made.run(group, *batch)),
            },
        }
    )
)
