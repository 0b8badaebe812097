"""deepar-monash in MXNet Gluon."""

from math import pi

from mxnet import gluon
from mxnet.gluon import nn, rnn

from rosetta_worker.optimizers.mxnet import Adam
from rosetta_worker.tensors import Tie


class Model(gluon.HybridBlock):
    """What is shown in each step, (n, steps, 22), to freedom, location and width, (n, steps, 3)."""

    def __init__(self):
        super().__init__()
        self.lstm1 = rnn.LSTM(40, layout="NTC", input_size=22)
        self.dropout = nn.Dropout(0.1)  # that of an LSTM of two layers drops nothing on the CPU (docs/findings.md)
        self.lstm2 = rnn.LSTM(40, layout="NTC", input_size=40)
        for lstm in (self.lstm1, self.lstm2):
            lstm.l0_h2h_bias.grad_req = "null"  # stays zero: one bias is trained (docs/findings.md)
        self.output = nn.Dense(3, flatten=False, in_units=40)

    def hybrid_forward(self, F, steps):
        lags = F.slice_axis(steps, axis=2, begin=0, end=16)
        features = F.slice_axis(steps, axis=2, begin=16, end=21)
        counts = F.slice_axis(steps, axis=2, begin=21, end=22)
        total = F.sum(counts * F.abs(F.slice_axis(lags, axis=2, begin=0, end=1)), axis=1, keepdims=True)
        scale = total / F.maximum(F.sum(counts, axis=1, keepdims=True), 1)
        scale = F.where(scale > 0, scale, F.ones_like(scale))
        x = F.concat(F.broadcast_div(lags, scale), features, F.broadcast_like(F.log(scale), counts), dim=2)
        x = self.lstm1(x)
        x = self.dropout(x)
        x = self.lstm2(x)
        freedom, location, width = F.split(self.output(x), num_outputs=3, axis=2)
        freedom, width = (F.Activation(one, act_type="softrelu") for one in (freedom, width))  # softplus
        return F.concat(2 + freedom, F.broadcast_mul(location, scale), F.broadcast_mul(width, scale), dim=2)


class NegativeLogLikelihood(gluon.HybridBlock):
    """Freedom, location and width, (n, steps, 3), and values with their weights, (n, steps, 2), to the mean loss."""

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
