"""fashion-mlp in Caffe2."""

from caffe2.python import brew

from rosetta_worker.optimizers.caffe2 import build_adam
from rosetta_worker.tensors import Tie


class Model(object):
    """Images (n, 784) to logits (n, 10)."""

    def __call__(self, helper, images):
        x = brew.fc(helper, images, "hidden", dim_in=784, dim_out=128)
        x = brew.relu(helper, x, x)
        return brew.fc(helper, x, "output", dim_in=128, dim_out=10)


def loss(logits, labels):
    _, mean = logits.SoftmaxWithLoss(labels, ["softmax", "loss"])
    return mean


def optimizer(model, hyper):
    return build_adam(model, hyper.learning_rate, beta1=hyper.beta1, beta2=hyper.beta2, epsilon=hyper.epsilon)


TENSORS = [
    Tie("hidden.kernel", "hidden_w"),
    Tie("hidden.bias", "hidden_b"),
    Tie("output.kernel", "output_w"),
    Tie("output.bias", "output_b"),
]
