"""gpt-decode as formulas, on JAX arrays: one array of keys and values, filled place by place."""

import jax
from jax import numpy as jnp

from rosetta_worker.layers.gpt.reference_jax import PROMPT, transform


def forward(w, ids, length=192):
    """Every place is one step of a scan, those of the prompt too: its characters are given, the others are chosen."""
    given = jnp.pad(ids.astype(int), ((0, 0), (0, length - 1 - PROMPT)))

    def step(state, place):
        known, chosen = state
        logits, known = transform(w, jnp.where(place < PROMPT, given[:, place], chosen), place, known)
        return (known, logits.argmax(1)), logits

    empty = jnp.zeros((6, 2, len(ids), 6, length, 64), w["token_embedding"].dtype)
    _, logits = jax.lax.scan(step, (empty, given[:, 0]), jnp.arange(length - 1))
    return logits[PROMPT - 1 :].swapaxes(0, 1)
