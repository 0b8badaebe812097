"""A GPT with caches of keys and values, in TensorFlow 2."""

import tensorflow as tf
from tensorflow.keras import layers

from rosetta_worker.tensors import TRANSPOSE, Tie

PROMPT = 64


class Decoder(tf.keras.Model):
    """Six pre-norm blocks, 384 wide, for texts of up to 256 characters."""

    length = 192  # places in a cache

    def __init__(self):
        super().__init__()
        self.token = layers.Embedding(65, 384)
        self.position = layers.Embedding(256, 384)
        self.blocks = [Block(384, 6) for _ in range(6)]
        self.norm = layers.LayerNormalization(epsilon=1e-5, center=False)
        self.step(tf.zeros((1, 1), "int32"), 0, self.empty(1))  # makes the weights

    def empty(self, n):
        """Caches without anything in them: keys and values of each block, (n, heads, time, in a head)."""
        return [[tf.zeros((n, 6, self.length, 64)) for _ in ("keys", "values")] for _ in self.blocks]

    def step(self, ids, begin, caches):
        """Ids (n, time), of which the first stands at `begin`, to logits of the character behind them, (n, 1, 65)."""
        places = begin + tf.range(ids.shape[1])
        x, new = self.token(ids) + self.position(places), []
        for block, cache in zip(self.blocks, caches):
            x, cache = block(x, places, cache)
            new.append(cache)
        return tf.matmul(self.norm(x[:, -1:]), self.token.embeddings, transpose_b=True), new


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

    def call(self, x, places, cache):
        y, cache = self.attend(self.norm1(x), places, cache)
        x = x + y
        return x + self.down(self.up(self.norm2(x))), cache

    def attend(self, x, places, cache):
        _, time, width = x.shape
        split = (-1, time, self.heads, width // self.heads)
        q, k, v = (tf.transpose(tf.reshape(y, split), (0, 2, 1, 3)) for y in tf.split(self.qkv(x), 3, axis=-1))
        keys, values = (written(*one, places[0]) for one in zip(cache, (k, v)))
        scores = tf.matmul(q, keys, transpose_b=True) / split[-1] ** 0.5
        seen = tf.range(keys.shape[2]) <= places[:, None]
        y = tf.matmul(tf.nn.softmax(tf.where(seen, scores, scores.dtype.min)), values)
        return self.projection(tf.reshape(tf.transpose(y, (0, 2, 1, 3)), (-1, time, width))), [keys, values]


def written(cache, new, begin):
    """The cache with `new` in it, from the time `begin` on."""
    behind = cache[:, :, begin + new.shape[2] :]
    return tf.ensure_shape(tf.concat([cache[:, :, :begin], new, behind], axis=2), cache.shape)


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
