"""deepar-monash in TensorFlow 2."""

from math import pi

import tensorflow as tf
from tensorflow.keras import layers

from rosetta_worker.optimizers.keras import Adam
from rosetta_worker.tensors import TRANSPOSE, Tie


class Model(tf.keras.Model):
    """Inputs (n, steps, 22) to degrees of freedom, location and width, (n, steps, 3)."""

    def __init__(self):
        super().__init__()
        self.lstm1 = layers.LSTM(40, return_sequences=True, return_state=True, unit_forget_bias=False)
        self.dropout = layers.Dropout(0.1)
        self.lstm2 = layers.LSTM(40, return_sequences=True, return_state=True, unit_forget_bias=False)
        self.logits = layers.Dense(3)  # Keras keeps the name `output` for itself
        self(tf.keras.Input((None, 22)))  # creates the weights, whose shapes follow from the input

    def call(self, steps, training=None):
        lags, features, counts = tf.split(steps, [16, 5, 1], 2)
        parameters, _ = self.unroll(lags, features, counts, scale_of(lags, counts), training=training)
        return parameters

    def unroll(self, lags, features, counts, scale, state=(None, None), training=None):
        """Continue from a state. Return the parameters of each step, and the state after the last."""
        x = tf.concat([lags / scale, features, tf.broadcast_to(tf.math.log(scale), tf.shape(counts))], 2)
        x, *first = self.lstm1(x, initial_state=state[0])
        x = self.dropout(x, training=training)
        x, *second = self.lstm2(x, initial_state=state[1])
        freedom, location, width = tf.split(self.logits(x), 3, 2)
        parameters = [2 + tf.nn.softplus(freedom), location * scale, tf.nn.softplus(width) * scale]
        return tf.concat(parameters, 2), (first, second)


def scale_of(lags, counts):
    total, count = tf.reduce_sum(counts * tf.abs(lags[..., :1]), 1, True), tf.reduce_sum(counts, 1, True)
    scale = total / tf.maximum(count, 1.0)
    return tf.where(scale > 0, scale, 1.0)


def sample(model, steps, lags, horizon, paths, seed):
    """Draw forecasts, (n, paths, horizon). A drawn value becomes an input again `lags` steps later."""
    known, _, counts = tf.split(steps, [16, 5, 1], 2)
    scale = scale_of(known, counts)
    _, state = model.unroll(*tf.split(steps[:, :-horizon], [16, 5, 1], 2), scale)
    state = tf.nest.map_structure(lambda one: tf.repeat(one, paths, 0), state)
    scale, future = tf.repeat(scale, paths, 0), tf.repeat(steps[:, -horizon:], paths, 0)
    drawn = tf.zeros((len(future), horizon))
    for step in tf.range(horizon):
        known, features, counts = tf.split(future[:, step, None], [16, 5, 1], 2)
        lagged = tf.where(lags <= step, tf.gather(drawn[:, None], tf.maximum(step - lags, 0), axis=2), known)
        parameters, state = model.unroll(lagged, features, counts, scale, state)
        value = student_t(*tf.unstack(parameters[:, 0], axis=1), tf.random.fold_in(seed, step))
        drawn = tf.where(tf.range(horizon) == step, value[:, None], drawn)
    return tf.reshape(drawn, (-1, paths, horizon))


def student_t(freedom, location, width, seed):
    one, other = tf.unstack(tf.random.split(seed))
    normal = tf.random.stateless_normal(tf.shape(freedom), one)
    gamma = tf.random.stateless_gamma(tf.shape(freedom), other, freedom / 2)
    return location + width * normal * tf.sqrt(freedom / 2 / gamma)


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
