"""shakespeare-gpt in Keras."""

import keras
from keras import layers, ops
from keras.losses import sparse_categorical_crossentropy

from rosetta_worker.optimizers.keras import Adam
from rosetta_worker.tensors import TRANSPOSE, Tie


class Model(keras.Model):
    """Character ids (n, 64) to logits (n, 64, 65)."""

    def __init__(self):
        super().__init__()
        self.token = layers.ReversibleEmbedding(65, 128)
        self.position = layers.Embedding(64, 128)
        self.blocks = [Block(128, 4) for _ in range(4)]
        self.norm = layers.LayerNormalization(epsilon=1e-5, center=False)
        self(keras.Input((64,), dtype="int32"))  # makes the weights: Keras learns their shapes from what comes in

    def call(self, ids):
        x = self.token(ids) + self.position(ops.arange(64))
        for block in self.blocks:
            x = block(x)
        return self.token(self.norm(x), reverse=True)


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

    def call(self, x):
        x = x + self.attend(self.norm1(x))
        return x + self.down(self.up(self.norm2(x)))

    def attend(self, x):
        _, time, width = x.shape
        split = (-1, time, self.heads, width // self.heads)
        q, k, v = (ops.reshape(y, split) for y in ops.split(self.qkv(x), 3, axis=-1))
        y = ops.dot_product_attention(q, k, v, is_causal=True)
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
    Tie("block{1..4}.norm{1..2}.scale", "blocks.{0..3}.norm{1..2}.gamma"),
    Tie("block{1..4}.qkv.kernel", "blocks.{0..3}.qkv.kernel", TRANSPOSE),
    Tie("block{1..4}.projection.kernel", "blocks.{0..3}.projection.kernel", TRANSPOSE),
    Tie("block{1..4}.up.kernel", "blocks.{0..3}.up.kernel", TRANSPOSE),
    Tie("block{1..4}.down.kernel", "blocks.{0..3}.down.kernel", TRANSPOSE),
    Tie("norm.scale", "norm.gamma"),
]
