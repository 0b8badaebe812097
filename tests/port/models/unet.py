"""A small U-Net."""

import torch
from torch import nn
from torch.nn import functional as F


class Double(nn.Module):
    def __init__(self, before, behind):
        super().__init__()
        self.conv1 = nn.Conv2d(before, behind, 3, padding=1)
        self.norm1 = nn.GroupNorm(4, behind)
        self.conv2 = nn.Conv2d(behind, behind, 3, padding=1)
        self.norm2 = nn.BatchNorm2d(behind)

    def forward(self, x):
        x = F.silu(self.norm1(self.conv1(x)))
        return F.silu(self.norm2(self.conv2(x)))


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = Double(1, 8)
        self.middle = Double(8, 16)
        self.up = Double(24, 8)
        self.output = nn.Conv2d(8, 1, 1)

    def forward(self, images):
        first = self.down(images)
        second = self.middle(F.max_pool2d(first, 2))
        wide = F.interpolate(second, scale_factor=2, mode="nearest")
        return self.output(self.up(torch.cat([wide, first], dim=1)))
