"""ResNet-56 in MXNet's Module, without its last pool and output layer, and how it is trained."""

from mxnet import sym

from rosetta_worker.optimizers.mxnet import Adam
from rosetta_worker.tensors import Tie


def convolution(x, channels, name, stride=1):
    pad = (1, 1) if stride == 1 else (0, 0)
    return sym.Convolution(x, num_filter=channels, kernel=(3, 3), stride=(stride, stride), pad=pad, name=name)


def norm(x, name):
    return sym.BatchNorm(x, momentum=0.99, eps=1e-3, fix_gamma=False, name=name)  # by default the scale stays 1


def block(x, channels, stride, name):
    """Two convolutions and a shortcut, which is a convolution if the image shrinks."""
    y = x if stride == 1 else sym.pad(x, "constant", (0, 0, 0, 0, 0, 1, 0, 1))  # zeros after, none before
    y = sym.Activation(norm(convolution(y, channels, name + "_conv1", stride), name + "_norm1"), act_type="relu")
    y = norm(convolution(y, channels, name + "_conv2"), name + "_norm2")
    if stride == 2:
        x = sym.Convolution(x, num_filter=channels, kernel=(1, 1), stride=(2, 2), name=name + "_shortcut")
    return sym.Activation(x + y, act_type="relu")


def features(images):
    """The stem and 27 blocks: images (n, 3, height, width) to features (n, 64, height / 4, width / 4)."""
    x = sym.Activation(norm(convolution(images, 16, "stem"), "norm"), act_type="relu")
    for number in range(1, 28):
        channels = 16 if number < 10 else 32 if number < 19 else 64
        x = block(x, channels, 2 if number in (10, 19) else 1, "block%d" % number)
    return x


def loss(logits, labels):
    # softmax_cross_entropy counts no sample above 18.4 (docs/findings.md), and SoftmaxOutput returns no loss.
    logits = sym.broadcast_sub(logits, sym.max(logits, axis=1, keepdims=True))
    return sym.mean(sym.log(sym.sum(sym.exp(logits), axis=1)) - sym.pick(logits, labels))


def penalty(model):
    inside = model.get_internals()
    kernels = [inside[name] for name in model.list_arguments() if name.endswith("weight")]
    return 1e-4 * sym.add_n(*[sym.sum(sym.square(kernel)) for kernel in kernels])


def optimizer(model, hyper):
    # rescale_grad stays 1: the loss is already a mean. Module warns that it is not 1/n, which SoftmaxOutput would need.
    return Adam(learning_rate=hyper.learning_rate, beta1=hyper.beta1, beta2=hyper.beta2, epsilon=hyper.epsilon)


TRUNK_TENSORS = [
    Tie("stem.kernel", "stem_weight"),
    Tie("stem.bias", "stem_bias"),
    Tie("norm.scale", "norm_gamma"),
    Tie("norm.shift", "norm_beta"),
    Tie("block{1..27}.conv{1..2}.kernel", "block{1..27}_conv{1..2}_weight"),
    Tie("block{1..27}.conv{1..2}.bias", "block{1..27}_conv{1..2}_bias"),
    Tie("block{1..27}.norm1.scale", "block{1..27}_norm1_gamma"),
    Tie("block{1..27}.norm2.scale", "block{1..27}_norm2_gamma"),
    Tie("block{1..27}.norm1.shift", "block{1..27}_norm1_beta"),
    Tie("block{1..27}.norm2.shift", "block{1..27}_norm2_beta"),
    Tie("block10.shortcut.kernel block19.shortcut.kernel", "block10_shortcut_weight block19_shortcut_weight"),
    Tie("block10.shortcut.bias block19.shortcut.bias", "block10_shortcut_bias block19_shortcut_bias"),
]

STATE = [
    Tie("norm.mean", "norm_moving_mean"),
    Tie("block{1..27}.norm{1..2}.mean", "block{1..27}_norm{1..2}_moving_mean"),
    Tie("norm.variance", "norm_moving_var"),
    Tie("block{1..27}.norm{1..2}.variance", "block{1..27}_norm{1..2}_moving_var"),
]
