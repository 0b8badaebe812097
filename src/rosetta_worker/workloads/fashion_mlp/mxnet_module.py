"""fashion-mlp in MXNet's Module."""

from mxnet import sym

from rosetta_worker.optimizers.mxnet import Adam
from rosetta_worker.tensors import Tie


class Model(object):
    """Images (n, 784) to logits (n, 10)."""

    shape = (784,)  # of one image: Module allocates memory beforehand

    def __call__(self, images):
        x = sym.FullyConnected(images, num_hidden=128, name="hidden")
        x = sym.Activation(x, act_type="relu")
        return sym.FullyConnected(x, num_hidden=10, name="output")


def loss(logits, labels):
    # Not SoftmaxOutput: it returns no loss, and sums gradients, which the optimiser's rescale_grad must divide.
    return sym.softmax_cross_entropy(logits, labels) / sym.size_array(labels).astype("float32")


def optimizer(model, hyper):
    # rescale_grad stays 1: the loss is already a mean. Module warns that it is not 1/n, which SoftmaxOutput would need.
    return Adam(learning_rate=hyper.learning_rate, beta1=hyper.beta1, beta2=hyper.beta2, epsilon=hyper.epsilon)


TENSORS = [
    Tie("hidden.kernel", "hidden_weight"),
    Tie("hidden.bias", "hidden_bias"),
    Tie("output.kernel", "output_weight"),
    Tie("output.bias", "output_bias"),
]
