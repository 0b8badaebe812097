"""gpt-decode in JAX."""

import jax
from jax import numpy as jnp

from rosetta_worker.layers.gpt.jax import PROMPT, TENSORS, Decoder  # noqa: F401


class Model(Decoder):
    """Character ids (n, 64) to the logits of each of the 128 characters that follow, (n, 128, 65)."""

    def __call__(self, ids):
        def follow(state, time):
            logits, caches = state
            logits, caches = self.step(logits.argmax(-1), time, caches)
            return (logits, caches), logits[:, 0]

        first, caches = self.step(ids, 0, self.empty(len(ids)))
        _, logits = jax.lax.scan(follow, (first, caches), jnp.arange(PROMPT, self.length - 1))
        return jnp.concatenate([first, logits.swapaxes(0, 1)], axis=1)
