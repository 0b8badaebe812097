"""ResNet-56 in Keras 2, without its last pool and output layer, and how it is trained."""

from keras import backend as K
from keras.layers import Activation, Conv2D, ZeroPadding2D, add
from keras.regularizers import l2

from rosetta_worker.layers.keras2 import CHANNELS, KERNEL, RELU, BatchNormalization, arranged
from rosetta_worker.optimizers.keras2 import Adam
from rosetta_worker.tensors import Tie


def convolution(x, channels, size, name, stride=1):
    padding = "same" if stride == 1 else "valid"
    return Conv2D(channels, size, strides=stride, padding=padding, kernel_regularizer=l2(1e-4), name=name)(x)


def norm(x, name):
    return BatchNormalization(axis=CHANNELS, momentum=0.99, epsilon=1e-3, name=name)(x)


def block(x, channels, stride, name):
    """Two convolutions and a shortcut, which is a convolution if the image shrinks."""
    # Zeros after, none before: the meaning of "same" at stride 2 depends on the back end.
    y = x if stride == 1 else ZeroPadding2D(((0, 1), (0, 1)))(x)
    y = Activation(RELU)(norm(convolution(y, channels, 3, name + "_conv1", stride), name + "_norm1"))
    y = norm(convolution(y, channels, 3, name + "_conv2"), name + "_norm2")
    if stride == 2:
        x = convolution(x, channels, 1, name + "_shortcut", stride)
    return Activation(RELU)(add([x, y]))


def features(images):
    """The stem and 27 blocks: images (n, 3, height, width), or with channels last, to 64 features per 4×4 square."""
    x = Activation(RELU)(norm(convolution(images, 16, 3, "stem"), "norm"))
    number = 0
    for channels in (16, 32, 64):
        for place in range(9):
            number += 1
            x = block(x, channels, 2 if place == 0 and channels > 16 else 1, "block%d" % number)
    return x


def loss(logits, labels):
    # Per sample: Keras itself takes the mean, and adds the penalties of the regularizers. On MXNet and Theano its
    # sparse_categorical_crossentropy counts no sample above 16.1, and trains with none (docs/findings.md).
    logits = logits - K.max(logits, axis=-1, keepdims=True)
    chosen = K.one_hot(K.cast(K.flatten(labels), "int32"), K.int_shape(logits)[-1])
    return K.log(K.sum(K.exp(logits), axis=-1)) - K.sum(chosen * logits, axis=-1)


def optimizer(model, hyper):
    return Adam(hyper.learning_rate, beta_1=hyper.beta1, beta_2=hyper.beta2, epsilon=hyper.epsilon)


TRUNK_TENSORS = [
    Tie("stem.kernel", "stem.kernel", *KERNEL),
    Tie("stem.bias", "stem.bias"),
    Tie("norm.scale", "norm.gamma"),
    Tie("norm.shift", "norm.beta"),
    Tie("block{1..27}.conv{1..2}.kernel", "block{1..27}_conv{1..2}.kernel", *KERNEL),
    Tie("block{1..27}.conv{1..2}.bias", "block{1..27}_conv{1..2}.bias"),
    Tie("block{1..27}.norm1.scale", "block{1..27}_norm1.gamma"),
    Tie("block{1..27}.norm2.scale", "block{1..27}_norm2.gamma"),
    Tie("block{1..27}.norm1.shift", "block{1..27}_norm1.beta"),
    Tie("block{1..27}.norm2.shift", "block{1..27}_norm2.beta"),
    Tie("block10.shortcut.kernel block19.shortcut.kernel", "block10_shortcut.kernel block19_shortcut.kernel", *KERNEL),
    Tie("block10.shortcut.bias block19.shortcut.bias", "block10_shortcut.bias block19_shortcut.bias"),
]

STATE = [
    Tie("norm.mean", "norm.moving_mean"),
    Tie("block{1..27}.norm{1..2}.mean", "block{1..27}_norm{1..2}.moving_mean"),
    Tie("norm.variance", "norm.moving_variance"),
    Tie("block{1..27}.norm{1..2}.variance", "block{1..27}_norm{1..2}.moving_variance"),
]


def arrange(images):
    return arranged(images)
