"""deepar-monash in TensorFlow 2."""

from math import pi

import tensorflow as tf
from tensorflow.keras import layers

from rosetta_worker.optimizers.keras import Adam
from rosetta_worker.tensors import TRANSPOSE, Tie


class Model(tf.keras.Model):
    """What is shown in each step, (n, steps, 22), to freedom, location and width, (n, steps, 3)."""

    def __init__(self):
        super().__init__()
        self.lstm1 = layers.LSTM(40, return_sequences=True, unit_forget_bias=False)
        self.dropout = layers.Dropout(0.1)
        self.lstm2 = layers.LSTM(40, return_sequences=True, unit_forget_bias=False)
        self.logits = layers.Dense(3)  # Keras keeps the name `output` for itself
        self(tf.keras.Input((None, 22)))  # makes the weights: Keras learns their shapes from what comes in

    def call(self, steps, training=None):
        lags, features, counts = tf.split(steps, [16, 5, 1], 2)
        total, count = tf.reduce_sum(counts * tf.abs(lags[..., :1]), 1, True), tf.reduce_sum(counts, 1, True)
        scale = total / tf.maximum(count, 1.0)
        scale = tf.where(scale > 0, scale, 1.0)
        x = tf.concat([lags / scale, features, tf.broadcast_to(tf.math.log(scale), tf.shape(counts))], 2)
        x = self.lstm1(x)
        x = self.dropout(x, training=training)
        x = self.lstm2(x)
        freedom, location, width = tf.split(self.logits(x), 3, 2)
        return tf.concat([2 + tf.nn.softplus(freedom), location * scale, tf.nn.softplus(width) * scale], 2)


def loss(logits, labels):
    freedom, location, width = tf.unstack(logits, axis=2)
    values, weights = tf.unstack(labels, axis=2)
    half = (freedom + 1) / 2
    constant = tf.math.lgamma(half) - tf.math.lgamma(freedom / 2) - tf.math.log(freedom * pi) / 2 - tf.math.log(width)
    likelihood = constant - half * tf.math.log1p(tf.square((values - location) / width) / freedom)
    return -tf.reduce_sum(weights * likelihood) / tf.maximum(tf.reduce_sum(weights), 1.0)


def optimizer(model, hyper):
    return Adam(
        hyper.learning_rate,
        beta_1=hyper.beta1,
        beta_2=hyper.beta2,
        epsilon=hyper.epsilon,
        penalty=hyper.weight_decay,  # Keras' own weight_decay is decoupled
    )


TENSORS = [
    Tie("lstm1.kernel", "lstm1.cell.kernel", TRANSPOSE),  # gates: input, forget, cell, output, as in the canonical form
    Tie("lstm1.recurrent_kernel", "lstm1.cell.recurrent_kernel", TRANSPOSE),
    Tie("lstm1.bias", "lstm1.cell.bias"),
    Tie("lstm2.kernel", "lstm2.cell.kernel", TRANSPOSE),
    Tie("lstm2.recurrent_kernel", "lstm2.cell.recurrent_kernel", TRANSPOSE),
    Tie("lstm2.bias", "lstm2.cell.bias"),
    Tie("output.kernel", "logits.kernel", TRANSPOSE),
    Tie("output.bias", "logits.bias"),
]
