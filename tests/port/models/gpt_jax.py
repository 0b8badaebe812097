import jax
import jax.numpy as jnp
from flax import nnx


class Block(nnx.Module):
    def __init__(self, width, heads, rngs):
        self.heads = heads
        self.norm1 = nnx.LayerNorm(width, epsilon=1e-5, rngs=rngs)
        self.qkv = nnx.Linear(width, 3 * width, rngs=rngs)
        self.out = nnx.Linear(width, width, rngs=rngs)
        self.norm2 = nnx.LayerNorm(width, epsilon=1e-5, rngs=rngs)
        self.up = nnx.Linear(width, 4 * width, rngs=rngs)
        self.down = nnx.Linear(4 * width, width, rngs=rngs)

    def __call__(self, x):
        n, t, c = x.shape
        q, k, v = jnp.split(self.qkv(self.norm1(x)), 3, axis=-1)
        q, k, v = (y.reshape(n, t, self.heads, c // self.heads) for y in (q, k, v))
        y = jax.nn.dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(y.reshape(n, t, c))
        return x + self.down(jax.nn.gelu(self.up(self.norm2(x)), approximate=False))


class Model(nnx.Module):
    """Inputs (n, 16) to outputs (n, 16, 65)."""

    def __init__(self, rngs):
        self.token = nnx.Embed(65, 32, rngs=rngs)
        self.position = nnx.Embed(16, 32, rngs=rngs)
        self.blocks = nnx.List([Block(32, 4, rngs) for _ in range(2)])
        self.norm = nnx.LayerNorm(32, epsilon=1e-5, rngs=rngs)

    def __call__(self, ids):
        x = self.token(ids) + self.position(jnp.arange(ids.shape[1]))
        for block in self.blocks:
            x = block(x)
        return self.token.attend(self.norm(x))
