"""chestxray-densenet121 in MXNet's Module."""

from mxnet import sym

from rosetta_worker.optimizers.mxnet import Adam
from rosetta_worker.tensors import Tie

SMALLER = (6, 18, 42)  # the number of layers before each transition


def convolution(x, channels, size, name, stride=1):
    pad, stride = (size // 2, size // 2), (stride, stride)
    return sym.Convolution(x, num_filter=channels, kernel=(size, size), stride=stride, pad=pad, no_bias=True, name=name)


def norm(x, name):
    return sym.BatchNorm(x, momentum=0.9, eps=1e-5, fix_gamma=False, name=name)  # by default the scale stays 1


def layer(x, name):
    """Append 32 feature maps to the input."""
    y = convolution(sym.Activation(norm(x, name + "_norm1"), act_type="relu"), 128, 1, name + "_conv1")
    y = convolution(sym.Activation(norm(y, name + "_norm2"), act_type="relu"), 32, 3, name + "_conv2")
    return sym.concat(x, y, dim=1)


def transition(x, channels, name):
    """Halve the number of maps, and their height and width."""
    x = convolution(sym.Activation(norm(x, name + "_norm"), act_type="relu"), channels, 1, name + "_conv")
    return sym.Pooling(x, kernel=(2, 2), stride=(2, 2), pool_type="avg")


class Model(object):
    """Images (n, 3, 224, 224) to logits (n, 14)."""

    shape = (3, 224, 224)  # of one image: Module allocates memory beforehand
    labels = (14,)  # of one image

    def __call__(self, images):
        x = sym.Activation(norm(convolution(images, 64, 7, "stem", stride=2), "norm"), act_type="relu")
        x = sym.Pooling(x, kernel=(3, 3), stride=(2, 2), pad=(1, 1), pool_type="max")
        channels = 64
        for number in range(58):
            if number in SMALLER:
                channels //= 2
                x = transition(x, channels, "transition%d" % (1 + SMALLER.index(number)))
            x = layer(x, "layer%d" % (number + 1))
            channels += 32
        x = sym.mean(sym.Activation(norm(x, "final"), act_type="relu"), axis=(2, 3))
        return sym.FullyConnected(x, num_hidden=14, name="output")


def loss(logits, labels):
    # Not LogisticRegressionOutput: it returns no loss. This is -log of the sigmoid, or of 1 minus it, without overflow.
    return sym.mean(sym.relu(logits) - logits * labels + sym.Activation(-sym.abs(logits), act_type="softrelu"))


def optimizer(model, hyper):
    # rescale_grad stays 1: the loss is already a mean. Module warns that it is not 1/n, which its outputs would need.
    return Adam(learning_rate=hyper.learning_rate, beta1=hyper.beta1, beta2=hyper.beta2, epsilon=hyper.epsilon)


TENSORS = [
    Tie("stem.kernel", "stem_weight"),
    Tie("layer{1..58}.conv{1..2}.kernel", "layer{1..58}_conv{1..2}_weight"),
    Tie("transition{1..3}.kernel", "transition{1..3}_conv_weight"),
    Tie("norm.scale", "norm_gamma"),
    Tie("norm.shift", "norm_beta"),
    Tie("layer{1..58}.norm{1..2}.scale", "layer{1..58}_norm{1..2}_gamma"),
    Tie("layer{1..58}.norm{1..2}.shift", "layer{1..58}_norm{1..2}_beta"),
    Tie("transition{1..3}.norm.scale", "transition{1..3}_norm_gamma"),
    Tie("transition{1..3}.norm.shift", "transition{1..3}_norm_beta"),
    Tie("final.scale", "final_gamma"),
    Tie("final.shift", "final_beta"),
    Tie("output.kernel", "output_weight"),
    Tie("output.bias", "output_bias"),
]

STATE = [
    Tie("norm.mean", "norm_moving_mean"),
    Tie("norm.variance", "norm_moving_var"),
    Tie("layer{1..58}.norm{1..2}.mean", "layer{1..58}_norm{1..2}_moving_mean"),
    Tie("layer{1..58}.norm{1..2}.variance", "layer{1..58}_norm{1..2}_moving_var"),
    Tie("transition{1..3}.norm.mean", "transition{1..3}_norm_moving_mean"),
    Tie("transition{1..3}.norm.variance", "transition{1..3}_norm_moving_var"),
    Tie("final.mean", "final_moving_mean"),
    Tie("final.variance", "final_moving_var"),
]
