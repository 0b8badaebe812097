"""cifar-vit in PaddlePaddle."""

from paddle import nn
from paddle.nn import functional as F
from paddle.optimizer import AdamW

from rosetta_worker.tensors import TRANSPOSE, Tie


class Model(nn.Layer):
    """Images (n, 3, 32, 32) to logits (n, 10)."""

    def __init__(self):
        super().__init__()
        self.patch = nn.Conv2D(3, 192, kernel_size=4, stride=4)
        self.position = nn.Embedding(64, 192)
        self.blocks = nn.LayerList(Block(192, 3) for _ in range(6))
        self.norm = nn.LayerNorm(192, epsilon=1e-6)
        self.output = nn.Linear(192, 10)

    def forward(self, images):
        x = self.patch(images).flatten(2).transpose([0, 2, 1])  # (n, tokens, width)
        x = x + self.position.weight
        for block in self.blocks:
            x = block(x)
        return self.output(self.norm(x).mean(1))


class Block(nn.Layer):
    """Self-attention and an MLP, each behind a normalisation and beside a shortcut."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1 = nn.LayerNorm(width, epsilon=1e-6)
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.projection = nn.Linear(width, width)
        self.norm2 = nn.LayerNorm(width, epsilon=1e-6)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)

    def forward(self, x):
        x = x + self.attend(self.norm1(x))
        return x + self.down(F.gelu(self.up(self.norm2(x))))

    def attend(self, x):
        q, k, v = self.query(x), self.key(x), self.value(x)
        q, k, v = (y.unflatten(-1, (self.heads, -1)) for y in (q, k, v))  # (n, tokens, heads, in one)
        y = F.scaled_dot_product_attention(q, k, v)
        return self.projection(y.flatten(2))


def loss(logits, labels):
    return F.cross_entropy(logits, labels)


def optimizer(model, hyper):
    kernels = {one.name for one in model.parameters() if one.ndim > 1 and one is not model.position.weight}
    return AdamW(
        hyper.learning_rate, hyper.beta1, hyper.beta2, hyper.epsilon, model.parameters(), hyper.weight_decay,
        apply_decay_param_fun=kernels.__contains__,
    )  # fmt: skip


TENSORS = [
    Tie("patch.kernel", "patch.weight"),
    Tie("patch.bias", "patch.bias"),
    Tie("position_embedding", "position.weight"),
    Tie("block{1..6}.norm{1..2}.scale", "blocks.{0..5}.norm{1..2}.weight"),
    Tie("block{1..6}.norm{1..2}.shift", "blocks.{0..5}.norm{1..2}.bias"),
    Tie("block{1..6}.query.kernel", "blocks.{0..5}.query.weight", TRANSPOSE),
    Tie("block{1..6}.query.bias", "blocks.{0..5}.query.bias"),
    Tie("block{1..6}.key.kernel", "blocks.{0..5}.key.weight", TRANSPOSE),
    Tie("block{1..6}.key.bias", "blocks.{0..5}.key.bias"),
    Tie("block{1..6}.value.kernel", "blocks.{0..5}.value.weight", TRANSPOSE),
    Tie("block{1..6}.value.bias", "blocks.{0..5}.value.bias"),
    Tie("block{1..6}.projection.kernel", "blocks.{0..5}.projection.weight", TRANSPOSE),
    Tie("block{1..6}.projection.bias", "blocks.{0..5}.projection.bias"),
    Tie("block{1..6}.up.kernel", "blocks.{0..5}.up.weight", TRANSPOSE),
    Tie("block{1..6}.up.bias", "blocks.{0..5}.up.bias"),
    Tie("block{1..6}.down.kernel", "blocks.{0..5}.down.weight", TRANSPOSE),
    Tie("block{1..6}.down.bias", "blocks.{0..5}.down.bias"),
    Tie("norm.scale", "norm.weight"),
    Tie("norm.shift", "norm.bias"),
    Tie("output.kernel", "output.weight", TRANSPOSE),
    Tie("output.bias", "output.bias"),
]
