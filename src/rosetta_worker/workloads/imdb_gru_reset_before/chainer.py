"""imdb-gru:reset-before in Chainer."""

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
            self.gru = GRU(125, 100)
            self.output = L.Linear(100, 2)

    def forward(self, tokens):
        x = self.embedding(tokens)
        x = self.gru(x)
        return self.output(x)


class GRU(Chain):
    """Sequences (n, time, in) to the last state (n, out).

    Written out because links.GRU trains a second bias, and its update gate is 1 minus the canonical one.
    """

    def __init__(self, in_size, out_size):
        super().__init__()
        self.out_size = out_size
        with self.init_scope():
            self.input = L.Linear(in_size, 3 * out_size)  # gates: reset, update, new
            self.recurrent = L.Linear(out_size, 2 * out_size, nobias=True)
            self.recurrent_new = L.Linear(out_size, out_size, nobias=True)

    def forward(self, x):
        state = self.xp.zeros((len(x), self.out_size), x.dtype)
        for from_input in F.separate(self.input(x, n_batch_axes=2), axis=1):
            reset_x, update_x, new_x = F.split_axis(from_input, 3, axis=1)
            reset_h, update_h = F.split_axis(self.recurrent(state), 2, axis=1)
            reset = F.sigmoid(reset_x + reset_h)
            update = F.sigmoid(update_x + update_h)
            new = F.tanh(new_x + self.recurrent_new(reset * state))
            state = F.linear_interpolate(update, state, new)
        return state


def loss(logits, labels):
    return F.softmax_cross_entropy(logits, labels)


def optimizer(model, hyper):
    return Adam(alpha=hyper.learning_rate, beta1=hyper.beta1, beta2=hyper.beta2, eps=hyper.epsilon).setup(model)


TENSORS = [
    Tie("embedding", "embedding.W"),
    Tie("gru.kernel", "gru.input.W"),  # gates: reset, update, new, as in the canonical form
    Tie("gru.recurrent_kernel", "gru.recurrent.W gru.recurrent_new.W", split([200])),
    Tie("gru.bias", "gru.input.b"),
    Tie("output.kernel", "output.W"),
    Tie("output.bias", "output.b"),
]
