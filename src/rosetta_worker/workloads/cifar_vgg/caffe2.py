"""cifar-vgg in Caffe2."""

from caffe2.python import brew
from caffe2.python.optimizer import build_sgd

from rosetta_worker.layers.caffe2 import max_pool
from rosetta_worker.tensors import Tie


class Model(object):
    """Images (n, 3, 32, 32) to logits (n, 10)."""

    def __call__(self, helper, images):
        x = brew.conv(helper, images, "conv1", dim_in=3, dim_out=50, kernel=3, pad=1)
        x = brew.relu(helper, x, x)
        x = brew.conv(helper, x, "conv2", dim_in=50, dim_out=50, kernel=3, pad=1)
        x = max_pool(helper, x, "pool2", channels=50, extent=32)
        x = brew.relu(helper, x, "relu2")
        x = brew.dropout(helper, x, "dropout2", ratio=0.25)
        x = brew.conv(helper, x, "conv3", dim_in=50, dim_out=100, kernel=3, pad=1)
        x = brew.relu(helper, x, x)
        x = brew.conv(helper, x, "conv4", dim_in=100, dim_out=100, kernel=3, pad=1)
        x = max_pool(helper, x, "pool4", channels=100, extent=16)
        x = brew.relu(helper, x, "relu4")
        x = brew.dropout(helper, x, "dropout4", ratio=0.25)
        x = brew.fc(helper, x, "hidden", dim_in=6400, dim_out=512)  # flattens its input, channel by channel
        x = brew.relu(helper, x, x)
        x = brew.dropout(helper, x, "dropout_hidden", ratio=0.5)
        return brew.fc(helper, x, "output", dim_in=512, dim_out=10)


def loss(logits, labels):
    _, mean = logits.SoftmaxWithLoss(labels, ["softmax", "loss"])
    return mean


def optimizer(model, hyper):
    # v includes the rate: equivalent while the rate is constant
    return build_sgd(model, hyper.learning_rate, momentum=hyper.momentum, nesterov=0)


TENSORS = [
    Tie("conv1.kernel", "conv1_w"),
    Tie("conv1.bias", "conv1_b"),
    Tie("conv2.kernel", "conv2_w"),
    Tie("conv2.bias", "conv2_b"),
    Tie("conv3.kernel", "conv3_w"),
    Tie("conv3.bias", "conv3_b"),
    Tie("conv4.kernel", "conv4_w"),
    Tie("conv4.bias", "conv4_b"),
    Tie("hidden.kernel", "hidden_w"),
    Tie("hidden.bias", "hidden_b"),
    Tie("output.kernel", "output_w"),
    Tie("output.bias", "output_b"),
]
