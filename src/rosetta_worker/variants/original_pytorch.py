"""The original with one operation in another form, such as GELU by tanh.

If a port has the same logits as a form, that form is its mistake.
"""

import os
import sys

import torch
from torch.nn import functional as F
from torch.overrides import TorchFunctionMode

from rosetta_worker.frameworks import original_pytorch

MOST_PLACES = 8
"""If an operation is called in more modules than this, no form is tried in a single one of them."""

GROUPS = (2, 4, 8, 16, 32)
"""Numbers of groups of a group normalisation; 32 is the default of the paper and of Keras."""

EPSILONS = (1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-12)
"""Usual defaults for the epsilon of a variance: 1e-3 in Keras, 1e-5 in PyTorch and MXNet, 1e-6 in Flax."""


class Adapter(original_pytorch.Adapter):
    """Returns the logits of every form instead of gradients: ``gelu-tanh`` everywhere, ``gelu-tanh.mlp`` in mlp."""

    def gradients(self, dataset, ids):
        inputs, labels = self.batch(dataset, ids)
        self.model.train()
        with torch.no_grad():
            logits, stated = self.forward_as(inputs)
            found = {}
            for form, (names, _) in FORMS.items():
                places = [call for name, *call in stated.called if name in names]
                if places:
                    self.keep(found, form, inputs, logits)
                if len(places) > 1:
                    for name, chosen in parts_of(places).items():
                        self.keep(found, form, inputs, logits, name, chosen)
        return logits, self.mean_loss(logits, labels), found

    def keep(self, found, form, inputs, logits, name="", places=None):
        """Keep the logits of a form under the name of its places; nothing if it fails, or changes nothing."""
        try:
            other, _ = self.forward_as(inputs, form, places)
        except (RuntimeError, ValueError, IndexError, TypeError):
            return
        if other.shape == logits.shape and not torch.equal(other, logits):
            found["%s.%s" % (form, name) if name else form] = self.array(other)

    def forward_as(self, inputs, form=None, places=None):
        """Return the logits with an operation in another form, perhaps in some calls alone; and what is called."""
        with Operations(self.model, form, places) as operations:
            logits = self.forward(inputs, {} if self.kept else None)
        return logits, operations


def parts_of(places):
    """Return {name: some of the calls, each a [module, line]}.

    They are those of each module by itself, of all modules of one attribute's name, such as ``every norm2``, and of
    each line of the model.
    """
    groups = {}
    for module, line in places:
        groups.setdefault(module, []).append([module, line])
    alone = dict(groups) if len(groups) <= MOST_PLACES else {}
    alike = {}
    for module, line in places:
        alike.setdefault("every %s" % module.rpartition(".")[2], []).append([module, line])
        alike.setdefault("line %d" % line, []).append([module, line])
    alike = {name: some for name, some in alike.items() if len(some) > 1 and some not in groups.values()}
    return {name: some for name, some in dict(alone, **alike).items() if len(some) < len(places)}


class Operations(TorchFunctionMode):
    """Gives operations another form, and keeps in `called` which there are: (operation, module, line), each once."""

    def __init__(self, model, form, places):
        super().__init__()
        self.names, self.form = FORMS.get(form, ((), None))
        self.only = places
        self.called = {}
        self.stack = [""]
        self.inside = False
        self.handles = []
        for name, module in model.named_modules():
            self.handles.append(module.register_forward_pre_hook(lambda _, __, name=name: self.stack.append(name)))
            self.handles.append(module.register_forward_hook(self.leave))

    def leave(self, module, inputs, outputs):
        """Leave a module: operations now belong to the module that called it."""
        self.stack.pop()

    def __exit__(self, *error):
        for handle in self.handles:
            handle.remove()
        return super().__exit__(*error)

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        name = getattr(function, "__name__", "")
        if self.inside or name not in NAMES:
            return function(*args, **kwargs)
        place = [self.stack[-1], calling_line()]
        self.called[(name, *place)] = True
        if name not in self.names or (self.only is not None and place not in self.only):
            return function(*args, **kwargs)
        self.inside = True  # a form may call the operation itself
        try:
            return self.form(function, *args, **kwargs)
        finally:
            self.inside = False


def calling_line():
    """Return the line of the model that is being executed: the innermost one outside of PyTorch and of this file."""
    frame = sys._getframe(1)
    while frame.f_code.co_filename == __file__ or frame.f_code.co_filename.startswith(PYTORCH):
        frame = frame.f_back
    return frame.f_lineno


PYTORCH = os.path.dirname(torch.__file__)
"""The folder of what a model calls."""


def instead(activation):
    """Return the form with another activation."""
    return lambda function, x, *args, **kwargs: activation(x)


def with_epsilon(epsilon):
    """Return the form of a normalisation that adds another epsilon to the variance."""

    def form(function, *args, **kwargs):
        place = POSITION_OF_EPSILON[function.__name__]
        if len(args) > place:
            args = (*args[:place], epsilon, *args[place + 1 :])
        else:
            kwargs = dict(kwargs, eps=epsilon)
        return function(*args, **kwargs)

    return form


POSITION_OF_EPSILON = {"layer_norm": 4, "group_norm": 4, "batch_norm": 7, "instance_norm": 7, "rms_norm": 3}
"""{normalisation: position of epsilon among its arguments}."""


def without_scale(function, *args, **kwargs):
    """A normalisation without its learned scale and shift."""
    arguments = dict(zip(("input", "normalized_shape", "weight", "bias", "eps"), args), **kwargs)
    return function(arguments["input"], arguments["normalized_shape"], eps=arguments.get("eps", 1e-5))


def over_second_axis(function, x, *args, **kwargs):
    """A layer normalisation over the second-to-last axis."""
    arguments = dict(zip(("input", "normalized_shape", "weight", "bias", "eps"), (x,) + args), **kwargs)
    mean = x.mean(-2, keepdim=True)
    normalised = (x - mean) / torch.sqrt(x.var(-2, unbiased=False, keepdim=True) + arguments.get("eps", 1e-5))
    weight, bias = arguments.get("weight"), arguments.get("bias")
    normalised = normalised if weight is None else normalised * weight
    return normalised if bias is None else normalised + bias


def unbiased(function, x, *args, **kwargs):
    """A layer normalisation with the variance divided by n - 1."""
    arguments = dict(zip(("input", "normalized_shape", "weight", "bias", "eps"), (x,) + args), **kwargs)
    spread = torch.sqrt(x.var(-1, keepdim=True) + arguments.get("eps", 1e-5))
    normalised = (x - x.mean(-1, keepdim=True)) / spread
    weight, bias = arguments.get("weight"), arguments.get("bias")
    normalised = normalised if weight is None else normalised * weight
    return normalised if bias is None else normalised + bias


def in_groups(count):
    """Return the form of a group normalisation with another number of groups."""
    return lambda function, x, groups, *args, **kwargs: function(x, count, *args, **kwargs)


def exchanged(function, q, k, v, *args, **kwargs):
    """Attention whose queries are taken for keys, and keys for queries."""
    return function(k, q, v, *args, **kwargs)


def reversed_order(function, tensors, *args, **kwargs):
    """A concatenation in the reverse order."""
    return function(list(tensors)[::-1], *args, **kwargs)


def attention(**changes):
    """Return the form of scaled dot-product attention with other arguments; the scale may be a function of q."""

    def form(function, q, *args, **kwargs):
        kwargs.update({name: change(q) if callable(change) else change for name, change in changes.items()})
        if "is_causal" in changes:
            args, kwargs["attn_mask"] = args[:2], None
        return function(q, *args, **kwargs)

    return form


def later_mask(function, q, k, v, *args, **kwargs):
    """A causal mask that also admits the next position."""
    seen = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool).tril(1)
    return function(q, k, v, attn_mask=seen)


def along(axis):
    """Return the form of a softmax over another axis."""
    return lambda function, x, *args, **kwargs: torch.softmax(x, axis)


def unmasked(function, x, *args, **kwargs):
    """Scores without their mask."""
    return x


def unscaled(function, x, *args, **kwargs):
    """Scores without their division; only divisions by a plain number, since tensors are divided for other reasons."""
    return function(x, *args, **kwargs) if not args or torch.is_tensor(args[0]) else x


def heads_last(function, x, *sizes, **kwargs):
    """Splitting into heads, with the heads as the faster of the two axes."""
    parts = function(x, *sizes, **kwargs)
    if parts.dim() != x.dim() + 1 or parts.shape[:-2] != x.shape[:-1]:
        return parts
    heads, width = parts.shape[-2:]
    return x.reshape(*x.shape[:-1], width, heads).transpose(-1, -2)


def without_bias(function, x, weight, bias=None, *args, **kwargs):
    """A layer without its bias."""
    return function(x, weight, None, *args, **kwargs)


def transposed(function, x, weight, *args, **kwargs):
    """A dense layer with a transposed square kernel."""
    return function(x, weight.t(), *args, **kwargs)


def flipped(function, x, weight, *args, **kwargs):
    """A convolution with a kernel that is flipped on both axes: the mathematical convolution."""
    return function(x, weight.flip(-1, -2), *args, **kwargs)


def swapped(function, x, weight, *args, **kwargs):
    """A convolution with height and width of the kernel exchanged."""
    return function(x, weight.transpose(-1, -2), *args, **kwargs)


def padded_behind(function, x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """A strided convolution that pads at the bottom and at the right first, as TensorFlow's SAME does."""
    pads = padding if isinstance(padding, tuple) else (padding, padding)
    strides = stride if isinstance(stride, tuple) else (stride, stride)
    sides = []
    for size, kernel, step, pad in reversed(list(zip(x.shape[-2:], weight.shape[-2:], strides, pads))):
        whole = max(0, (-(-size // step) - 1) * step + kernel - size) if pad else 0
        sides += [whole // 2, whole - whole // 2]
    return function(F.pad(x, sides), weight, bias, stride, 0, dilation, groups)


def unpadded(function, x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """A convolution that pads with copies of the border."""
    pads = padding if isinstance(padding, tuple) else (padding, padding)
    return function(F.pad(x, (pads[1], pads[1], pads[0], pads[0]), mode="replicate"), weight, bias, stride, 0, dilation)


def mean_pool(function, x, kernel, stride=None, *args, **kwargs):
    """The mean of a pool instead of its maximum."""
    return F.avg_pool2d(x, kernel, stride)


def largest_pool(function, x, kernel, stride=None, *args, **kwargs):
    """The maximum of a pool instead of its mean."""
    return F.max_pool2d(x, kernel, stride)


def bilinear(function, x, size=None, scale_factor=None, *args, **kwargs):
    """Bilinear upsampling instead of the nearest neighbour."""
    return function(x, size, scale_factor, mode="bilinear", align_corners=False)


def other_groups(function, x, groups, *args, **kwargs):
    """A group normalisation with groups of every n-th channel: channels are split in the other order."""
    channels = torch.arange(x.shape[1]).reshape(-1, groups).t().flatten()
    return function(x[:, channels], groups, *args, **kwargs)[:, torch.argsort(channels)]


def one_group(function, x, groups, *args, **kwargs):
    """A group normalisation over all channels together."""
    return function(x, 1, *args, **kwargs)


RELUS = ("relu", "relu_")
NORMS = tuple(POSITION_OF_EPSILON)

FORMS = {
    "gelu-tanh": (("gelu",), lambda function, x, **kwargs: function(x, approximate="tanh")),
    "gelu-erf": (("gelu",), lambda function, x, **kwargs: function(x)),
    "gelu-sigmoid": (("gelu",), lambda function, x, **kwargs: x * torch.sigmoid(1.702 * x)),
    "gelu-relu": (("gelu",), instead(torch.relu)),
    "gelu-silu": (("gelu",), instead(F.silu)),
    "gelu-none": (("gelu",), instead(torch.clone)),
    "silu-gelu": (("silu",), instead(F.gelu)),
    "silu-relu": (("silu",), instead(torch.relu)),
    "silu-sigmoid": (("silu",), instead(torch.sigmoid)),
    "silu-none": (("silu",), instead(torch.clone)),
    "relu-gelu": (RELUS, instead(F.gelu)),
    "relu-silu": (RELUS, instead(F.silu)),
    "relu-leaky": (RELUS, instead(F.leaky_relu)),
    "relu-leaky-fifth": (RELUS, lambda function, x, *args, **kwargs: F.leaky_relu(x, 0.2)),
    "relu-elu": (RELUS, instead(F.elu)),
    "relu-six": (RELUS, instead(F.relu6)),
    "relu-none": (RELUS, instead(torch.clone)),
    "leaky-slope-fifth": (("leaky_relu",), lambda function, x, *args, **kwargs: function(x, 0.2)),
    "leaky-slope-third": (("leaky_relu",), lambda function, x, *args, **kwargs: function(x, 0.3)),
    "leaky-slope-hundredth": (("leaky_relu",), lambda function, x, *args, **kwargs: function(x, 0.01)),
    "tanh-none": (("tanh",), instead(torch.clone)),
    "sigmoid-none": (("sigmoid",), instead(torch.clone)),
    "sigmoid-hard": (("sigmoid",), instead(F.hardsigmoid)),
    **{"epsilon-%.0e" % epsilon: (NORMS, with_epsilon(epsilon)) for epsilon in EPSILONS},
    "norm-unscaled": (("layer_norm",), without_scale),
    "norm-second-axis": (("layer_norm",), over_second_axis),
    "norm-unbiased": (("layer_norm",), unbiased),
    "norm-none": (NORMS, unmasked),
    "groups-strided": (("group_norm",), other_groups),
    "groups-one": (("group_norm",), one_group),
    **{"groups-%d" % count: (("group_norm",), in_groups(count)) for count in GROUPS},
    "concatenation-reversed": (("cat", "concat", "concatenate"), reversed_order),
    "attention-exchanged": (("scaled_dot_product_attention",), exchanged),
    "attention-unscaled": (("scaled_dot_product_attention",), attention(scale=1.0)),
    "attention-scaled-by-width": (("scaled_dot_product_attention",), attention(scale=lambda q: 1.0 / q.shape[-1])),
    "attention-scaled-by-all": (
        ("scaled_dot_product_attention",),
        attention(scale=lambda q: (q.shape[-1] * q.shape[-3]) ** -0.5),
    ),
    "attention-unmasked": (("scaled_dot_product_attention",), attention(is_causal=False)),
    "attention-masked": (("scaled_dot_product_attention",), attention(is_causal=True)),
    "attention-mask-late": (("scaled_dot_product_attention",), later_mask),
    "softmax-axis": (("softmax",), along(-2)),
    "mask-none": (("masked_fill", "masked_fill_"), unmasked),
    "scores-unscaled": (("div", "__truediv__", "true_divide", "mul", "__mul__", "__rmul__"), unscaled),
    "heads-order": (("view", "reshape"), heads_last),
    "bias-none": (("linear", "conv2d", "conv1d"), without_bias),
    "kernel-transposed": (("linear",), transposed),
    "kernel-flipped": (("conv2d",), flipped),
    "kernel-swapped": (("conv2d",), swapped),
    "padding-behind": (("conv2d",), padded_behind),
    "padding-repeated": (("conv2d",), unpadded),
    "pool-mean": (("max_pool2d",), mean_pool),
    "pool-largest": (("avg_pool2d",), largest_pool),
    "upsampling-bilinear": (("interpolate",), bilinear),
}
"""{form: (operations that it replaces, function that replaces them)}."""

NAMES = {name for names, _ in FORMS.values() for name in names}
"""All operations with another form."""
