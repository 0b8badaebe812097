"""imdb-gru in Chainer."""

from chainer import Chain
from chainer import functions as F
from chainer import links as L

from rosetta_worker.optimizers.chainer import Adam
from rosetta_worker.tensors import Tie, split


class Model(Chain):
    """Token ids (n, 150) to logits (n, 2)."""

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.embedding = L.EmbedID(30000, 125)
            self.gru = L.NStepGRU(1, 125, 100, dropout=0)
            self.output = L.Linear(100, 2)

    def forward(self, tokens):
        x = self.embedding(tokens)
        last, _ = self.gru(None, F.separate(x))  # takes a list of sequences
        return self.output(last[0])


def loss(logits, labels):
    return F.softmax_cross_entropy(logits, labels)


def optimizer(model, hyper):
    return Adam(alpha=hyper.learning_rate, beta1=hyper.beta1, beta2=hyper.beta2, eps=hyper.epsilon).setup(model)


TENSORS = [
    Tie("embedding", "embedding.W"),
    Tie("gru.kernel", "gru.0.w0 gru.0.w1 gru.0.w2", split(3)),  # one tensor for each gate: reset, update, new
    Tie("gru.recurrent_kernel", "gru.0.w3 gru.0.w4 gru.0.w5", split(3)),
    Tie("gru.bias", "gru.0.b0 gru.0.b1 gru.0.b2", split(3)),
    Tie("gru.recurrent_bias", "gru.0.b3 gru.0.b4 gru.0.b5", split(3)),
    Tie("output.kernel", "output.W"),
    Tie("output.bias", "output.b"),
]
