"""cifar-vgg in MXNet's Module."""

from mxnet import sym
from mxnet.optimizer import SGD

from rosetta_worker.tensors import Tie


class Model(object):
    """Images (n, 3, 32, 32) to logits (n, 10)."""

    shape = (3, 32, 32)  # of one image: Module allocates memory beforehand

    def __call__(self, images):
        x = sym.Activation(
            sym.Convolution(images, num_filter=50, kernel=(3, 3), pad=(1, 1), name="conv1"), act_type="relu"
        )
        x = sym.Convolution(x, num_filter=50, kernel=(3, 3), pad=(1, 1), name="conv2")
        x = sym.Activation(sym.Pooling(x, kernel=(2, 2), stride=(2, 2)), act_type="relu")
        x = sym.Dropout(x, p=0.25)
        x = sym.Activation(sym.Convolution(x, num_filter=100, kernel=(3, 3), pad=(1, 1), name="conv3"), act_type="relu")
        x = sym.Convolution(x, num_filter=100, kernel=(3, 3), pad=(1, 1), name="conv4")
        x = sym.Activation(sym.Pooling(x, kernel=(2, 2), stride=(2, 2)), act_type="relu")
        x = sym.Dropout(x, p=0.25)
        x = sym.flatten(x)
        x = sym.Activation(sym.FullyConnected(x, num_hidden=512, name="hidden"), act_type="relu")
        x = sym.Dropout(x, p=0.5)
        return sym.FullyConnected(x, num_hidden=10, name="output")


def loss(logits, labels):
    # Not SoftmaxOutput: it returns no loss, and sums gradients, which the optimiser's rescale_grad must divide.
    return sym.softmax_cross_entropy(logits, labels) / sym.size_array(labels).astype("float32")


def optimizer(model, hyper):
    # rescale_grad stays 1: the loss is already a mean. Module warns that it is not 1/n, which SoftmaxOutput would need.
    return SGD(learning_rate=hyper.learning_rate, momentum=hyper.momentum)


TENSORS = [
    Tie("conv1.kernel", "conv1_weight"),
    Tie("conv1.bias", "conv1_bias"),
    Tie("conv2.kernel", "conv2_weight"),
    Tie("conv2.bias", "conv2_bias"),
    Tie("conv3.kernel", "conv3_weight"),
    Tie("conv3.bias", "conv3_bias"),
    Tie("conv4.kernel", "conv4_weight"),
    Tie("conv4.bias", "conv4_bias"),
    Tie("hidden.kernel", "hidden_weight"),
    Tie("hidden.bias", "hidden_bias"),
    Tie("output.kernel", "output_weight"),
    Tie("output.bias", "output_bias"),
]
