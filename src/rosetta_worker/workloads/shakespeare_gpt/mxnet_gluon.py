"""shakespeare-gpt in MXNet Gluon."""

from mxnet import gluon, nd
from mxnet.gluon import nn

from rosetta_worker.optimizers.mxnet_adamw import AdamW
from rosetta_worker.tensors import Tie


class Model(gluon.HybridBlock):
    """Character ids (n, 64) to logits (n, 64, 65)."""

    def __init__(self):
        super().__init__()
        self.token = nn.Embedding(65, 128)
        self.position = nn.Embedding(64, 128)
        self.blocks = nn.HybridSequential()
        self.blocks.add(*[Block(128, 4) for _ in range(4)])
        self.norm = nn.LayerNorm(epsilon=1e-5, center=False, in_channels=128)
        self.output = nn.Dense(65, use_bias=False, flatten=False, in_units=128, params=self.token.params)

    def hybrid_forward(self, F, ids):
        x = F.broadcast_add(self.token(ids), self.position(F.arange(64)))
        x = self.blocks(x)
        return self.output(self.norm(x))


class Block(gluon.HybridBlock):
    """Causal self-attention and an MLP, each behind a normalisation and beside a shortcut."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1 = nn.LayerNorm(epsilon=1e-5, center=False, in_channels=width)
        self.qkv = nn.Dense(3 * width, use_bias=False, flatten=False, in_units=width)
        self.projection = nn.Dense(width, use_bias=False, flatten=False, in_units=width)
        self.norm2 = nn.LayerNorm(epsilon=1e-5, center=False, in_channels=width)
        self.up = nn.Dense(4 * width, use_bias=False, flatten=False, in_units=width)
        self.down = nn.Dense(width, use_bias=False, flatten=False, in_units=4 * width)

    def hybrid_forward(self, F, x):
        x = x + self.attend(F, self.norm1(x))
        return x + self.down(F.LeakyReLU(self.up(self.norm2(x)), act_type="gelu"))

    def attend(self, F, x):
        split = self.qkv(x).reshape((0, 0, 3, self.heads, -1)).transpose((2, 0, 3, 1, 4))
        q, k, v = (y.reshape((-3, 0, 0)) for y in F.split(split, 3, axis=0, squeeze_axis=True))  # (n · heads, time, …)
        scores = F.batch_dot(q, k, transpose_b=True) / 32**0.5
        seen = F.broadcast_greater_equal(F.arange(64).reshape((1, 64, 1)), F.arange(64).reshape((1, 1, 64)))
        scores = F.where(F.broadcast_like(seen, scores), scores, F.ones_like(scores) * -1e9)
        y = F.batch_dot(F.softmax(scores), v).reshape((-4, -1, self.heads, 0, 0)).transpose((0, 2, 1, 3))
        return self.projection(y.reshape((0, 0, -3)))


def loss(logits, labels):
    # Not gluon.loss.SoftmaxCrossEntropyLoss: on the CPU its log_softmax is inexact (docs/findings.md).
    return nd.softmax_cross_entropy(logits.reshape((-3, 0)), labels.reshape((-1,))) / labels.size


def optimizer(model, hyper):
    adamw = AdamW(
        learning_rate=hyper.learning_rate,
        beta1=hyper.beta1,
        beta2=hyper.beta2,
        epsilon=hyper.epsilon,
        wd=hyper.weight_decay,
    )
    for scale in model.collect_params(".*gamma").values():
        scale.wd_mult = 0.0
    return gluon.Trainer(model.collect_params(), adamw)


TENSORS = [
    Tie("token_embedding", "token.weight"),
    Tie("position_embedding", "position.weight"),
    Tie("block{1..4}.norm{1..2}.scale", "blocks.{0..3}.norm{1..2}.gamma"),
    Tie("block{1..4}.qkv.kernel", "blocks.{0..3}.qkv.weight"),
    Tie("block{1..4}.projection.kernel", "blocks.{0..3}.projection.weight"),
    Tie("block{1..4}.up.kernel", "blocks.{0..3}.up.weight"),
    Tie("block{1..4}.down.kernel", "blocks.{0..3}.down.weight"),
    Tie("norm.scale", "norm.gamma"),
]
