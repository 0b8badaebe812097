"""fashion-cnn in TensorFlow 1."""

import tensorflow as tf

from rosetta_worker.optimizers.tensorflow1 import Adam
from rosetta_worker.tensors import CHANNELS_LAST, TRANSPOSE, Tie, flatten_last


class Model(object):
    """Images (n, 28, 28, 1) to logits (n, 10)."""

    inputs = (tf.float32, (None, 28, 28, 1))  # dtype and shape of the placeholder for images

    def __call__(self, images, training):
        x = tf.layers.conv2d(images, 64, kernel_size=3, activation=tf.nn.relu, name="conv1")
        x = tf.layers.conv2d(x, 32, kernel_size=3, activation=tf.nn.relu, name="conv2")
        x = tf.layers.flatten(x)
        return tf.layers.dense(x, 10, name="output")


def loss(logits, labels):
    return tf.losses.sparse_softmax_cross_entropy(labels, logits)


def optimizer(model, hyper):
    return Adam(hyper.learning_rate, beta1=hyper.beta1, beta2=hyper.beta2, epsilon=hyper.epsilon)


TENSORS = [
    Tie("conv1.kernel", "conv1/kernel", CHANNELS_LAST),
    Tie("conv1.bias", "conv1/bias"),
    Tie("conv2.kernel", "conv2/kernel", CHANNELS_LAST),
    Tie("conv2.bias", "conv2/bias"),
    Tie("output.kernel", "output/kernel", flatten_last(32, 24, 24), TRANSPOSE),
    Tie("output.bias", "output/bias"),
]


def arrange(images):
    return images.transpose(0, 2, 3, 1)  # channels last
