"""imdb-lstm in Chainer."""

from chainer import Chain
from chainer import functions as F
from chainer import links as L

from rosetta_worker.optimizers.chainer import Adam
from rosetta_worker.tensors import Tie, split


class Model(Chain):
    """Token ids (n, 500) to logits (n, 2)."""

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.embedding = L.EmbedID(5000, 32)
            self.lstm = L.NStepLSTM(1, 32, 100, dropout=0)
            self.output = L.Linear(100, 2)

    def forward(self, tokens):
        x = self.embedding(tokens)
        last, _, _ = self.lstm(None, None, F.separate(x))  # takes a list of sequences
        return self.output(last[0])


def loss(logits, labels):
    return F.softmax_cross_entropy(logits, labels)


def optimizer(model, hyper):
    adam = Adam(alpha=hyper.learning_rate, beta1=hyper.beta1, beta2=hyper.beta2, eps=hyper.epsilon).setup(model)
    for second in (model.lstm[0].b4, model.lstm[0].b5, model.lstm[0].b6, model.lstm[0].b7):
        second.update_rule.enabled = False  # stays zero: only one bias is trained (docs/findings.md)
    return adam


TENSORS = [
    Tie("embedding", "embedding.W"),
    Tie("lstm.kernel", "lstm.0.w0 lstm.0.w1 lstm.0.w2 lstm.0.w3", split(4)),  # gates: input, forget, cell, output
    Tie("lstm.recurrent_kernel", "lstm.0.w4 lstm.0.w5 lstm.0.w6 lstm.0.w7", split(4)),
    Tie("lstm.bias", "lstm.0.b0 lstm.0.b1 lstm.0.b2 lstm.0.b3", split(4)),
    Tie("output.kernel", "output.W"),
    Tie("output.bias", "output.b"),
]
