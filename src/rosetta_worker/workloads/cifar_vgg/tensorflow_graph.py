"""cifar-vgg in TensorFlow 1."""

import tensorflow as tf

from rosetta_worker.tensors import CHANNELS_LAST, TRANSPOSE, Tie, flatten_last


class Model(object):
    """Images (n, 32, 32, 3) to logits (n, 10)."""

    inputs = (tf.float32, (None, 32, 32, 3))  # dtype and shape of the placeholder for images

    def __call__(self, images, training):
        x = tf.layers.conv2d(images, 50, kernel_size=3, padding="same", activation=tf.nn.relu, name="conv1")
        x = tf.layers.conv2d(x, 50, kernel_size=3, padding="same", name="conv2")
        x = tf.nn.relu(tf.layers.max_pooling2d(x, 2, strides=2))
        x = tf.layers.dropout(x, 0.25, training=training)
        x = tf.layers.conv2d(x, 100, kernel_size=3, padding="same", activation=tf.nn.relu, name="conv3")
        x = tf.layers.conv2d(x, 100, kernel_size=3, padding="same", name="conv4")
        x = tf.nn.relu(tf.layers.max_pooling2d(x, 2, strides=2))
        x = tf.layers.dropout(x, 0.25, training=training)
        x = tf.layers.flatten(x)
        x = tf.layers.dense(x, 512, activation=tf.nn.relu, name="hidden")
        x = tf.layers.dropout(x, 0.5, training=training)
        return tf.layers.dense(x, 10, name="output")


def loss(logits, labels):
    return tf.losses.sparse_softmax_cross_entropy(labels, logits)


def optimizer(model, hyper):
    return tf.train.MomentumOptimizer(hyper.learning_rate, momentum=hyper.momentum)


TENSORS = [
    Tie("conv1.kernel", "conv1/kernel", CHANNELS_LAST),
    Tie("conv1.bias", "conv1/bias"),
    Tie("conv2.kernel", "conv2/kernel", CHANNELS_LAST),
    Tie("conv2.bias", "conv2/bias"),
    Tie("conv3.kernel", "conv3/kernel", CHANNELS_LAST),
    Tie("conv3.bias", "conv3/bias"),
    Tie("conv4.kernel", "conv4/kernel", CHANNELS_LAST),
    Tie("conv4.bias", "conv4/bias"),
    Tie("hidden.kernel", "hidden/kernel", flatten_last(100, 8, 8), TRANSPOSE),
    Tie("hidden.bias", "hidden/bias"),
    Tie("output.kernel", "output/kernel", TRANSPOSE),
    Tie("output.bias", "output/bias"),
]


def arrange(images):
    return images.transpose(0, 2, 3, 1)  # channels last
