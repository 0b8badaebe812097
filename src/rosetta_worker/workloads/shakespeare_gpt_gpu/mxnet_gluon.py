"""shakespeare-gpt:gpu in MXNet Gluon."""

from mxnet import gluon, nd
from mxnet.gluon import nn

from rosetta_worker.optimizers.mxnet_adamw import AdamW
from rosetta_worker.tensors import Tie


class Model(gluon.HybridBlock):
    """Character ids (n, 256) to logits (n, 256, 65)."""

    def __init__(self):
        super().__init__()
        self.token = nn.Embedding(65, 384)
        self.position = nn.Embedding(256, 384)
        self.dropout = nn.Dropout(0.2)
        self.blocks = nn.HybridSequential()
        self.blocks.add(*[Block(384, 6, self.dropout) for _ in range(6)])
        self.norm = nn.LayerNorm(epsilon=1e-5, center=False, in_channels=384)
        self.output = nn.Dense(65, use_bias=False, flatten=False, in_units=384, params=self.token.params)

    def hybrid_forward(self, F, ids):
        x = self.dropout(F.broadcast_add(self.token(ids), self.position(F.arange(256))))
        x = self.blocks(x)
        return self.output(self.norm(x))


class Block(gluon.HybridBlock):
    """Causal self-attention and an MLP, each behind a normalisation and beside a shortcut."""

    def __init__(self, width, heads, dropout):
        super().__init__()
        self.heads = heads
        self.norm1 = nn.LayerNorm(epsilon=1e-5, center=False, in_channels=width)
        self.qkv = nn.Dense(3 * width, use_bias=False, flatten=False, in_units=width)
        self.projection = nn.Dense(width, use_bias=False, flatten=False, in_units=width)
        self.norm2 = nn.LayerNorm(epsilon=1e-5, center=False, in_channels=width)
        self.up = nn.Dense(4 * width, use_bias=False, flatten=False, in_units=width)
        self.down = nn.Dense(width, use_bias=False, flatten=False, in_units=4 * width)
        self.dropout = dropout

    def hybrid_forward(self, F, x):
        x = x + self.dropout(self.attend(F, self.norm1(x)))
        return x + self.dropout(self.down(F.LeakyReLU(self.up(self.norm2(x)), act_type="gelu")))

    def attend(self, F, x):
        split = self.qkv(x).reshape((0, 0, 3, self.heads, -1)).transpose((2, 0, 3, 1, 4))
        q, k, v = (y.reshape((-3, 0, 0)) for y in F.split(split, 3, axis=0, squeeze_axis=True))  # (n · heads, time, …)
        scores = F.batch_dot(q, k, transpose_b=True) / 64**0.5
        seen = F.broadcast_greater_equal(F.arange(256).reshape((1, 256, 1)), F.arange(256).reshape((1, 1, 256)))
        scores = F.where(F.broadcast_like(seen, scores), scores, F.ones_like(scores) * -1e9)
        y = F.batch_dot(self.dropout(F.softmax(scores)), v).reshape((-4, -1, self.heads, 0, 0))
        return self.projection(y.transpose((0, 2, 1, 3)).reshape((0, 0, -3)))


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
    Tie("block{1..6}.norm{1..2}.scale", "blocks.{0..5}.norm{1..2}.gamma"),
    Tie("block{1..6}.qkv.kernel", "blocks.{0..5}.qkv.weight"),
    Tie("block{1..6}.projection.kernel", "blocks.{0..5}.projection.weight"),
    Tie("block{1..6}.up.kernel", "blocks.{0..5}.up.weight"),
    Tie("block{1..6}.down.kernel", "blocks.{0..5}.down.weight"),
    Tie("norm.scale", "norm.gamma"),
]
