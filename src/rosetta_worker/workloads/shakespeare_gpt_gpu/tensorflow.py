"""shakespeare-gpt:gpu in TensorFlow 2."""

import tensorflow as tf
from tensorflow.keras import layers

from rosetta_worker.optimizers.keras import Adam
from rosetta_worker.tensors import TRANSPOSE, Tie


class Model(tf.keras.Model):
    """Character ids (n, 256) to logits (n, 256, 65)."""

    def __init__(self):
        super().__init__()
        self.token = layers.Embedding(65, 384)
        self.position = layers.Embedding(256, 384)
        self.dropout = layers.Dropout(0.2)
        self.blocks = [Block(384, 6, self.dropout) for _ in range(6)]
        self.norm = layers.LayerNormalization(epsilon=1e-5, center=False)
        self(tf.keras.Input((256,), dtype="int32"))  # makes the weights: Keras learns their shapes from what comes in

    def call(self, ids, training=None):
        x = self.dropout(self.token(ids) + self.position(tf.range(256)), training=training)
        for block in self.blocks:
            x = block(x, training=training)
        return tf.matmul(self.norm(x), self.token.embeddings, transpose_b=True)


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
        q, k, v = (tf.transpose(tf.reshape(y, split), (0, 2, 1, 3)) for y in tf.split(self.qkv(x), 3, axis=-1))
        scores = tf.matmul(q, k, transpose_b=True) / split[-1] ** 0.5
        seen = tf.linalg.band_part(tf.ones((time, time), "bool"), -1, 0)
        shares = tf.nn.softmax(tf.where(seen, scores, scores.dtype.min))
        y = tf.matmul(self.dropout(shares, training=training), v)
        return self.projection(tf.reshape(tf.transpose(y, (0, 2, 1, 3)), (-1, time, width)))


def loss(logits, labels):
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))


def optimizer(model, hyper):
    adamw = Adam(
        hyper.learning_rate,
        beta_1=hyper.beta1,
        beta_2=hyper.beta2,
        epsilon=hyper.epsilon,
        weight_decay=hyper.weight_decay,
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
