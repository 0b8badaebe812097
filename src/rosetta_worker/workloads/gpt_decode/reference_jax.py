"""gpt-decode as formulas, on JAX arrays: one array of keys and values, filled place by place."""

import jax
from jax import numpy as jnp

from rosetta_worker.layers.gpt.reference_jax import LENGTH, PROMPT, transform


def forward(w, ids):
    """Every place is one step of a scan, those of the prompt too: its characters are given, the others are chosen."""
    given = jnp.pad(ids.astype(int), ((0, 0), (0, LENGTH - 1 - PROMPT)))

    def step(state, place):
        known, chosen = state
        logits, known = transform(w, jnp.where(place < PROMPT, given[:, place], chosen), place, known)
        return (known, logits.argmax(1)), logits

    empty = jnp.zeros((6, 2, len(ids), 6, LENGTH, 64), w["token_embedding"].dtype)
    _, logits = jax.lax.scan(step, (empty, given[:, 0]), jnp.arange(LENGTH - 1))
    return logits[PROMPT - 1 :].swapaxes(0, 1)
