"""Layers of MXNet that its Gluon lacks."""

from mxnet.gluon import nn


class GroupNorm(nn.GroupNorm):
    """Gluon's own, which scales and shifts each group as a whole, with a scale and a shift for each channel.

    That is the layer of Wu and He (2018), "Group normalization": docs/findings.md.
    """

    def __init__(self, num_groups, in_channels, epsilon):
        super().__init__(num_groups, epsilon, center=False, scale=False)
        self.scale = self.params.get("scale", shape=(in_channels,), init="ones")
        self.shift = self.params.get("shift", shape=(in_channels,), init="zeros")

    def hybrid_forward(self, F, x, gamma, beta, scale, shift):
        y = super().hybrid_forward(F, x, gamma, beta)
        y = F.broadcast_mul(y, scale.reshape((1, -1, 1, 1)))
        return F.broadcast_add(y, shift.reshape((1, -1, 1, 1)))
