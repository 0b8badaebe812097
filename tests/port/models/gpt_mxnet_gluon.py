from mxnet.gluon import nn


class Block(gluon.HybridBlock):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1 = nn.LayerNorm(in_channels=width)
        self.qkv = nn.Dense(3 * width, flatten=False, in_units=width)
        self.out = nn.Dense(width, flatten=False, in_units=width)
        self.norm2 = nn.LayerNorm(in_channels=width)
        self.up = nn.Dense(4 * width, flatten=False, in_units=width)
        self.down = nn.Dense(width, flatten=False, in_units=4 * width)

    def forward(self, x):
        n, t, c = x.shape
        heads = self.qkv(self.norm1(x)).reshape((n, t, 3, self.heads, c // self.heads)).transpose((2, 0, 3, 1, 4))
        q, k, v = (heads[part].reshape((-3, 0, 0)) for part in range(3))
        scores = nd.batch_dot(q, k, transpose_b=True) / (c // self.heads) ** 0.5
        seen = nd.arange(t).reshape((1, -1, 1)) >= nd.arange(t).reshape((1, 1, -1))
        scores = nd.where(nd.broadcast_like(seen, scores), scores, nd.full(scores.shape, -1e9))
        y = nd.batch_dot(nd.softmax(scores), v).reshape((n, self.heads, t, -1)).transpose((0, 2, 1, 3))
        x = x + self.out(y.reshape((n, t, c)))
        return x + self.down(nd.LeakyReLU(self.up(self.norm2(x)), act_type="gelu"))


class Model(gluon.HybridBlock):
    """Inputs (n, 16) to outputs (n, 16, 65)."""

    def __init__(self):
        super().__init__()
        self.token = nn.Embedding(65, 32)
        self.position = nn.Embedding(16, 32)
        self.blocks = nn.HybridSequential()
        self.blocks.add(Block(32, 4), Block(32, 4))
        self.norm = nn.LayerNorm(in_channels=32)

    def forward(self, ids):
        x = self.blocks(self.token(ids) + self.position(nd.arange(16)))
        return nd.dot(self.norm(x), self.token.weight.data(), transpose_b=True)
