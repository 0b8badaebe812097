"""fashion-diffusion in MXNet Gluon."""

from mxnet import gluon
from mxnet.gluon import nn
from mxnet.gluon.contrib.nn import Identity

from rosetta_worker.layers.mxnet import GroupNorm
from rosetta_worker.optimizers.mxnet import Adam
from rosetta_worker.tensors import Tie


class Model(gluon.HybridBlock):
    """Noisy images and their time steps (n, 784 + 1) to the noise (n, 784)."""

    def __init__(self):
        super().__init__()
        self.time1 = nn.Dense(128, in_units=128)
        self.time2 = nn.Dense(128, in_units=128)
        self.stem = nn.Conv2D(32, kernel_size=3, padding=1, in_channels=1)
        self.block1 = Block(32, 32)
        self.block2 = Block(32, 32)
        self.down = nn.Conv2D(32, kernel_size=3, strides=2, in_channels=32)
        self.block3 = Block(32, 32)
        self.attention = Attention(32, 4)
        self.block4 = Block(32, 32)
        self.up = nn.Conv2D(32, kernel_size=3, padding=1, in_channels=32)
        self.block5 = Block(64, 32)
        self.block6 = Block(64, 32)
        self.norm = GroupNorm(8, 32, epsilon=1e-6)
        self.out = nn.Conv2D(1, kernel_size=3, padding=1, in_channels=32)

    def hybrid_forward(self, F, inputs):
        image = inputs.slice_axis(1, 0, 784).reshape((-1, 1, 28, 28))
        time = inputs.slice_axis(1, 784, None).reshape((-1,))
        time = self.time2(silu(F, self.time1(waves(F, time))))
        x1 = self.block1(self.stem(image), time)
        x2 = self.block2(x1, time)
        x = self.down(F.pad(x2, "constant", (0, 0, 0, 0, 0, 1, 0, 1)))  # zeros after, none before
        x = self.attention(self.block3(x, time))
        x = self.block4(x, time)
        x = self.up(F.UpSampling(x, scale=2, sample_type="nearest"))  # each pixel four times
        x = self.block5(F.concat(x, x2), time)
        x = self.block6(F.concat(x, x1), time)
        return self.out(silu(F, self.norm(x))).flatten()


class Block(gluon.HybridBlock):
    """Two convolutions, each behind a normalisation, between them the time, beside a shortcut."""

    def __init__(self, inputs, channels):
        super().__init__()
        self.norm1 = GroupNorm(8, inputs, epsilon=1e-6)
        self.conv1 = nn.Conv2D(channels, kernel_size=3, padding=1, in_channels=inputs)
        self.time = nn.Dense(channels, in_units=128)
        self.norm2 = GroupNorm(8, channels, epsilon=1e-6)
        self.conv2 = nn.Conv2D(channels, kernel_size=3, padding=1, in_channels=channels)
        self.shortcut = nn.Conv2D(channels, kernel_size=1, in_channels=inputs) if inputs != channels else Identity()

    def hybrid_forward(self, F, x, time):
        y = self.conv1(silu(F, self.norm1(x)))
        y = F.broadcast_add(y, self.time(silu(F, time)).reshape((0, 0, 1, 1)))
        y = self.conv2(silu(F, self.norm2(y)))
        return self.shortcut(x) + y


class Attention(gluon.HybridBlock):
    """Self-attention between all pixels, behind a normalisation and beside a shortcut."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm = GroupNorm(8, width, epsilon=1e-6)
        self.query = nn.Dense(width, flatten=False, in_units=width)
        self.key = nn.Dense(width, flatten=False, in_units=width)
        self.value = nn.Dense(width, flatten=False, in_units=width)
        self.projection = nn.Dense(width, flatten=False, in_units=width)

    def hybrid_forward(self, F, x):
        y = self.norm(x).reshape((0, 0, -1)).transpose((0, 2, 1))  # (n, pixels, width)
        q, k, v = self.query(y), self.key(y), self.value(y)
        q, k, v = (y.reshape((0, 0, self.heads, -1)).transpose((0, 2, 1, 3)) for y in (q, k, v))
        q, k, v = (y.reshape((-3, 0, 0)) for y in (q, k, v))  # (n · heads, pixels, in a head)
        scores = F.batch_dot(q, k, transpose_b=True) / 8**0.5
        y = F.batch_dot(F.softmax(scores), v).reshape((-4, -1, self.heads, 0, 0)).transpose((0, 2, 1, 3))
        return x + F.reshape_like(self.projection(y.reshape((0, 0, -3))).transpose((0, 2, 1)), x)


def waves(F, time):
    """Return 64 sines and 64 cosines of time steps (n,), each slower than the one before."""
    rates = F.power(10000, F.arange(64) / -63)
    angles = F.broadcast_mul(time.expand_dims(1), rates.expand_dims(0))
    return F.concat(F.sin(angles), F.cos(angles))


def silu(F, x):
    return x * F.sigmoid(x)


def loss(outputs, noise):
    return (outputs - noise).square().mean()


def optimizer(model, hyper):
    adam = Adam(learning_rate=hyper.learning_rate, beta1=hyper.beta1, beta2=hyper.beta2, epsilon=hyper.epsilon)
    return gluon.Trainer(model.collect_params(), adam)


TENSORS = [
    Tie("time{1..2}.kernel block{1..6}.time.kernel", "time{1..2}.weight block{1..6}.time.weight"),
    Tie("time{1..2}.bias block{1..6}.time.bias", "time{1..2}.bias block{1..6}.time.bias"),
    Tie("stem.kernel down.kernel up.kernel out.kernel", "stem.weight down.weight up.weight out.weight"),
    Tie("stem.bias down.bias up.bias out.bias", "stem.bias down.bias up.bias out.bias"),
    Tie("block{1..6}.norm{1..2}.scale", "block{1..6}.norm{1..2}.scale"),
    Tie("block{1..6}.norm{1..2}.shift", "block{1..6}.norm{1..2}.shift"),
    Tie("block{1..6}.conv{1..2}.kernel", "block{1..6}.conv{1..2}.weight"),
    Tie("block{1..6}.conv{1..2}.bias", "block{1..6}.conv{1..2}.bias"),
    Tie("block{5..6}.shortcut.kernel", "block{5..6}.shortcut.weight"),
    Tie("block{5..6}.shortcut.bias", "block{5..6}.shortcut.bias"),
    Tie("attention.norm.scale norm.scale", "attention.norm.scale norm.scale"),
    Tie("attention.norm.shift norm.shift", "attention.norm.shift norm.shift"),
    Tie("attention.query.kernel attention.key.kernel", "attention.query.weight attention.key.weight"),
    Tie("attention.query.bias attention.key.bias", "attention.query.bias attention.key.bias"),
    Tie("attention.value.kernel", "attention.value.weight"),
    Tie("attention.value.bias", "attention.value.bias"),
    Tie("attention.projection.kernel", "attention.projection.weight"),
    Tie("attention.projection.bias", "attention.projection.bias"),
]
