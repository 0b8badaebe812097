import tensorflow as tf


class Model(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.user = tf.keras.layers.Embedding(50, 8)
        self.item = tf.keras.layers.Embedding(80, 8)
        self.context = tf.keras.layers.Dense(8)
        self.hidden = tf.keras.layers.Dense(16, activation="tanh")
        self.score = tf.keras.layers.Dense(1)
        self(tf.keras.Input((12,)))

    def call(self, inputs):
        user, history, context = named(inputs)
        seen = tf.reduce_mean(self.item(history), axis=1)
        around = tf.reduce_max(self.context(context), axis=1)
        return self.score(self.hidden(tf.concat([self.user(user), seen, around], axis=-1)))
