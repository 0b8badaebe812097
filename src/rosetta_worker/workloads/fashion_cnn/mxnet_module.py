"""fashion-cnn in MXNet's Module."""

from mxnet import sym

from rosetta_worker.optimizers.mxnet import Adam
from rosetta_worker.tensors import Tie


class Model(object):
    """Images (n, 1, 28, 28) to logits (n, 10)."""

    shape = (1, 28, 28)  # of one image: Module allocates memory beforehand

    def __call__(self, images):
        x = sym.Activation(sym.Convolution(images, num_filter=64, kernel=(3, 3), name="conv1"), act_type="relu")
        x = sym.Activation(sym.Convolution(x, num_filter=32, kernel=(3, 3), name="conv2"), act_type="relu")
        x = sym.flatten(x)
        return sym.FullyConnected(x, num_hidden=10, name="output")


def loss(logits, labels):
    # Not SoftmaxOutput: it returns no loss, and sums gradients, which the optimiser's rescale_grad must divide.
    return sym.softmax_cross_entropy(logits, labels) / sym.size_array(labels).astype("float32")


def optimizer(model, hyper):
    # rescale_grad stays 1: the loss is already a mean. Module warns that it is not 1/n, which SoftmaxOutput would need.
    return Adam(learning_rate=hyper.learning_rate, beta1=hyper.beta1, beta2=hyper.beta2, epsilon=hyper.epsilon)


TENSORS = [
    Tie("conv1.kernel", "conv1_weight"),
    Tie("conv1.bias", "conv1_bias"),
    Tie("conv2.kernel", "conv2_weight"),
    Tie("conv2.bias", "conv2_bias"),
    Tie("output.kernel", "output_weight"),
    Tie("output.bias", "output_bias"),
]
