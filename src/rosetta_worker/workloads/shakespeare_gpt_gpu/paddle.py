"""shakespeare-gpt:gpu in PaddlePaddle."""

import paddle
from paddle import nn
from paddle.nn import functional as F
from paddle.optimizer import AdamW

from rosetta_worker.tensors import TRANSPOSE, Tie


class Model(nn.Layer):
    """Character ids (n, 256) to logits (n, 256, 65)."""

    def __init__(self):
        super().__init__()
        self.token = nn.Embedding(65, 384)
        self.position = nn.Embedding(256, 384)
        self.dropout = nn.Dropout(0.2)
        self.blocks = nn.LayerList(Block(384, 6, self.dropout) for _ in range(6))
        self.norm = nn.LayerNorm(384, epsilon=1e-5, bias_attr=False)

    def forward(self, ids):
        x = self.dropout(self.token(ids) + self.position.weight)
        for block in self.blocks:
            x = block(x)
        return paddle.matmul(self.norm(x), self.token.weight, transpose_y=True)


class Block(nn.Layer):
    """Causal self-attention and an MLP, each behind a normalisation and beside a shortcut."""

    def __init__(self, width, heads, dropout):
        super().__init__()
        self.heads = heads
        self.norm1 = nn.LayerNorm(width, epsilon=1e-5, bias_attr=False)
        self.qkv = nn.Linear(width, 3 * width, bias_attr=False)
        self.projection = nn.Linear(width, width, bias_attr=False)
        self.norm2 = nn.LayerNorm(width, epsilon=1e-5, bias_attr=False)
        self.up = nn.Linear(width, 4 * width, bias_attr=False)
        self.down = nn.Linear(4 * width, width, bias_attr=False)
        self.dropout = dropout

    def forward(self, x):
        x = x + self.dropout(self.attend(self.norm1(x)))
        return x + self.dropout(self.down(F.gelu(self.up(self.norm2(x)))))

    def attend(self, x):
        q, k, v = self.qkv(x).chunk(3, axis=-1)
        q, k, v = (y.unflatten(-1, (self.heads, -1)) for y in (q, k, v))  # (n, time, heads, in a head)
        y = F.scaled_dot_product_attention(q, k, v, dropout_p=self.dropout.p, is_causal=True, training=self.training)
        return self.projection(y.flatten(2))


def loss(logits, labels):
    return F.cross_entropy(logits, labels)


def optimizer(model, hyper):
    kernels = {one.name for one in model.parameters() if one.ndim > 1}
    return AdamW(
        hyper.learning_rate, hyper.beta1, hyper.beta2, hyper.epsilon, model.parameters(), hyper.weight_decay,
        apply_decay_param_fun=kernels.__contains__, grad_clip=nn.ClipGradByGlobalNorm(hyper.clip_norm),
    )  # fmt: skip


TENSORS = [
    Tie("token_embedding", "token.weight"),
    Tie("position_embedding", "position.weight"),
    Tie("block{1..6}.norm{1..2}.scale", "blocks.{0..5}.norm{1..2}.weight"),
    Tie("block{1..6}.qkv.kernel", "blocks.{0..5}.qkv.weight", TRANSPOSE),
    Tie("block{1..6}.projection.kernel", "blocks.{0..5}.projection.weight", TRANSPOSE),
    Tie("block{1..6}.up.kernel", "blocks.{0..5}.up.weight", TRANSPOSE),
    Tie("block{1..6}.down.kernel", "blocks.{0..5}.down.weight", TRANSPOSE),
    Tie("norm.scale", "norm.weight"),
]
