"""fashion-diffusion in Keras."""

import keras
from keras import layers, ops

from rosetta_worker.optimizers.keras import Adam
from rosetta_worker.tensors import CHANNELS_LAST, TRANSPOSE, Tie


class Model(keras.Model):
    """Noisy images and their time steps (n, 784 + 1) to the noise (n, 784)."""

    def __init__(self):
        super().__init__()
        self.time1 = layers.Dense(128, activation="silu")
        self.time2 = layers.Dense(128)
        self.stem = layers.Conv2D(32, kernel_size=3, padding="same")
        self.block1 = Block(32, 32)
        self.block2 = Block(32, 32)
        self.down = layers.Conv2D(32, kernel_size=3, strides=2, padding="same")
        self.block3 = Block(32, 32)
        self.attention = Attention(32, 4)
        self.block4 = Block(32, 32)
        self.repeat = layers.UpSampling2D(2)
        self.up = layers.Conv2D(32, kernel_size=3, padding="same")
        self.block5 = Block(64, 32)
        self.block6 = Block(64, 32)
        self.norm = layers.GroupNormalization(8, epsilon=1e-6)
        self.out = layers.Conv2D(1, kernel_size=3, padding="same")
        self(keras.Input((785,)))  # creates the weights, whose shapes follow from the input

    def call(self, inputs):
        image, time = ops.reshape(inputs[:, :784], (-1, 28, 28, 1)), inputs[:, 784]
        time = self.time2(self.time1(waves(time)))
        x1 = self.block1(self.stem(image), time)
        x2 = self.block2(x1, time)
        x = self.down(x2)
        x = self.attention(self.block3(x, time))
        x = self.block4(x, time)
        x = self.up(self.repeat(x))  # each pixel four times
        x = self.block5(ops.concatenate([x, x2], -1), time)
        x = self.block6(ops.concatenate([x, x1], -1), time)
        return ops.reshape(self.out(ops.silu(self.norm(x))), (-1, 784))


class Block(layers.Layer):
    """Two convolutions, each behind a normalisation, between them the time, beside a shortcut."""

    def __init__(self, inputs, channels):
        super().__init__()
        self.norm1 = layers.GroupNormalization(8, epsilon=1e-6)
        self.conv1 = layers.Conv2D(channels, kernel_size=3, padding="same")
        self.time = layers.Dense(channels)
        self.norm2 = layers.GroupNormalization(8, epsilon=1e-6)
        self.conv2 = layers.Conv2D(channels, kernel_size=3, padding="same")
        self.shortcut = layers.Conv2D(channels, kernel_size=1) if inputs != channels else layers.Identity()

    def call(self, x, time):
        y = self.conv1(ops.silu(self.norm1(x)))
        y = y + self.time(ops.silu(time))[:, None, None, :]
        y = self.conv2(ops.silu(self.norm2(y)))
        return self.shortcut(x) + y


class Attention(layers.Layer):
    """Self-attention between all pixels, behind a normalisation and beside a shortcut."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm = layers.GroupNormalization(8, epsilon=1e-6)
        self.query = layers.Dense(width)
        self.key = layers.Dense(width)
        self.value = layers.Dense(width)
        self.projection = layers.Dense(width)

    def call(self, x):
        split = (-1, x.shape[1] * x.shape[2], self.heads, x.shape[3] // self.heads)  # (n, pixels, heads, in a head)
        y = self.norm(x)
        q, k, v = (ops.reshape(y, split) for y in (self.query(y), self.key(y), self.value(y)))
        y = ops.dot_product_attention(q, k, v)
        return x + self.projection(ops.reshape(y, (-1, *x.shape[1:])))


def waves(time):
    """Return 64 sines and 64 cosines of time steps (n,), each slower than the one before."""
    rates = 10000 ** (-ops.arange(64.0) / 63)
    return ops.concatenate([ops.sin(time[:, None] * rates), ops.cos(time[:, None] * rates)], 1)


def loss(outputs, noise):
    return ops.mean(ops.square(outputs - noise))


def optimizer(model, hyper):
    return Adam(hyper.learning_rate, beta_1=hyper.beta1, beta_2=hyper.beta2, epsilon=hyper.epsilon)


TENSORS = [
    Tie("time{1..2}.kernel block{1..6}.time.kernel", "time{1..2}.kernel block{1..6}.time.kernel", TRANSPOSE),
    Tie("time{1..2}.bias block{1..6}.time.bias", "time{1..2}.bias block{1..6}.time.bias"),
    Tie("stem.kernel down.kernel up.kernel out.kernel", "stem.kernel down.kernel up.kernel out.kernel", CHANNELS_LAST),
    Tie("stem.bias down.bias up.bias out.bias", "stem.bias down.bias up.bias out.bias"),
    Tie("block{1..6}.norm{1..2}.scale", "block{1..6}.norm{1..2}.gamma"),
    Tie("block{1..6}.norm{1..2}.shift", "block{1..6}.norm{1..2}.beta"),
    Tie("block{1..6}.conv{1..2}.kernel", "block{1..6}.conv{1..2}.kernel", CHANNELS_LAST),
    Tie("block{1..6}.conv{1..2}.bias", "block{1..6}.conv{1..2}.bias"),
    Tie("block{5..6}.shortcut.kernel", "block{5..6}.shortcut.kernel", CHANNELS_LAST),
    Tie("block{5..6}.shortcut.bias", "block{5..6}.shortcut.bias"),
    Tie("attention.norm.scale norm.scale", "attention.norm.gamma norm.gamma"),
    Tie("attention.norm.shift norm.shift", "attention.norm.beta norm.beta"),
    Tie("attention.query.kernel attention.key.kernel", "attention.query.kernel attention.key.kernel", TRANSPOSE),
    Tie("attention.query.bias attention.key.bias", "attention.query.bias attention.key.bias"),
    Tie("attention.value.kernel", "attention.value.kernel", TRANSPOSE),
    Tie("attention.value.bias", "attention.value.bias"),
    Tie("attention.projection.kernel", "attention.projection.kernel", TRANSPOSE),
    Tie("attention.projection.bias", "attention.projection.bias"),
]
