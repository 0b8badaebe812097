"""fashion-diffusion as formulas, on JAX arrays."""

from jax import lax
from jax import numpy as jnp
from jax.nn import sigmoid
from jax.scipy.special import logsumexp


def forward(w, inputs):
    noisy, step = jnp.split(inputs, [784], axis=1)
    rates = jnp.exp(-jnp.log(10000.0) * jnp.linspace(0, 1, 64, dtype=inputs.dtype))
    waves = jnp.concatenate([jnp.sin(step * rates), jnp.cos(step * rates)], axis=1)
    hidden = dense(waves, w, "time1")
    embedding = dense(hidden * sigmoid(hidden), w, "time2")

    kept = [convolution(noisy.reshape(-1, 1, 28, 28), w, "stem")]
    for name in ("block1", "block2"):
        kept.append(residual(kept[-1], embedding, w, name))
    x = convolution(kept[-1], w, "down", strides=2, border=((0, 1), (0, 1)))
    x = residual(x, embedding, w, "block3")
    x = residual(x + attention(x, w), embedding, w, "block4")
    x = convolution(jnp.kron(x, jnp.ones((1, 1, 2, 2), x.dtype)), w, "up")
    for name in ("block5", "block6"):
        x = residual(jnp.concatenate([x, kept.pop()], axis=1), embedding, w, name)
    return convolution(activated(x, w, "norm"), w, "out").reshape(-1, 784)


def loss(outputs, noise):
    return jnp.square(outputs - noise).mean()


def residual(x, embedding, w, name):
    inner = convolution(activated(x, w, name + ".norm1"), w, name + ".conv1")
    inner += dense(embedding * sigmoid(embedding), w, name + ".time")[:, :, None, None]
    inner = convolution(activated(inner, w, name + ".norm2"), w, name + ".conv2")
    if name + ".shortcut.kernel" in w:
        x = convolution(x, w, name + ".shortcut", border=((0, 0), (0, 0)))
    return x + inner


def attention(x, w):
    normal = group_norm(x, w, "attention.norm")
    q, k, v = (by_heads(normal, w, "attention." + one) for one in ("query", "key", "value"))
    scores = jnp.einsum("nhdq,nhdk->nhqk", q, k) * 8**-0.5
    shares = jnp.exp(scores - logsumexp(scores, axis=3, keepdims=True))
    heads = jnp.einsum("nhqk,nhdk->nhdq", shares, v).reshape(x.shape)
    out = jnp.einsum("nchw,oc->nohw", heads, w["attention.projection.kernel"])
    return out + w["attention.projection.bias"][:, None, None]


def by_heads(x, w, name):
    out = jnp.einsum("nchw,oc->nohw", x, w[name + ".kernel"]) + w[name + ".bias"][:, None, None]
    return out.reshape(-1, 4, 8, 196)


def activated(x, w, name):
    normal = group_norm(x, w, name)
    return normal * sigmoid(normal)


def group_norm(x, w, name):
    n, channels, height, width = x.shape
    groups = x.reshape(n, 8, channels // 8, height, width)
    mean, variance = groups.mean((2, 3, 4), keepdims=True), groups.var((2, 3, 4), keepdims=True)
    normal = ((groups - mean) / jnp.sqrt(variance + 1e-6)).reshape(x.shape)
    return normal * w[name + ".scale"][:, None, None] + w[name + ".shift"][:, None, None]


def dense(x, w, name):
    return jnp.einsum("ni,oi->no", x, w[name + ".kernel"]) + w[name + ".bias"]


def convolution(x, w, name, strides=1, border=((1, 1), (1, 1))):
    out = lax.conv_general_dilated(x, w[name + ".kernel"], (strides, strides), border)
    return out + w[name + ".bias"][:, None, None]
