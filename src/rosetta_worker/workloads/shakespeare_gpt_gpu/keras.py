"""shakespeare-gpt:gpu in Keras."""

import keras
from keras import layers, ops
from keras.losses import sparse_categorical_crossentropy

from rosetta_worker.optimizers.keras import Adam
from rosetta_worker.tensors import TRANSPOSE, Tie


class Model(keras.Model):
    """Character ids (n, 256) to logits (n, 256, 65)."""

    def __init__(self):
        super().__init__()
        self.token = layers.ReversibleEmbedding(65, 384)
        self.position = layers.Embedding(256, 384)
        self.dropout = layers.Dropout(0.2)
        self.blocks = [Block(384, 6, self.dropout) for _ in range(6)]
        self.norm = layers.LayerNormalization(epsilon=1e-5, center=False)
        self(keras.Input((256,), dtype="int32"))  # makes the weights: Keras learns their shapes from what comes in

    def call(self, ids, training=None):
        x = self.dropout(self.token(ids) + self.position(ops.arange(256)), training=training)
        for block in self.blocks:
            x = block(x, training=training)
        return self.token(self.norm(x), reverse=True)


class Block(layers.Layer):
    """Causal self-attention and an MLP, each behind a normalisation and beside a shortcut."""

    def __init__(self, width, heads, dropout):
        super().__init__()
        self.heads = heads
        self.norm1 = layers.LayerNormalization(epsilon=1e-5, center=False)
        self.qkv = layers.Dense(3 * width, use_bias=False)
        self.projection = layers.Dense(width, use_bias=False)
        self.norm2 = layers.LayerNormalization(epsilon=1e-5, center=False)
        self.up = layers.Dense(4 * width, activation="gelu", use_bias=False)
        self.down = layers.Dense(width, use_bias=False)
        self.dropout = dropout

    def call(self, x, training=None):
        x = x + self.dropout(self.attend(self.norm1(x), training), training=training)
        return x + self.dropout(self.down(self.up(self.norm2(x))), training=training)

    def attend(self, x, training):
        _, time, width = x.shape
        split = (-1, time, self.heads, width // self.heads)
        q, k, v = (ops.reshape(y, split) for y in ops.split(self.qkv(x), 3, axis=-1))
        scores = ops.einsum("nqhd,nkhd->nhqk", q, k) / split[-1] ** 0.5
        seen = ops.tril(ops.ones((time, time), "bool"))
        shares = ops.softmax(ops.where(seen, scores, -1e9))
        y = ops.einsum("nhqk,nkhd->nqhd", self.dropout(shares, training=training), v)
        return self.projection(ops.reshape(y, (-1, time, width)))


def loss(logits, labels):
    return ops.mean(sparse_categorical_crossentropy(labels, logits, from_logits=True))


def optimizer(model, hyper):
    adamw = Adam(
        hyper.learning_rate,
        beta_1=hyper.beta1,
        beta_2=hyper.beta2,
        epsilon=hyper.epsilon,
        weight_decay=hyper.weight_decay,
        global_clipnorm=hyper.clip_norm,
    )
    adamw.exclude_from_weight_decay(var_list=[one for one in model.trainable_variables if len(one.shape) == 1])
    return adamw


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
