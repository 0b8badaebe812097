"""imdb-gru in MXNet 1.0.0's Module. Without a fused GRU on the CPU, cells are unrolled."""

from mxnet import sym
from mxnet.rnn import GRUCell

from rosetta_worker.optimizers.mxnet import Adam
from rosetta_worker.tensors import Tie


class Model(object):
    """Token ids (n, 150) to logits (n, 2)."""

    shape = (150,)  # of one review: Module allocates memory beforehand

    def __call__(self, tokens):
        x = sym.Embedding(tokens, input_dim=30000, output_dim=125, name="embedding")
        x, _ = GRUCell(100, prefix="gru_").unroll(150, x, layout="NTC", merge_outputs=False)
        return sym.FullyConnected(x[-1], num_hidden=2, name="output")


def loss(logits, labels):
    # Not softmax_cross_entropy: in this release, the symbol takes no labels.
    return sym.mean(-sym.pick(sym.log_softmax(logits), labels))


def optimizer(model, hyper):
    # rescale_grad stays 1: the loss is already a mean. Module warns that it is not 1/n, which SoftmaxOutput would need.
    return Adam(learning_rate=hyper.learning_rate, beta1=hyper.beta1, beta2=hyper.beta2, epsilon=hyper.epsilon)


TENSORS = [
    Tie("embedding", "embedding_weight"),
    Tie("gru.kernel", "gru_i2h_weight"),  # gates: reset, update, new, as in the canonical form
    Tie("gru.recurrent_kernel", "gru_h2h_weight"),
    Tie("gru.bias", "gru_i2h_bias"),
    Tie("gru.recurrent_bias", "gru_h2h_bias"),
    Tie("output.kernel", "output_weight"),
    Tie("output.bias", "output_bias"),
]
