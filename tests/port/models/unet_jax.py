import jax.numpy as jnp
from flax import nnx


class Double(nnx.Module):
    def __init__(self, before, behind, rngs):
        self.conv1 = nnx.Conv(before, behind, (3, 3), padding=1, rngs=rngs)
        self.norm1 = nnx.GroupNorm(behind, num_groups=4, epsilon=1e-5, rngs=rngs)
        self.conv2 = nnx.Conv(behind, behind, (3, 3), padding=1, rngs=rngs)
        self.norm2 = nnx.BatchNorm(behind, momentum=0.9, epsilon=1e-5, rngs=rngs)

    def __call__(self, x):
        x = nnx.silu(self.norm1(self.conv1(x)))
        return nnx.silu(self.norm2(self.conv2(x)))


class Model(nnx.Module):
    def __init__(self, rngs):
        self.down = Double(1, 8, rngs)
        self.middle = Double(8, 16, rngs)
        self.up = Double(24, 8, rngs)
        self.output = nnx.Conv(8, 1, (1, 1), rngs=rngs)

    def __call__(self, images):
        first = self.down(images)
        second = self.middle(nnx.max_pool(first, (2, 2), (2, 2)))
        wide = second.repeat(2, axis=1).repeat(2, axis=2)
        return self.output(self.up(jnp.concatenate([wide, first], axis=-1))).transpose(0, 3, 1, 2)


def arrange(images):
    return images.transpose(0, 2, 3, 1)
