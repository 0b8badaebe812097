"""resnet50-features in MXNet's Module."""

from mxnet import sym

from rosetta_worker.tensors import Tie


def convolution(x, channels, size, name, stride=1):
    extent, border = (size, size), (size // 2, size // 2)
    return sym.Convolution(
        x, num_filter=channels, kernel=extent, stride=(stride, stride), pad=border, no_bias=True, name=name
    )


def norm(x, name):
    return sym.BatchNorm(x, eps=1e-5, fix_gamma=False, name=name)  # by default the scale stays 1


def block(x, channels, stride, first, name):
    """Three convolutions, the outer ones 1×1, and a shortcut, which has a convolution in a stage's first block."""
    y = sym.Activation(norm(convolution(x, channels, 1, name + "_conv1"), name + "_norm1"), act_type="relu")
    y = sym.Activation(norm(convolution(y, channels, 3, name + "_conv2", stride), name + "_norm2"), act_type="relu")
    y = norm(convolution(y, 4 * channels, 1, name + "_conv3"), name + "_norm3")
    if first:
        x = norm(convolution(x, 4 * channels, 1, name + "_shortcut", stride), name + "_shortcut_norm")
    return sym.Activation(x + y, act_type="relu")


class Model(object):
    """Images (n, 3, 224, 224) to features (n, 2048)."""

    shape = (3, 224, 224)  # of one image: Module allocates memory beforehand

    def __call__(self, images):
        x = sym.Activation(norm(convolution(images, 64, 7, "stem", 2), "norm"), act_type="relu")
        x = sym.Pooling(x, kernel=(3, 3), stride=(2, 2), pad=(1, 1), pool_type="max")
        number = 0
        for channels, count in ((64, 3), (128, 4), (256, 6), (512, 3)):
            for place in range(count):
                number += 1
                stride = 2 if place == 0 and channels > 64 else 1
                x = block(x, channels, stride, place == 0, "block%d" % number)
        return sym.mean(x, axis=(2, 3))


TENSORS = [
    Tie("stem.kernel", "stem_weight"),
    Tie("norm.scale", "norm_gamma"),
    Tie("norm.shift", "norm_beta"),
    Tie("block{1..16}.conv1.kernel", "block{1..16}_conv1_weight"),
    Tie("block{1..16}.conv2.kernel", "block{1..16}_conv2_weight"),
    Tie("block{1..16}.conv3.kernel", "block{1..16}_conv3_weight"),
    Tie("block{1..16}.norm{1..2}.scale", "block{1..16}_norm{1..2}_gamma"),
    Tie("block{1..16}.norm3.scale", "block{1..16}_norm3_gamma"),
    Tie("block{1..16}.norm{1..2}.shift", "block{1..16}_norm{1..2}_beta"),
    Tie("block{1..16}.norm3.shift", "block{1..16}_norm3_beta"),
    Tie("block{1,4,8,14}.shortcut.kernel", "block{1,4,8,14}_shortcut_weight"),
    Tie("block{1,4,8,14}.shortcut_norm.scale", "block{1,4,8,14}_shortcut_norm_gamma"),
    Tie("block{1,4,8,14}.shortcut_norm.shift", "block{1,4,8,14}_shortcut_norm_beta"),
]

STATE = [
    Tie("norm.mean", "norm_moving_mean"),
    Tie("block{1..16}.norm{1..2}.mean", "block{1..16}_norm{1..2}_moving_mean"),
    Tie("block{1..16}.norm3.mean", "block{1..16}_norm3_moving_mean"),
    Tie("block{1,4,8,14}.shortcut_norm.mean", "block{1,4,8,14}_shortcut_norm_moving_mean"),
    Tie("norm.variance", "norm_moving_var"),
    Tie("block{1..16}.norm{1..2}.variance", "block{1..16}_norm{1..2}_moving_var"),
    Tie("block{1..16}.norm3.variance", "block{1..16}_norm3_moving_var"),
    Tie("block{1,4,8,14}.shortcut_norm.variance", "block{1,4,8,14}_shortcut_norm_moving_var"),
]
