"""resnet50-features in Caffe2."""

from caffe2.python import brew

from rosetta_worker.tensors import Tie


def conv(helper, x, name, inputs, channels, size, stride=1):
    return brew.conv(helper, x, name, inputs, channels, kernel=size, stride=stride, pad=size // 2, no_bias=True)


def norm(helper, x, name, channels):
    return brew.spatial_bn(helper, x, name, channels, epsilon=1e-5)


def block(helper, x, inputs, channels, stride, name):
    """Three convolutions, the outer ones 1×1, and a shortcut, which has a convolution in a stage's first block."""
    y = norm(helper, conv(helper, x, name + "conv1", inputs, channels, 1), name + "norm1", channels)
    y = brew.relu(helper, y, y)
    y = norm(helper, conv(helper, y, name + "conv2", channels, channels, 3, stride), name + "norm2", channels)
    y = brew.relu(helper, y, y)
    y = norm(helper, conv(helper, y, name + "conv3", channels, 4 * channels, 1), name + "norm3", 4 * channels)
    if inputs != 4 * channels:
        x = conv(helper, x, name + "shortcut", inputs, 4 * channels, 1, stride)
        x = norm(helper, x, name + "shortcut_norm", 4 * channels)
    y = brew.sum(helper, [y, x], name + "sum")
    return brew.relu(helper, y, y)


class Model(object):
    """Images (n, 3, 224, 224) to features (n, 2048)."""

    def __call__(self, helper, images):
        x = norm(helper, conv(helper, images, "stem", 3, 64, 7, 2), "norm", 64)
        x = brew.relu(helper, x, x)
        x = brew.max_pool(helper, x, "pool", kernel=3, stride=2, pad=1)
        number, inputs = 0, 64
        for channels, count in ((64, 3), (128, 4), (256, 6), (512, 3)):
            for place in range(count):
                number += 1
                stride = 2 if place == 0 and channels > 64 else 1
                x = block(helper, x, inputs, channels, stride, "block%d/" % number)
                inputs = 4 * channels
        x = brew.average_pool(helper, x, "mean", global_pooling=True)
        return helper.net.Squeeze(x, "features", dims=[2, 3])


TENSORS = [
    Tie("stem.kernel", "stem_w"),
    Tie("norm.scale", "norm_s"),
    Tie("norm.shift", "norm_b"),
    Tie("block{1..16}.conv1.kernel", "block{1..16}/conv1_w"),
    Tie("block{1..16}.conv2.kernel", "block{1..16}/conv2_w"),
    Tie("block{1..16}.conv3.kernel", "block{1..16}/conv3_w"),
    Tie("block{1..16}.norm{1..2}.scale", "block{1..16}/norm{1..2}_s"),
    Tie("block{1..16}.norm3.scale", "block{1..16}/norm3_s"),
    Tie("block{1..16}.norm{1..2}.shift", "block{1..16}/norm{1..2}_b"),
    Tie("block{1..16}.norm3.shift", "block{1..16}/norm3_b"),
    Tie("block{1,4,8,14}.shortcut.kernel", "block{1,4,8,14}/shortcut_w"),
    Tie("block{1,4,8,14}.shortcut_norm.scale", "block{1,4,8,14}/shortcut_norm_s"),
    Tie("block{1,4,8,14}.shortcut_norm.shift", "block{1,4,8,14}/shortcut_norm_b"),
]

STATE = [
    Tie("norm.mean", "norm_rm"),
    Tie("block{1..16}.norm{1..2}.mean", "block{1..16}/norm{1..2}_rm"),
    Tie("block{1..16}.norm3.mean", "block{1..16}/norm3_rm"),
    Tie("block{1,4,8,14}.shortcut_norm.mean", "block{1,4,8,14}/shortcut_norm_rm"),
    Tie("norm.variance", "norm_riv"),  # named "running inverse variance", but it is the variance
    Tie("block{1..16}.norm{1..2}.variance", "block{1..16}/norm{1..2}_riv"),
    Tie("block{1..16}.norm3.variance", "block{1..16}/norm3_riv"),
    Tie("block{1,4,8,14}.shortcut_norm.variance", "block{1,4,8,14}/shortcut_norm_riv"),
]
