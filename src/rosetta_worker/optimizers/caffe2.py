"""Caffe2's Adam, with steps counted from one, and epsilon added as in the paper."""

from math import log

from caffe2.python import core, optimizer


def build_adam(model, base_learning_rate, beta1, beta2, epsilon):
    """Add the updates of the parameters to the model's net, like Caffe2's function of this name."""
    return optimizer._build(model, AdamOptimizer(base_learning_rate, beta1, beta2, epsilon))


class AdamOptimizer(optimizer.AdamOptimizer):
    """Caffe2's own Adam, with arguments that make it compute algorithm 1 of Kingma and Ba (2015).

    Its operator adds 1 to the number of the step, which is counted already: it corrects the bias of the first step as
    if it were the second. So it is given the number of finished steps.

    It adds epsilon to the root *before* the bias correction ("epsilon hat"), and epsilon is a constant in the net. But
    multiplying the gradient, and with it both moments, by a factor has the effect of dividing epsilon by it. The factor
    here is 1 / sqrt(1 - beta2^t), so that the second moment is stored with its bias corrected.
    """

    def _run(self, net, param_init_net, param_info):
        rate, step = self.build_lr(net, param_init_net, base_learning_rate=self.alpha, policy=self.policy)
        done, factor, change, change_squared = self.factors(net, param_init_net, step)
        param, grad = param_info.blob, param_info.grad
        first = param_init_net.ConstantFill([param], param + "_first_moment", value=0.0)
        second = param_init_net.ConstantFill([param], param + "_second_moment", value=0.0)
        for blob, by in ((grad, factor), (first, change), (second, change_squared)):
            net.WeightedSum([blob, by], blob)
        net.Adam(
            [param, first, second, grad, rate, done],
            [param, first, second],
            beta1=self.beta1,
            beta2=self.beta2,
            epsilon=self.epsilon,
        )

    def factors(self, net, param_init_net, step):
        """Return blobs, the same for all parameters: finished steps, the factor, its change, and the square of that."""
        names = ["adam_done", "adam_factor", "adam_change", "adam_change_squared"]
        if not net.BlobIsDefined(names[0]):
            one = param_init_net.ConstantFill([], "adam_one", shape=[1], value=1, dtype=core.DataType.INT64)
            unit = param_init_net.ConstantFill([], "adam_unit", shape=[1], value=1.0)
            last = param_init_net.ConstantFill([], "adam_last_factor", shape=[1], value=1.0)
            net.Sub([step, one], names[0])
            power = net.Exp(net.Scale(net.Cast(step, to=core.DataType.FLOAT), scale=log(self.beta2)))  # beta2^t
            net.Pow(net.Sub([unit, power]), names[1], exponent=-0.5)
            net.Div([names[1], last], names[2])
            net.Sqr(names[2], names[3])
            net.Copy(names[1], last)
        return [net.GetBlobRef(name) for name in names]
