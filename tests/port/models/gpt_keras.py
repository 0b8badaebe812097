from keras import layers


class Block(layers.Layer):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1 = layers.LayerNormalization(epsilon=1e-5)
        self.qkv = layers.Dense(3 * width)
        self.out = layers.Dense(width)
        self.norm2 = layers.LayerNormalization(epsilon=1e-5)
        self.up = layers.Dense(4 * width, activation="gelu")
        self.down = layers.Dense(width)

    def call(self, x):
        _, t, c = x.shape
        q, k, v = (
            ops.reshape(y, (-1, t, self.heads, c // self.heads)) for y in ops.split(self.qkv(self.norm1(x)), 3, -1)
        )
        scores = ops.einsum("nqhd,nkhd->nhqk", q, k) / (c // self.heads) ** 0.5
        scores = ops.where(ops.tril(ops.ones((t, t), "bool")), scores, -1e9)
        y = ops.einsum("nhqk,nkhd->nqhd", ops.softmax(scores), v)
        x = x + self.out(ops.reshape(y, (-1, t, c)))
        return x + self.down(self.up(self.norm2(x)))


class Model(keras.Model):
    """Inputs (n, 16) to outputs (n, 16, 65)."""

    def __init__(self):
        super().__init__()
        self.token = layers.Embedding(65, 32)
        self.position = layers.Embedding(16, 32)
        self.blocks = [Block(32, 4) for _ in range(2)]
        self.norm = layers.LayerNormalization(epsilon=1e-5)
        self(keras.Input((16,), dtype="int32"))

    def call(self, ids):
        x = self.token(ids) + self.position(ops.arange(16))
        for block in self.blocks:
            x = block(x)
        return ops.matmul(self.norm(x), ops.transpose(self.token.embeddings))
