"""deepar-monash in PyTorch."""

import torch
from torch import nn
from torch.distributions import StudentT
from torch.nn import functional as F
from torch.optim import Adam

from rosetta_worker.tensors import Tie


class Model(nn.Module):
    """Inputs (n, steps, 22) to degrees of freedom, location and width, (n, steps, 3)."""

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(22, 40, num_layers=2, dropout=0.1, batch_first=True)
        for bias in (self.lstm.bias_hh_l0, self.lstm.bias_hh_l1):
            nn.init.zeros_(bias).requires_grad_(False)  # only one bias is trained (docs/findings.md)
        self.output = nn.Linear(40, 3)

    def forward(self, steps):
        lags, features, counts = steps.split([16, 5, 1], 2)
        parameters, _ = self.unroll(lags, features, counts, scale_of(lags, counts))
        return parameters

    def unroll(self, lags, features, counts, scale, state=None):
        """Continue from a state. Return the parameters of each step, and the state after the last."""
        x = torch.cat([lags / scale, features, scale.log().expand_as(counts)], 2)
        x, state = self.lstm(x, state)
        freedom, location, width = self.output(x).split(1, 2)
        return torch.cat([2 + F.softplus(freedom), location * scale, F.softplus(width) * scale], 2), state


def scale_of(lags, counts):
    scale = (counts * lags[..., :1].abs()).sum(1, keepdim=True) / counts.sum(1, keepdim=True).clamp(min=1)
    return torch.where(scale > 0, scale, torch.ones_like(scale))


def sample(model, steps, lags, horizon, paths):
    """Draw forecasts, (n, paths, horizon). A drawn value becomes an input again `lags` steps later."""
    known, _, counts = steps.split([16, 5, 1], 2)
    scale = scale_of(known, counts)
    _, state = model.unroll(*steps[:, :-horizon].split([16, 5, 1], 2), scale)
    rows = torch.arange(len(steps) * paths, device=steps.device) // paths  # each series, repeated for its paths
    state = tuple(one.index_select(1, rows) for one in state)
    scale, future = scale[rows], steps[rows, -horizon:]
    drawn = future.new_zeros(len(future), horizon)
    for step in range(horizon):
        known, features, counts = future[:, step : step + 1].split([16, 5, 1], 2)
        lagged = torch.where(lags <= step, drawn[:, None, (step - lags).clamp(min=0)], known)
        parameters, state = model.unroll(lagged, features, counts, scale, state)
        drawn[:, step] = StudentT(*parameters[:, 0].unbind(1)).sample()
    return drawn.reshape(-1, paths, horizon)


def loss(logits, labels):
    values, weights = labels.unbind(2)
    likelihood = StudentT(*logits.unbind(2), validate_args=False).log_prob(values)
    return -(weights * likelihood).sum() / weights.sum().clamp(min=1)


def optimizer(model, hyper):
    return Adam(
        model.parameters(),
        lr=hyper.learning_rate,
        betas=(hyper.beta1, hyper.beta2),
        eps=hyper.epsilon,
        weight_decay=hyper.weight_decay,
    )


TENSORS = [
    Tie("lstm1.kernel", "lstm.weight_ih_l0"),  # gates: input, forget, cell, output, as in the canonical form
    Tie("lstm1.recurrent_kernel", "lstm.weight_hh_l0"),
    Tie("lstm1.bias", "lstm.bias_ih_l0"),
    Tie("lstm2.kernel", "lstm.weight_ih_l1"),
    Tie("lstm2.recurrent_kernel", "lstm.weight_hh_l1"),
    Tie("lstm2.bias", "lstm.bias_ih_l1"),
    Tie("output.kernel", "output.weight"),
    Tie("output.bias", "output.bias"),
]
