"""A GPT with caches of keys and values, in Keras."""

import keras
from keras import layers, ops

from rosetta_worker.tensors import TRANSPOSE, Tie

PROMPT = 64


class Decoder(keras.Model):
    """Six pre-norm blocks, 384 wide, for texts of up to 256 characters."""

    length = 192  # places in a cache

    def __init__(self):
        super().__init__()
        self.token = layers.ReversibleEmbedding(65, 384)
        self.position = layers.Embedding(256, 384)
        self.blocks = [Block(384, 6) for _ in range(6)]
        self.norm = layers.LayerNormalization(epsilon=1e-5, center=False)
        self.step(ops.zeros((1, 1), "int32"), 0, self.empty(1))  # makes the weights

    def empty(self, n):
        """Caches without anything in them: keys and values of each block, (n, time, heads, in a head)."""
        return [[ops.zeros((n, self.length, 6, 64)) for _ in ("keys", "values")] for _ in self.blocks]

    def step(self, ids, begin, caches):
        """Ids (n, time), of which the first stands at `begin`, to logits of the character behind them, (n, 1, 65)."""
        places = begin + ops.arange(ids.shape[1])
        seen = (ops.arange(self.length) <= places[:, None])[None, None]
        x, new = self.token(ids) + self.position(places), []
        for block, cache in zip(self.blocks, caches):
            x, cache = block(x, cache, begin=begin, seen=seen)
            new.append(cache)
        return self.token(self.norm(x[:, -1:]), reverse=True), new


class Block(layers.Layer):
    """Causal self-attention and an MLP, each behind a normalisation and beside a shortcut."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1 = layers.LayerNormalization(epsilon=1e-5, center=False)
        self.qkv = layers.Dense(3 * width, use_bias=False)
        self.projection = layers.Dense(width, use_bias=False)
        self.norm2 = layers.LayerNormalization(epsilon=1e-5, center=False)
        self.up = layers.Dense(4 * width, activation="gelu", use_bias=False)
        self.down = layers.Dense(width, use_bias=False)

    def call(self, x, cache, begin, seen):
        y, cache = self.attend(self.norm1(x), cache, begin, seen)
        x = x + y
        return x + self.down(self.up(self.norm2(x))), cache

    def attend(self, x, cache, begin, seen):
        _, time, width = x.shape
        qkv = ops.reshape(self.qkv(x), (-1, time, 3, self.heads, width // self.heads))
        q, k, v = (qkv[:, :, one] for one in range(3))
        keys, values = (ops.slice_update(one, (0, begin, 0, 0), new) for one, new in zip(cache, (k, v)))
        y = ops.dot_product_attention(q, keys, values, mask=seen)
        return self.projection(ops.reshape(y, (-1, time, width))), [keys, values]


TENSORS = [
    Tie("token_embedding", "token.embeddings"),
    Tie("position_embedding", "position.embeddings"),
    Tie("block{1..6}.norm{1..2}.scale", "blocks.{0..5}.norm{1..2}.gamma"),
    Tie("block{1..6}.qkv.kernel", "blocks.{0..5}.qkv.kernel", TRANSPOSE),
    Tie("block{1..6}.projection.kernel", "blocks.{0..5}.projection.kernel", TRANSPOSE),
    Tie("block{1..6}.up.kernel", "blocks.{0..5}.up.kernel", TRANSPOSE),
    Tie("block{1..6}.down.kernel", "blocks.{0..5}.down.kernel", TRANSPOSE),
    Tie("norm.scale", "norm.gamma"),
]
