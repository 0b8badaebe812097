"""fashion-cnn in Caffe2."""

from caffe2.python import brew

from rosetta_worker.optimizers.caffe2 import build_adam
from rosetta_worker.tensors import Tie


class Model(object):
    """Images (n, 1, 28, 28) to logits (n, 10)."""

    def __call__(self, helper, images):
        x = brew.conv(helper, images, "conv1", dim_in=1, dim_out=64, kernel=3)
        x = brew.relu(helper, x, x)
        x = brew.conv(helper, x, "conv2", dim_in=64, dim_out=32, kernel=3)
        x = brew.relu(helper, x, x)
        return brew.fc(helper, x, "output", dim_in=18432, dim_out=10)  # flattens its input, channel by channel


def loss(logits, labels):
    _, mean = logits.SoftmaxWithLoss(labels, ["softmax", "loss"])
    return mean


def optimizer(model, hyper):
    return build_adam(model, hyper.learning_rate, beta1=hyper.beta1, beta2=hyper.beta2, epsilon=hyper.epsilon)


TENSORS = [
    Tie("conv1.kernel", "conv1_w"),
    Tie("conv1.bias", "conv1_b"),
    Tie("conv2.kernel", "conv2_w"),
    Tie("conv2.bias", "conv2_b"),
    Tie("output.kernel", "output_w"),
    Tie("output.bias", "output_b"),
]
