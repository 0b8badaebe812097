"""cifar-vit as formulas, on JAX arrays."""

from jax import numpy as jnp
from jax.scipy.special import erf, logsumexp


def forward(w, images):
    pixels = images.reshape(-1, 3, 8, 4, 8, 4)  # a row of the image is a row of patches, and one in them
    tokens = jnp.einsum("ncaibj,ocij->nabo", pixels, w["patch.kernel"]).reshape(-1, 64, 192)
    x = tokens + w["patch.bias"] + w["position_embedding"]
    for block in ("block1", "block2", "block3", "block4", "block5", "block6"):
        normal = layer_norm(x, w, block + ".norm1")
        q, k, v = (by_heads(normal, w, f"{block}.{one}") for one in ("query", "key", "value"))
        scores = jnp.einsum("nqhd,nkhd->nhqk", q, k) / 8
        shares = jnp.exp(scores - logsumexp(scores, axis=3, keepdims=True))
        heads = jnp.einsum("nhqk,nkhd->nqhd", shares, v)
        x = x + jnp.einsum("nqhd,ohd->nqo", heads, w[block + ".projection.kernel"].reshape(192, 3, 64))
        x = x + w[block + ".projection.bias"]
        inner = dense(layer_norm(x, w, block + ".norm2"), w, block + ".up")
        x = x + dense(0.5 * inner * (1 + erf(inner * 0.5**0.5)), w, block + ".down")
    return dense(layer_norm(x, w, "norm").mean(1), w, "output")


def by_heads(x, w, name):
    kernel, bias = w[name + ".kernel"].reshape(3, 64, 192), w[name + ".bias"].reshape(3, 64)
    return jnp.einsum("ntc,hdc->nthd", x, kernel) + bias


def dense(x, w, name):
    return jnp.einsum("...c,oc->...o", x, w[name + ".kernel"]) + w[name + ".bias"]


def layer_norm(x, w, name):
    normal = (x - x.mean(-1, keepdims=True)) / jnp.sqrt(x.var(-1, keepdims=True) + 1e-6)
    return w[name + ".scale"] * normal + w[name + ".shift"]
