"""deepar-monash as formulas, on PyTorch arrays."""

from math import log, pi

import torch


def forward(w, steps):
    lags, features, counts = steps[..., :16], steps[..., 16:21], steps[..., 21]
    seen = (counts * lags[..., 0].abs()).sum(1) / counts.sum(1).clamp(min=1)
    scale = torch.where(seen > 0, seen, 1)[:, None, None]  # (n, 1, 1)
    x = torch.cat([lags / scale, features, torch.log(scale).expand(lags.shape[:2] + (1,))], 2)
    x = lstm(x, w["lstm1.kernel"], w["lstm1.recurrent_kernel"], w["lstm1.bias"])
    x = lstm(x, w["lstm2.kernel"], w["lstm2.recurrent_kernel"], w["lstm2.bias"])
    freedom, location, width = (x @ w["output.kernel"].T + w["output.bias"]).split(1, 2)
    return torch.cat([2 + softplus(freedom), location * scale, softplus(width) * scale], 2)


def lstm(x, kernel, recurrent_kernel, bias):
    """All outputs of a layer, (n, steps, 40), starting from a zero state."""
    h = c = x.new_zeros(len(x), 40)
    outputs = []
    for from_input in (x @ kernel.T + bias).unbind(1):
        enter, forget, cell, output = (from_input + h @ recurrent_kernel.T).split(40, 1)
        c = torch.sigmoid(forget) * c + torch.sigmoid(enter) * torch.tanh(cell)
        h = torch.sigmoid(output) * torch.tanh(c)
        outputs.append(h)
    return torch.stack(outputs, 1)


def softplus(x):
    """log(1 + exp(x)), without an overflow."""
    return x.clamp(min=0) + torch.log1p(torch.exp(-x.abs()))


def loss(logits, labels):
    """Mean over the batch's observed values of -log of Student's density."""
    freedom, location, width = logits.unbind(2)
    values, weights = labels.unbind(2)
    half = (freedom + 1) / 2
    constant = torch.lgamma(half) - torch.lgamma(freedom / 2) - (torch.log(freedom) + log(pi)) / 2 - torch.log(width)
    likelihood = constant - half * torch.log1p(((values - location) / width) ** 2 / freedom)
    return -(weights * likelihood).sum() / weights.sum().clamp(min=1)
