"""cifar-vit in MXNet Gluon."""

from mxnet import gluon, nd
from mxnet.gluon import nn

from rosetta_worker.optimizers.mxnet_adamw import AdamW
from rosetta_worker.tensors import Tie


class Model(gluon.HybridBlock):
    """Images (n, 3, 32, 32) to logits (n, 10)."""

    def __init__(self):
        super().__init__()
        self.patch = nn.Conv2D(192, kernel_size=4, strides=4, in_channels=3)
        self.position = nn.Embedding(64, 192)
        self.blocks = nn.HybridSequential()
        self.blocks.add(*[Block(192, 3) for _ in range(6)])
        self.norm = nn.LayerNorm(epsilon=1e-6, in_channels=192)
        self.output = nn.Dense(10, in_units=192)

    def hybrid_forward(self, F, images):
        x = self.patch(images).reshape((0, 0, -1)).transpose((0, 2, 1))  # (n, tokens, width)
        x = F.broadcast_add(x, self.position(F.arange(64)))
        x = self.blocks(x)
        return self.output(self.norm(x).mean(1))


class Block(gluon.HybridBlock):
    """Self-attention and an MLP, each behind a normalisation and beside a shortcut."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1 = nn.LayerNorm(epsilon=1e-6, in_channels=width)
        self.query = nn.Dense(width, flatten=False, in_units=width)
        self.key = nn.Dense(width, flatten=False, in_units=width)
        self.value = nn.Dense(width, flatten=False, in_units=width)
        self.projection = nn.Dense(width, flatten=False, in_units=width)
        self.norm2 = nn.LayerNorm(epsilon=1e-6, in_channels=width)
        self.up = nn.Dense(4 * width, flatten=False, in_units=width)
        self.down = nn.Dense(width, flatten=False, in_units=4 * width)

    def hybrid_forward(self, F, x):
        x = x + self.attend(F, self.norm1(x))
        return x + self.down(F.LeakyReLU(self.up(self.norm2(x)), act_type="gelu"))

    def attend(self, F, x):
        q, k, v = self.query(x), self.key(x), self.value(x)
        q, k, v = (y.reshape((0, 0, self.heads, -1)).transpose((0, 2, 1, 3)) for y in (q, k, v))
        q, k, v = (y.reshape((-3, 0, 0)) for y in (q, k, v))  # (n · heads, tokens, in a head)
        scores = F.batch_dot(q, k, transpose_b=True) / 64**0.5
        y = F.batch_dot(F.softmax(scores), v).reshape((-4, -1, self.heads, 0, 0)).transpose((0, 2, 1, 3))
        return self.projection(y.reshape((0, 0, -3)))


def loss(logits, labels):
    # Not gluon.loss.SoftmaxCrossEntropyLoss: on the CPU its log_softmax is inexact (docs/findings.md).
    return nd.softmax_cross_entropy(logits, labels) / len(logits)


def optimizer(model, hyper):
    adamw = AdamW(
        learning_rate=hyper.learning_rate,
        beta1=hyper.beta1,
        beta2=hyper.beta2,
        epsilon=hyper.epsilon,
        wd=hyper.weight_decay,
    )
    for one in (model.position.weight, *model.collect_params(".*(bias|gamma|beta)").values()):
        one.wd_mult = 0.0
    return gluon.Trainer(model.collect_params(), adamw)


TENSORS = [
    Tie("patch.kernel", "patch.weight"),
    Tie("patch.bias", "patch.bias"),
    Tie("position_embedding", "position.weight"),
    Tie("block{1..6}.norm{1..2}.scale", "blocks.{0..5}.norm{1..2}.gamma"),
    Tie("block{1..6}.norm{1..2}.shift", "blocks.{0..5}.norm{1..2}.beta"),
    Tie("block{1..6}.query.kernel", "blocks.{0..5}.query.weight"),
    Tie("block{1..6}.query.bias", "blocks.{0..5}.query.bias"),
    Tie("block{1..6}.key.kernel", "blocks.{0..5}.key.weight"),
    Tie("block{1..6}.key.bias", "blocks.{0..5}.key.bias"),
    Tie("block{1..6}.value.kernel", "blocks.{0..5}.value.weight"),
    Tie("block{1..6}.value.bias", "blocks.{0..5}.value.bias"),
    Tie("block{1..6}.projection.kernel", "blocks.{0..5}.projection.weight"),
    Tie("block{1..6}.projection.bias", "blocks.{0..5}.projection.bias"),
    Tie("block{1..6}.up.kernel", "blocks.{0..5}.up.weight"),
    Tie("block{1..6}.up.bias", "blocks.{0..5}.up.bias"),
    Tie("block{1..6}.down.kernel", "blocks.{0..5}.down.weight"),
    Tie("block{1..6}.down.bias", "blocks.{0..5}.down.bias"),
    Tie("norm.scale", "norm.gamma"),
    Tie("norm.shift", "norm.beta"),
    Tie("output.kernel", "output.weight"),
    Tie("output.bias", "output.bias"),
]
