"""What Caffe2 does by itself, and what is made of it here; run in its environment, it prints JSON.

python check_caffe2.py WORKER_FOLDER
"""

import json
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(sys.argv[1]).parent))

from caffe2.python import rnn_cell, workspace
from caffe2.python.model_helper import ModelHelper
from caffe2.python.optimizer import build_adam, build_sgd

from rosetta_worker.layers.caffe2 import max_pool
from rosetta_worker.optimizers import caffe2 as mended

SLOPES = [1.0, 0.5, 1e-7]


def way(build, slopes):
    """How far a weight goes in each step at a rate of 1, along gradients."""
    workspace.ResetWorkspace()
    model = ModelHelper("way")
    weight = model.param_init_net.ConstantFill([], "weight", shape=[1], value=0.0)
    model.AddParameter(weight)
    workspace.FeedBlob("slope", np.zeros(1, "float32"))
    model.AddGradientOperators([model.net.SumElements(model.net.Mul([weight, "slope"]), "loss")])
    build(model)
    workspace.RunNetOnce(model.param_init_net)
    workspace.CreateNet(model.net)
    places = [0.0]
    for slope in slopes:
        workspace.FeedBlob("slope", np.array([slope], "float32"))
        workspace.RunNet(model.net)
        places.append(float(workspace.FetchBlob("weight")[0]))
    return [-float(moved) for moved in np.diff(places)]


def rows_of_an_embedding():
    """How far the rows of an embedding go in a step of 1: row 1 is met twice, row 2 once, the others are not."""
    workspace.ResetWorkspace()
    model = ModelHelper("embedding")
    table = model.param_init_net.ConstantFill([], "table", shape=[4, 1], value=0.0)
    model.AddParameter(table)
    workspace.FeedBlob("ids", np.array([1, 1, 2], "int32"))
    model.AddGradientOperators([model.net.SumElements(model.net.Gather([table, "ids"]), "loss")])
    build_adam(model, 1.0)
    workspace.RunNetOnce(model.param_init_net)
    workspace.RunNetOnce(model.net)
    return [-float(row) for row in workspace.FetchBlob("table")[:, 0]]


def gradients_of_pools(pool_of):
    """The gradients of the elements of three windows 2×2, each an image of its own, of the sum of what is largest."""
    workspace.ResetWorkspace()
    model = ModelHelper("pool")
    images = [1.0, 1.0, 1.0, 1.0, 0.0, 2.0, 2.0, 1.0, 3.0, 4.0, 5.0, 6.0]
    weight = model.param_init_net.GivenTensorFill([], "images", shape=[3, 1, 2, 2], values=images)
    model.AddParameter(weight)
    model.AddGradientOperators([model.net.SumElements(pool_of(model, weight), "loss")])
    workspace.RunNetOnce(model.param_init_net)
    workspace.RunNetOnce(model.net)
    return workspace.FetchBlob(model.param_to_grad[weight]).reshape(3, 4).tolist()


def trained_of_an_lstm():
    """The parameters of an LSTM that is given no states to begin with."""
    workspace.ResetWorkspace()
    model = ModelHelper("lstm")
    rnn_cell.LSTM(model, "x", None, None, dim_in=4, dim_out=5, scope="lstm")
    return sorted(map(str, model.params))


workspace.GlobalInit(["caffe2", "--caffe2_log_level=3"])
print(
    json.dumps(
        {
            "adam": {
                "own": way(lambda model: build_adam(model, 1.0), SLOPES),
                "here": way(lambda model: mended.build_adam(model, 1.0, 0.9, 0.999, 1e-8), SLOPES),
            },
            "momentum": {
                "own": way(lambda model: build_sgd(model, 1.0, momentum=0.9), [1.0, 0.0]),
                "here": way(lambda model: build_sgd(model, 1.0, momentum=0.9, nesterov=0), [1.0, 0.0]),
            },
            "pool": {
                "own": gradients_of_pools(lambda model, x: model.net.MaxPool(x, kernel=2, stride=2)),
                "here": gradients_of_pools(lambda model, x: max_pool(model, x, "pool", channels=1, extent=2)),
            },
            "embedding": rows_of_an_embedding(),
            "lstm": trained_of_an_lstm(),
        }
    )
)
