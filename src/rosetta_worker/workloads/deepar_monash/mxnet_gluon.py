"""deepar-monash in MXNet Gluon."""

from math import pi

from mxnet import gluon, nd
from mxnet.gluon import nn, rnn

from rosetta_worker.optimizers.mxnet import Adam
from rosetta_worker.tensors import Tie


class Model(gluon.HybridBlock):
    """Inputs (n, steps, 22) to degrees of freedom, location and width, (n, steps, 3)."""

    def __init__(self):
        super().__init__()
        self.lstm1 = rnn.LSTM(40, layout="NTC", input_size=22)
        self.dropout = nn.Dropout(0.1)  # dropout in a two-layer LSTM does nothing on the CPU (docs/findings.md)
        self.lstm2 = rnn.LSTM(40, layout="NTC", input_size=40)
        for lstm in (self.lstm1, self.lstm2):
            lstm.l0_h2h_bias.grad_req = "null"  # stays zero: only one bias is trained (docs/findings.md)
        self.output = nn.Dense(3, flatten=False, in_units=40)

    def hybrid_forward(self, F, steps):
        lags, features, counts = split(F, steps)
        parameters, _ = self.unroll(F, lags, features, counts, scale_of(F, lags, counts))
        return parameters

    def unroll(self, F, lags, features, counts, scale, state=(None, None)):
        """Continue from a state. Return the parameters of each step, and the state after the last."""
        x = F.concat(F.broadcast_div(lags, scale), features, F.broadcast_like(F.log(scale), counts), dim=2)
        x, first = stateful(self.lstm1, x, state[0])
        x = self.dropout(x)
        x, second = stateful(self.lstm2, x, state[1])
        freedom, location, width = F.split(self.output(x), num_outputs=3, axis=2)
        freedom, width = (F.Activation(one, act_type="softrelu") for one in (freedom, width))  # softplus
        parameters = 2 + freedom, F.broadcast_mul(location, scale), F.broadcast_mul(width, scale)
        return F.concat(*parameters, dim=2), (first, second)


def stateful(lstm, x, state):
    return (lstm(x), None) if state is None else lstm(x, state)  # returns a state only if given one


def split(F, steps):
    return [F.slice_axis(steps, axis=2, begin=begin, end=end) for begin, end in ((0, 16), (16, 21), (21, 22))]


def scale_of(F, lags, counts):
    total = F.sum(counts * F.abs(F.slice_axis(lags, axis=2, begin=0, end=1)), axis=1, keepdims=True)
    scale = total / F.maximum(F.sum(counts, axis=1, keepdims=True), 1)
    return F.where(scale > 0, scale, F.ones_like(scale))


def sample(model, steps, lags, horizon, paths):
    """Draw forecasts, (n, paths, horizon). A drawn value becomes an input again `lags` steps later."""
    known, _, counts = split(nd, steps)
    scale = scale_of(nd, known, counts)
    state = [lstm.begin_state(len(steps), ctx=steps.context) for lstm in (model.lstm1, model.lstm2)]
    _, state = model.unroll(nd, *split(nd, steps[:, :-horizon]), scale, state)
    state = [[one.repeat(paths, axis=1) for one in layer] for layer in state]
    scale, future = scale.repeat(paths, axis=0), steps[:, -horizon:].repeat(paths, axis=0)
    drawn = nd.zeros((len(future), horizon), ctx=steps.context)
    for step in range(horizon):
        known, features, counts = split(nd, future[:, step : step + 1])
        fed = nd.broadcast_like((lags <= step).reshape((1, 1, -1)), known)
        lagged = nd.where(fed, drawn.take(nd.maximum(step - lags, 0), axis=1).expand_dims(1), known)
        parameters, state = model.unroll(nd, lagged, features, counts, scale, state)
        freedom, location, width = nd.split(parameters, num_outputs=3, axis=2, squeeze_axis=True)
        drawn[:, step] = student_t(*(one[:, 0] for one in (freedom, location, width)))
    return drawn.reshape((-1, paths, horizon))


def student_t(freedom, location, width):
    normal, gamma = nd.random.normal_like(freedom), nd.random.gamma(freedom / 2, nd.ones_like(freedom))
    return location + width * normal * nd.sqrt(freedom / 2 / gamma)


class NegativeLogLikelihood(gluon.HybridBlock):
    """Freedom, location and width, (n, steps, 3), and weighted values, (n, steps, 2), to the mean loss."""

    def hybrid_forward(self, F, logits, labels):
        freedom, location, width = F.split(logits, num_outputs=3, axis=2, squeeze_axis=True)
        values, weights = F.split(labels, num_outputs=2, axis=2, squeeze_axis=True)
        half = (freedom + 1) / 2
        constant = F.gammaln(half) - F.gammaln(freedom / 2) - F.log(freedom * pi) / 2 - F.log(width)
        likelihood = constant - half * F.log1p(F.square((values - location) / width) / freedom)
        return -F.sum(weights * likelihood) / F.maximum(F.sum(weights), 1)


loss = NegativeLogLikelihood()


def optimizer(model, hyper):
    adam = Adam(
        learning_rate=hyper.learning_rate,
        beta1=hyper.beta1,
        beta2=hyper.beta2,
        epsilon=hyper.epsilon,
        wd=hyper.weight_decay,
    )
    return gluon.Trainer(model.collect_params(), adam)


TENSORS = [
    Tie("lstm1.kernel", "lstm1.l0_i2h_weight"),  # gates: input, forget, cell, output, as in the canonical form
    Tie("lstm1.recurrent_kernel", "lstm1.l0_h2h_weight"),
    Tie("lstm1.bias", "lstm1.l0_i2h_bias"),
    Tie("lstm2.kernel", "lstm2.l0_i2h_weight"),
    Tie("lstm2.recurrent_kernel", "lstm2.l0_h2h_weight"),
    Tie("lstm2.bias", "lstm2.l0_i2h_bias"),
    Tie("output.kernel", "output.weight"),
    Tie("output.bias", "output.bias"),
]
