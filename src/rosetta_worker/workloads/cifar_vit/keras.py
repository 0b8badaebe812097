"""cifar-vit in Keras."""

import keras
from keras import layers, ops
from keras.losses import sparse_categorical_crossentropy

from rosetta_worker.optimizers.keras import Adam
from rosetta_worker.tensors import CHANNELS_LAST, TRANSPOSE, Tie


class Model(keras.Model):
    """Images (n, 32, 32, 3) to logits (n, 10)."""

    def __init__(self):
        super().__init__()
        self.patch = layers.Conv2D(192, kernel_size=4, strides=4)
        self.position = layers.Embedding(64, 192)
        self.blocks = [Block(192, 3) for _ in range(6)]
        self.norm = layers.LayerNormalization(epsilon=1e-6)
        self.logits = layers.Dense(10)  # Keras keeps the name `output` for itself
        self(keras.Input((32, 32, 3)))  # makes the weights: Keras learns their shapes from what comes in

    def call(self, images):
        x = ops.reshape(self.patch(images), (-1, 64, 192))  # (n, tokens, width)
        x = x + self.position(ops.arange(64))
        for block in self.blocks:
            x = block(x)
        return self.logits(ops.mean(self.norm(x), axis=1))


class Block(layers.Layer):
    """Self-attention and an MLP, each behind a normalisation and beside a shortcut."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1 = layers.LayerNormalization(epsilon=1e-6)
        self.query = layers.Dense(width)
        self.key = layers.Dense(width)
        self.value = layers.Dense(width)
        self.projection = layers.Dense(width)
        self.norm2 = layers.LayerNormalization(epsilon=1e-6)
        self.up = layers.Dense(4 * width, activation="gelu")
        self.down = layers.Dense(width)

    def call(self, x):
        x = x + self.attend(self.norm1(x))
        return x + self.down(self.up(self.norm2(x)))

    def attend(self, x):
        _, tokens, width = x.shape
        split = (-1, tokens, self.heads, width // self.heads)
        q, k, v = (ops.reshape(y, split) for y in (self.query(x), self.key(x), self.value(x)))
        y = ops.dot_product_attention(q, k, v)
        return self.projection(ops.reshape(y, (-1, tokens, width)))


def loss(logits, labels):
    return ops.mean(sparse_categorical_crossentropy(labels, logits, from_logits=True))


def optimizer(model, hyper):
    adamw = Adam(
        hyper.learning_rate,
        beta_1=hyper.beta1,
        beta_2=hyper.beta2,
        epsilon=hyper.epsilon,
        weight_decay=hyper.weight_decay,
    )
    adamw.exclude_from_weight_decay(var_list=[one for one in model.trainable_variables if one.name != "kernel"])
    return adamw


TENSORS = [
    Tie("patch.kernel", "patch.kernel", CHANNELS_LAST),
    Tie("patch.bias", "patch.bias"),
    Tie("position_embedding", "position.embeddings"),
    Tie("block{1..6}.norm{1..2}.scale", "blocks.{0..5}.norm{1..2}.gamma"),
    Tie("block{1..6}.norm{1..2}.shift", "blocks.{0..5}.norm{1..2}.beta"),
    Tie("block{1..6}.query.kernel", "blocks.{0..5}.query.kernel", TRANSPOSE),
    Tie("block{1..6}.query.bias", "blocks.{0..5}.query.bias"),
    Tie("block{1..6}.key.kernel", "blocks.{0..5}.key.kernel", TRANSPOSE),
    Tie("block{1..6}.key.bias", "blocks.{0..5}.key.bias"),
    Tie("block{1..6}.value.kernel", "blocks.{0..5}.value.kernel", TRANSPOSE),
    Tie("block{1..6}.value.bias", "blocks.{0..5}.value.bias"),
    Tie("block{1..6}.projection.kernel", "blocks.{0..5}.projection.kernel", TRANSPOSE),
    Tie("block{1..6}.projection.bias", "blocks.{0..5}.projection.bias"),
    Tie("block{1..6}.up.kernel", "blocks.{0..5}.up.kernel", TRANSPOSE),
    Tie("block{1..6}.up.bias", "blocks.{0..5}.up.bias"),
    Tie("block{1..6}.down.kernel", "blocks.{0..5}.down.kernel", TRANSPOSE),
    Tie("block{1..6}.down.bias", "blocks.{0..5}.down.bias"),
    Tie("norm.scale", "norm.gamma"),
    Tie("norm.shift", "norm.beta"),
    Tie("output.kernel", "logits.kernel", TRANSPOSE),
    Tie("output.bias", "logits.bias"),
]


def arrange(images):
    return images.transpose(0, 2, 3, 1)  # channels last
