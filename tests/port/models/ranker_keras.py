import keras
from keras import ops


class Model(keras.Model):
    def __init__(self):
        super().__init__()
        self.user = keras.layers.Embedding(50, 8)
        self.item = keras.layers.Embedding(80, 8)
        self.context = keras.layers.Dense(8)
        self.hidden = keras.layers.Dense(16, activation="tanh")
        self.score = keras.layers.Dense(1)
        self(keras.Input((12,)))

    def call(self, inputs):
        user, history, context = named(inputs)
        seen = ops.mean(self.item(history), axis=1)
        around = ops.max(self.context(context), axis=1)
        return self.score(self.hidden(ops.concatenate([self.user(user), seen, around], axis=-1)))
