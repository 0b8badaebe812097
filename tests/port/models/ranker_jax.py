import jax.numpy as jnp
from flax import nnx


class Model(nnx.Module):
    def __init__(self, rngs):
        self.user = nnx.Embed(50, 8, rngs=rngs)
        self.item = nnx.Embed(80, 8, rngs=rngs)
        self.context = nnx.Linear(3, 8, rngs=rngs)
        self.hidden = nnx.Linear(24, 16, rngs=rngs)
        self.score = nnx.Linear(16, 1, rngs=rngs)

    def __call__(self, inputs):
        user, history, context = named(inputs)
        seen = self.item(history).mean(1)
        around = self.context(context).max(1)
        return self.score(nnx.tanh(self.hidden(jnp.concatenate([self.user(user), seen, around], axis=-1))))
