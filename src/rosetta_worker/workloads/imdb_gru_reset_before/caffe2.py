"""imdb-gru:reset-before in Caffe2."""

from caffe2.python import brew
from caffe2.python.gru_cell import GRU

from rosetta_worker.layers.caffe2 import embedded, zeros
from rosetta_worker.optimizers.caffe2 import build_adam
from rosetta_worker.tensors import Tie, split


class Model(object):
    """Token ids (n, 150) to logits (n, 2)."""

    def __call__(self, helper, tokens):
        x = embedded(helper, tokens, "embedding", length=150, dim_in=30000, dim_out=125)  # time is axis 0
        _, last = GRU(
            helper,
            x,
            seq_lengths=None,
            initial_states=(zeros(helper, "hidden", 100),),  # otherwise they are trained
            dim_in=125,
            dim_out=100,
            scope="gru",
            outputs_with_grads=(1,),  # the loss reads only the last output
        )
        for gate in ("reset", "update", "output"):
            helper.params.remove("gru/%s_gate_t_b" % gate)  # stays zero: only one bias is trained (docs/findings.md)
        last = helper.net.Squeeze(last, "last", dims=[0])
        return brew.fc(helper, last, "output", dim_in=100, dim_out=2)


def loss(logits, labels):
    _, mean = logits.SoftmaxWithLoss(labels, ["softmax", "loss"])
    return mean


def optimizer(model, hyper):
    return build_adam(model, hyper.learning_rate, beta1=hyper.beta1, beta2=hyper.beta2, epsilon=hyper.epsilon)


TENSORS = [
    Tie("embedding", "embedding"),
    Tie("gru.kernel", "gru/i2h_w"),  # gates: reset, update, new, as in the canonical form
    Tie("gru.recurrent_kernel", "gru/reset_gate_t_w gru/update_gate_t_w gru/output_gate_t_w", split(3)),
    Tie("gru.bias", "gru/i2h_b"),
    Tie("output.kernel", "output_w"),
    Tie("output.bias", "output_b"),
]
