"""imdb-lstm in Caffe2."""

from caffe2.python import brew
from caffe2.python.rnn_cell import LSTM

from rosetta_worker.layers.caffe2 import embedded, zeros
from rosetta_worker.optimizers.caffe2 import build_adam
from rosetta_worker.tensors import Tie, gates


class Model(object):
    """Token ids (n, 500) to logits (n, 2)."""

    def __call__(self, helper, tokens):
        x = embedded(helper, tokens, "embedding", length=500, dim_in=5000, dim_out=32)  # time is axis 0
        _, last, _, _ = LSTM(
            helper,
            x,
            seq_lengths=None,
            initial_states=(zeros(helper, "hidden", 100), zeros(helper, "cell", 100)),  # otherwise they are trained
            dim_in=32,
            dim_out=100,
            scope="lstm",
            outputs_with_grads=(1,),  # the loss reads only the last output
        )
        helper.params.remove("lstm/gates_t_b")  # stays zero: only one bias is trained (docs/findings.md)
        last = helper.net.Squeeze(last, "last", dims=[0])
        return brew.fc(helper, last, "output", dim_in=100, dim_out=2)


def loss(logits, labels):
    _, mean = logits.SoftmaxWithLoss(labels, ["softmax", "loss"])
    return mean


def optimizer(model, hyper):
    return build_adam(model, hyper.learning_rate, beta1=hyper.beta1, beta2=hyper.beta2, epsilon=hyper.epsilon)


GATES = gates("i f c o", "i f o c")  # Caffe2: input, forget, output, cell

TENSORS = [
    Tie("embedding", "embedding"),
    Tie("lstm.kernel", "lstm/i2h_w", GATES),
    Tie("lstm.recurrent_kernel", "lstm/gates_t_w", GATES),
    Tie("lstm.bias", "lstm/i2h_b", GATES),
    Tie("output.kernel", "output_w"),
    Tie("output.bias", "output_b"),
]
