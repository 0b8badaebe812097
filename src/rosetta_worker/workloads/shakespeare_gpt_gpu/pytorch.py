"""shakespeare-gpt:gpu in PyTorch."""

from torch import nn
from torch.nn import functional as F
from torch.optim import AdamW

from rosetta_worker.tensors import Tie


class Model(nn.Module):
    """Character ids (n, 256) to logits (n, 256, 65)."""

    def __init__(self):
        super().__init__()
        self.token = nn.Embedding(65, 384)
        self.position = nn.Embedding(256, 384)
        self.dropout = nn.Dropout(0.2)
        self.blocks = nn.ModuleList(Block(384, 6, self.dropout) for _ in range(6))
        self.norm = nn.LayerNorm(384, eps=1e-5, bias=False)

    def forward(self, ids):
        x = self.dropout(self.token(ids) + self.position.weight)
        for block in self.blocks:
            x = block(x)
        return F.linear(self.norm(x), self.token.weight)


class Block(nn.Module):
    """Causal self-attention and an MLP, each behind a normalisation and beside a shortcut."""

    def __init__(self, width, heads, dropout):
        super().__init__()
        self.heads = heads
        self.norm1 = nn.LayerNorm(width, eps=1e-5, bias=False)
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.projection = nn.Linear(width, width, bias=False)
        self.norm2 = nn.LayerNorm(width, eps=1e-5, bias=False)
        self.up = nn.Linear(width, 4 * width, bias=False)
        self.down = nn.Linear(4 * width, width, bias=False)
        self.dropout = dropout

    def forward(self, x):
        x = x + self.dropout(self.attend(self.norm1(x)))
        return x + self.dropout(self.down(F.gelu(self.up(self.norm2(x)))))

    def attend(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q, k, v = (y.unflatten(-1, (self.heads, -1)).transpose(1, 2) for y in (q, k, v))  # (n, heads, time, in a head)
        dropped = self.dropout.p if self.training else 0.0
        y = F.scaled_dot_product_attention(q, k, v, dropout_p=dropped, is_causal=True)
        return self.projection(y.transpose(1, 2).flatten(2))


def loss(logits, labels):
    return F.cross_entropy(logits.flatten(0, 1), labels.flatten())


def optimizer(model, hyper):
    kernels = [one for one in model.parameters() if one.dim() > 1]
    scales = [one for one in model.parameters() if one.dim() == 1]
    groups = [{"params": kernels, "weight_decay": hyper.weight_decay}, {"params": scales, "weight_decay": 0.0}]
    return AdamW(groups, lr=hyper.learning_rate, betas=(hyper.beta1, hyper.beta2), eps=hyper.epsilon)


TENSORS = [
    Tie("token_embedding", "token.weight"),
    Tie("position_embedding", "position.weight"),
    Tie("block{1..6}.norm{1..2}.scale", "blocks.{0..5}.norm{1..2}.weight"),
    Tie("block{1..6}.qkv.kernel", "blocks.{0..5}.qkv.weight"),
    Tie("block{1..6}.projection.kernel", "blocks.{0..5}.projection.weight"),
    Tie("block{1..6}.up.kernel", "blocks.{0..5}.up.weight"),
    Tie("block{1..6}.down.kernel", "blocks.{0..5}.down.weight"),
    Tie("norm.scale", "norm.weight"),
]
