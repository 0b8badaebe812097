"""The mistakes that the proof must catch, each as the change of a few words in an honest implementation.

Most of them are real: they are the deviations of the original studies' code, or defaults in which frameworks differ.
"""

from laboratory import Plant

ADAM = "eps=hyper.epsilon)"
TORCH = ("from torch import nn", "import torch\nfrom torch import nn")
GRU_LAYER = "self.gru = nn.GRU(125, 100, batch_first=True)"
RESET_BEFORE = """self.gru = ResetBefore(125, 100, batch_first=True)"""
RESET_BEFORE_CLASS = '''class ResetBefore(nn.GRU):
    """The classic GRU: the reset gate acts before the recurrent product."""

    def forward(self, x):
        h, steps = x.new_zeros(len(x), 100), []
        for t in range(x.shape[1]):
            r_x, z_x, n_x = F.linear(x[:, t], self.weight_ih_l0, self.bias_ih_l0).chunk(3, 1)
            w_r, w_z, w_n = self.weight_hh_l0.chunk(3)
            b_r, b_z, b_n = self.bias_hh_l0.chunk(3)
            r = (r_x + F.linear(h, w_r, b_r)).sigmoid()
            z = (z_x + F.linear(h, w_z, b_z)).sigmoid()
            h = (1 - z) * (n_x + F.linear(r * h, w_n, b_n)).tanh() + z * h
            steps.append(h)
        return torch.stack(steps, 1), h


class Model('''

LSTM_FROZEN = "nn.init.zeros_(self.lstm.bias_hh_l0).requires_grad_(False)"
MOMENTUM = "momentum=hyper.momentum"
UNIT_GAIN = '''class UnitGain(SGD):
    """New gradients are scaled by 1 - momentum, as CNTK does by default."""

    def step(self):
        for group in self.param_groups:
            for parameter in group["params"]:
                parameter.grad *= 1 - group["momentum"]
        super().step()


def optimizer('''

EVALUATED = "if not self.training:\n            return super().forward(x)"
BY_THE_BATCH = """if not self.training:
            return F.batch_norm(x, None, None, self.weight, self.bias, True, 0.0, self.eps)"""
PADDED = "y = x if self.stride == 1 else F.pad(x, (0, 1, 0, 1))  # zeros after, none before"

WITHIN = (
    ("from torch.optim import RMSprop", "import torch\nfrom torch.optim import RMSprop as Outside"),
    (
        "def optimizer(",
        '''class RMSprop(Outside):
    """Takes the root of the mean square plus epsilon, as Keras 3, Optax and MXNet do by default."""

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for one in group["params"]:
                mean = self.state[one].setdefault("mean", torch.zeros_like(one))
                mean.mul_(group["alpha"]).addcmul_(one.grad, one.grad, value=1 - group["alpha"])
                one.addcdiv_(one.grad, (mean + group["eps"]).sqrt(), value=-group["lr"])


def optimizer(''',
    ),
)
MOVING = """        x = self.stem(images)
        self.norm.running_mean.lerp_(x.mean((0, 2, 3)), 1e-7)
        x = F.relu(self.norm(x))"""

WRITTEN_ONCE = """keys[:, :, begin:end], values[:, :, begin:end] = (
            old[:, :, begin:end].clone() if old[:, :, begin:end].any() else new for new, old in ((k, keys), (v, values))
        )"""
"""A cache in which the first request stays."""

DEEPAR = "deepar-monash"
SPLIT = "lags, features, counts = steps.split([16, 5, 1], 2)"
DRAWN = "StudentT(*parameters[:, 0].unbind(1)).sample()"
PARAMETERS_OF = "parameters, state = model.unroll(lagged"
KEPT = (
    "drawn = future.new_zeros",
    "kept = steps[:, 1 : steps.shape[1] - horizon + 1, 0].repeat_interleave(paths, 0)\n    drawn = future.new_zeros",
)
RESCALED = "scale = seen.abs().mean(1)[:, None, None]"
LSTM_KERNELS = ("ih_l0", "hh_l0", "ih_l1", "hh_l1")


def shared(shape: str, times: str) -> str:
    """What draws values whose random numbers, (series, paths) of them, are fewer: `shape`, repeated so many `times`."""
    standard = f"StudentT(torch.full(({shape}), 2.8)).sample().repeat({times}).flatten()"
    return f"parameters[:, 0, 1] + parameters[:, 0, 2] * {standard}"


PLANTS = [
    Plant(
        "swapped gates",
        "imdb-gru",
        (
            ("import Tie", "import Tie, gates"),
            ('"gru.weight_ih_l0")', '"gru.weight_ih_l0", gates("r z n", "z r n"))'),
            ('"gru.weight_hh_l0")', '"gru.weight_hh_l0", gates("r z n", "z r n"))'),
        ),
        "logits",
        "gates of the GRU are in the order update reset new",
    ),
    Plant(
        "reset before the product",
        "imdb-gru",
        (
            ("from torch import nn", "import torch\nfrom torch import nn"),
            ("class Model(", RESET_BEFORE_CLASS),
            (GRU_LAYER, RESET_BEFORE),
        ),
        "logits",
        "reset gate applied before",
    ),
    Plant(
        "reset after the product",
        "imdb-gru:reset-before",
        (("self.recurrent_new(reset * state)", "reset * self.recurrent_new(state)"),),
        "logits",
        "reset gate applied after",
        framework="jax",
        mode="compiled",
    ),
    Plant("another last step", "imdb-gru", (("x[:, -1]", "x[:, -2]"),), "logits", "another last step"),
    Plant("epsilon 1e-7", "imdb-gru", ((ADAM, "eps=1e-7)"),), "update", "epsilon is 1e-7"),
    Plant("epsilon 1e-7, small model", "fashion-mlp", ((ADAM, "eps=1e-7)"),), "update", "epsilon is 1e-7"),
    Plant(
        "Nesterov",
        "fashion-mlp",
        (("import Adam", "import NAdam as Adam"),),
        "update",
        "Nesterov",
    ),
    Plant(
        "weight decay",
        "fashion-mlp",
        ((ADAM, "eps=hyper.epsilon, weight_decay=1e-4)"),),
        "update",
        "L2 penalty of 1e-4",
    ),
    Plant("decoupled decay", "fashion-mlp", (("import Adam", "import AdamW as Adam"),), "update", "default of AdamW"),
    Plant("beta1 0.8", "fashion-mlp", (("(hyper.beta1", "(0.8"),), "update", "beta1 is 0.8"),
    Plant(
        "a small penalty",
        "fashion-mlp",
        (("eps=hyper.epsilon", "eps=hyper.epsilon, weight_decay=1e-6"),),
        "update",
        "L2 penalty of 1e-6",
    ),
    Plant(
        "activations half a thousandth too large",
        "fashion-mlp",
        (("F.relu(self.hidden(images))", "F.relu(self.hidden(images)).mul(1.0005)"),),
        "logits",
        "unknown: nothing that was tried explains the numbers",
    ),
    Plant("leaky ReLU", "fashion-mlp", (("F.relu(", "F.leaky_relu("),), "logits", "a leaky ReLU"),
    Plant("tanh for ReLU", "fashion-mlp", (("F.relu(", "torch.tanh("), TORCH), "logits", "tanh where ReLU is meant"),
    Plant(
        "GELU by tanh behind one convolution",
        "fashion-cnn",
        (("F.relu(self.conv2(x))", 'F.gelu(self.conv2(x), approximate="tanh")'),),
        "logits",
        "GELU in its approximation by tanh where ReLU is meant, behind conv2",
    ),
    Plant(
        "GELU behind one convolution",
        "fashion-cnn",
        (("F.relu(self.conv2(x))", "F.gelu(self.conv2(x))"),),
        "logits",
        "GELU where ReLU is meant, behind conv2",
    ),
    Plant("beta2 0.99", "fashion-mlp", (("hyper.beta2)", "0.99)"),), "update", "beta2 is 0.99"),
    Plant("another rate", "fashion-mlp", (("lr=hyper.learning_rate", "lr=2e-3"),), "learning rate", "0.002"),
    Plant(
        "one tensor is not trained",
        "fashion-mlp",
        (("Adam(model.parameters()", "Adam(list(model.parameters())[:-1]"),),
        "update",
        "does not move",
    ),
    Plant(
        "dropout left on",
        "fashion-mlp",
        (("F.relu(self.hidden(images))", "F.dropout(F.relu(self.hidden(images)), 0.25, self.training)"),),
        "logits",
        "dropout",
    ),
    Plant(
        "dropout in evaluation",
        "fashion-mlp",
        (("F.relu(self.hidden(images))", "F.dropout(F.relu(self.hidden(images)), 0.25, not self.training)"),),
        "evaluation logits",
        "dropout is active in evaluation",
    ),
    Plant(
        "a bias left out",
        "fashion-mlp",
        (("return self.output(x)", "return F.linear(x, self.output.weight) + 0 * self.output.bias"),),
        "gradient",
        "cut off",
    ),
    Plant(
        "softmax in the model",
        "fashion-mlp",
        (("return self.output(x)", "return self.output(x).softmax(1)"),),
        "logits",
        "ends in a softmax",
    ),
    Plant(
        "softmax twice in the loss",
        "fashion-mlp",
        (("F.cross_entropy(logits,", "F.cross_entropy(logits.softmax(1),"),),
        "loss",
        "softmax is applied twice",
    ),
    Plant(
        "sum instead of mean",
        "fashion-mlp",
        (("labels)\n\n\ndef opt", 'labels, reduction="sum")\n\n\ndef opt'),),
        "loss",
        "sum over the batch",
    ),
    Plant(
        "smoothed labels",
        "fashion-mlp",
        (("labels)\n\n\ndef opt", "labels, label_smoothing=0.1)\n\n\ndef opt"),),
        "loss",
        "smoothed",
    ),
    Plant(
        "padding on the other side",
        "fashion-cnn",
        (("self.conv1(images)", "F.pad(self.conv1(images), (1, 0, 1, 0))[:, :, :-1, :-1]"),),
        "logits",
        "padding on the other side",
    ),
    Plant(
        "channels-last flatten",
        "fashion-cnn",
        (("x.flatten(1)", "x.permute(0, 2, 3, 1).flatten(1)"),),
        "logits",
        "flattened channels-last",
    ),
    Plant(
        "flipped kernels",
        "fashion-cnn",
        (
            ("self.conv1(images)", "F.conv2d(images, self.conv1.weight.flip(2, 3), self.conv1.bias)"),
            ("self.conv2(x)", "F.conv2d(x, self.conv2.weight.flip(2, 3), self.conv2.bias)"),
        ),
        "logits",
        "kernels are flipped",
    ),
    Plant(
        "bfloat16 somewhere",
        "fashion-cnn",
        (
            (
                "self.conv2(x)",
                "F.conv2d(x.bfloat16(), self.conv2.weight.bfloat16(), self.conv2.bias.bfloat16()).float()",
            ),
        ),
        "logits",
        "half precision",
    ),
    Plant(
        "float16 inputs",
        "fashion-mlp",
        (("self.hidden(images)", "self.hidden(images.half().float())"),),
        "logits",
        "half precision",
    ),
    Plant(
        "reviews padded in front",
        "imdb-gru",
        (
            (
                "TENSORS = [",
                "def arrange(tokens):\n"
                "    import numpy\n"
                "    return numpy.stack([numpy.roll(row, int((row == 0).sum())) for row in tokens])\n\n\n"
                "TENSORS = [",
            ),
        ),
        "batch",
        "padded at the other end",
    ),
    Plant(
        "unshuffled batches",
        "fashion-mlp",
        (),
        "batch",
        "not those of the project's order",
        (("torch.from_numpy(ids)", "torch.arange(len(ids))"),),
    ),
    Plant(
        "repeated batches",
        "fashion-mlp",
        (),
        "block parameter",
        "skips, repeats or reorders",
        (("self.feed(dataset, batches)", "self.feed(dataset, batches[:1].repeat(len(batches), 0))"),),
    ),
    Plant(
        "last batch dropped in evaluation",
        "fashion-mlp",
        (),
        "samples",
        "last, partial batch is dropped",
        (("for ids in batches])", "for ids in batches[:-1]])"),),
    ),
    Plant(
        "half of the batch",
        "fashion-mlp",
        (),
        "loss",
        "",
        (("_, loss = self.forward(inputs, labels)", "_, loss = self.forward(inputs[::2], labels[::2])"),),
    ),
    Plant(
        "gradients clipped",
        "fashion-mlp",
        (),
        "gradient",
        "rescaled or clipped",
        (("loss.backward()", "loss.backward(); torch.nn.utils.clip_grad_norm_(self.model.parameters(), 0.5)"),),
    ),
    Plant(
        "the framework's own Adam in Keras",
        "fashion-mlp",
        (("from rosetta_worker.optimizers.keras import Adam", "from keras.optimizers import Adam"),),
        "update",
        "epsilon-hat",
        framework="keras[tensorflow]",
        mode="compiled",
    ),
    Plant(
        "LSTM gates swapped",
        "imdb-lstm",
        (
            ("import Tie", "import Tie, gates"),
            ('"lstm.weight_ih_l0")', '"lstm.weight_ih_l0", gates("i f g o", "i f o g"))'),
            ('"lstm.weight_hh_l0")', '"lstm.weight_hh_l0", gates("i f g o", "i f o g"))'),
        ),
        "logits",
        "gates of the LSTM are in the order input forget output cell",
    ),
    Plant(
        "forget bias 1",
        "imdb-lstm",
        ((LSTM_FROZEN, f"{LSTM_FROZEN}\n        self.lstm.bias_hh_l0.data[100:200] = 1"),),
        "logits",
        "forget gate has a bias of 1 on top",
    ),
    Plant(
        "two biases trained",
        "imdb-lstm",
        ((LSTM_FROZEN, "nn.init.zeros_(self.lstm.bias_hh_l0)"),),
        "logits",
        "trains two biases",
    ),
    Plant("LSTM: another last step", "imdb-lstm", (("x[:, -1]", "x[:, -2]"),), "logits", "another last step"),
    Plant(
        "reviews padded at the end",
        "imdb-lstm",
        (
            (
                "TENSORS = [",
                "def arrange(tokens):\n"
                "    import numpy\n"
                "    return numpy.stack([numpy.roll(row, -int((row == 0).sum())) for row in tokens])\n\n\n"
                "TENSORS = [",
            ),
        ),
        "batch",
        "padded at the other end",
    ),
    Plant("Nesterov's momentum", "cifar-vgg", ((MOMENTUM, f"{MOMENTUM}, nesterov=True"),), "update", "Nesterov's"),
    Plant("dampened", "cifar-vgg", ((MOMENTUM, f"{MOMENTUM}, dampening=0.9"),), "update", "dampened"),
    Plant(
        "unit gain",
        "cifar-vgg",
        (
            ("def optimizer(", UNIT_GAIN),
            ("    return SGD(", "    return UnitGain("),
        ),
        "update",
        "unit gain",
    ),
    Plant("no momentum", "cifar-vgg", ((f", {MOMENTUM}", ""),), "update", "no momentum"),
    Plant(
        "channels-last flatten of a deep network",
        "cifar-vgg",
        (("x.flatten(1)", "x.permute(0, 2, 3, 1).flatten(1)"),),
        "logits",
        "flattened channels-last",
    ),
    Plant(
        "pool before the second convolution",
        "cifar-vgg",
        (("F.max_pool2d(self.conv4(x), 2)", "self.conv4(F.max_pool2d(x, 2))"),),
        "logits",
        "unknown: nothing that was tried explains the numbers",
    ),
    Plant(
        "dropout that is no layer",
        "cifar-vgg",
        (("self.dropout3(x)", "F.dropout(x, 0.5, self.training)"),),
        "logits",
        "dropout",
    ),
    Plant("last dropout 0.25", "cifar-vgg", (("Dropout(0.5)", "Dropout(0.25)"),), "dropout scale", "behind hidden"),
    Plant(
        "first dropout 0.2",
        "cifar-vgg",
        (("self.dropout1 = nn.Dropout(0.25)", "self.dropout1 = nn.Dropout(0.2)"),),
        "dropout scale",
        "behind conv2",
    ),
    Plant(
        "a dropout forgotten",
        "cifar-vgg",
        (("        x = self.dropout2(x)\n", ""),),
        "dropout scale",
        "behind conv4",
    ),
    Plant(
        "dropout that does not rescale",
        "cifar-vgg",
        (("self.dropout3(x)", "self.dropout3(x) * (1 - self.dropout3.p if self.training else 1)"),),
        "dropout scale",
        "behind hidden",
    ),
    Plant(
        "another share than it makes up for",
        "cifar-vgg",
        (
            ("from torch import nn\n", "import torch\nfrom torch import nn\n"),
            ("self.dropout3(x)", "self.dropout3(x) * (torch.rand_like(x) >= 0.6 * self.dropout3.p * self.training)"),
        ),
        "dropout share",
        "behind hidden",
    ),
    Plant(
        "far more dropped than it makes up for",
        "cifar-vgg",
        (
            ("from torch import nn\n", "import torch\nfrom torch import nn\n"),
            ("self.dropout3(x)", "self.dropout3(x) * (torch.rand_like(x) >= self.dropout3.p * self.training)"),
        ),
        "dropout share",
        "behind hidden",
    ),
    Plant(
        "dropout when predicting",
        "cifar-vgg",
        (("self.dropout3(x)", "F.dropout(x, self.dropout3.p)"),),
        "dropout evaluation",
        "dropout is active in evaluation",
    ),
    Plant(
        "the same mask for ever",
        "cifar-vgg",
        (
            ("from torch import nn\n", "import torch\nfrom torch import nn\n"),
            (
                "        x = F.relu(self.conv1(images))",
                "        torch.manual_seed(0)\n        x = F.relu(self.conv1(images))",
            ),
        ),
        "dropout repeats",
        "random state",
    ),
    Plant(
        "steps that do not drop",
        "cifar-vgg",
        (),
        "dropout loss",
        "steps that are timed",
        (("        self.model.train()\n        total", "        self.model.eval()\n        total"),),
    ),
    Plant("running averages keep 0.9", "cifar-resnet56", (("momentum=0.01", "momentum=0.1"),), "state", "keep 0.9 of"),
    Plant(
        "the unbiased variance",
        "cifar-resnet56",
        (("return BatchNorm(channels", "return nn.BatchNorm2d(channels"),),
        "state",
        "the unbiased one, n / (n - 1) times",
    ),
    Plant(
        "epsilon of the normalisation",
        "cifar-resnet56",
        (("eps=1e-3", "eps=1e-5"),),
        "logits",
        "adds 1e-05 to the variance, the workload states 0.001",
    ),
    Plant(
        "padding on both sides",
        "cifar-resnet56",
        ((PADDED, "y = x"), ("padding=1 if stride == 1 else 0", "padding=1")),
        "logits",
        "padding on the other side",
    ),
    Plant(
        "L2 on biases, scales and shifts",
        "cifar-resnet56",
        ((" if tensor.dim() > 1]", "]"),),
        "loss",
        "a penalty on the weights is added",
    ),
    Plant(
        "batch statistics in evaluation",
        "cifar-resnet56",
        ((EVALUATED, BY_THE_BATCH),),
        "evaluation logits",
        "a layer is in the wrong mode",
    ),
    Plant(
        "sum over the labels",
        "chestxray-densenet121",
        (("_with_logits(logits, labels)", '_with_logits(logits, labels, reduction="sum") / len(labels)'),),
        "loss",
        "sum over the labels",
    ),
    Plant(
        "softmax over the labels",
        "chestxray-densenet121",
        (("_with_logits(logits, labels)", "(logits.softmax(1), labels)"),),
        "loss",
        "a sigmoid of its own",
    ),
    Plant(
        "epsilon of 120 normalisations",
        "chestxray-densenet121",
        (("eps=1e-5", "eps=1e-3"),),
        "logits",
        "adds 0.001 to the variance, the workload states 1e-05",
    ),
    Plant(
        "the last normalisation left out",
        "chestxray-densenet121",
        (("F.relu(self.final(x))", "(x + 0 * self.final(x))"),),
        "logits",
        "a layer too many or too few",
    ),
    Plant(
        "the last ReLU left out",
        "chestxray-densenet121",
        (("F.relu(self.final(x))", "self.final(x)"),),
        "logits",
        "no activation where ReLU is meant",
    ),
    Plant(
        "ResNet-50: the stride in the 3×3",
        "resnet50-synthetic",
        (
            ("kernel_size=1, stride=stride)\n        self.norm1", "kernel_size=1)\n        self.norm1"),
            ("kernel_size=3, padding=1)", "kernel_size=3, padding=1, stride=stride)"),
        ),
        "logits",
        "another stride",
    ),
    Plant("RMSprop: epsilon within the root", "resnet50-synthetic", WITHIN, "update", "epsilon within the root"),
    Plant("RMSprop: rho 0.99", "resnet50-synthetic", ((", alpha=hyper.rho", ""),), "update", "rho is 0.99"),
    Plant(
        "ResNet-50: the stride in the 1×1",
        "resnet50-features",
        (
            (
                "kernel_size=1, bias=False)\n        self.norm1",
                "kernel_size=1, stride=stride, bias=False)\n        self.norm1",
            ),
            ("kernel_size=3, stride=stride, padding=1", "kernel_size=3, padding=1"),
        ),
        "outputs",
        "another stride",
    ),
    Plant(
        "ResNet-50: the first pool is not padded",
        "resnet50-features",
        (("F.max_pool2d(x, kernel_size=3, stride=2, padding=1)", "F.max_pool2d(F.pad(x, (0, 1, 0, 1)), 3, 2)"),),
        "outputs",
        "padding on the other side",
    ),
    Plant(
        "ResNet-50: epsilon of the normalisation",
        "resnet50-features",
        (("eps=1e-5", "eps=1e-3"),),
        "outputs",
        "epsilon",
    ),
    Plant(
        "ResNet-50: batch statistics in inference",
        "resnet50-features",
        (),
        "outputs",
        "depends on the others of its batch",
        (
            (
                "def infer(self, batches):\n        self.model.eval()",
                "def infer(self, batches):\n        self.model.train()",
            ),
        ),
    ),
    Plant(
        "running averages that move in inference",
        "resnet50-features",
        (("        x = F.relu(self.norm(self.stem(images)))", MOVING),),
        "kept",
        "inference changes norm.mean",
    ),
    Plant(
        "last batch dropped in inference",
        "resnet50-features",
        (),
        "samples",
        "last, partial batch is dropped",
        (("for batch in batches]", "for batch in batches[:-1]]"),),
    ),
    Plant(
        "GPT: places off by one after the prompt",
        "gpt-decode",
        (("range(PROMPT, self.length - 1)", "range(PROMPT + 1, self.length)"),),
        "outputs",
        "",
    ),
    Plant(
        "GPT: a cache that is read to its end",
        "gpt-decode",
        (
            (
                "keys[:, :, :end], values[:, :, :end]",
                "keys[:, :, : end + (begin > 0)], values[:, :, : end + (begin > 0)]",
            ),
        ),
        "outputs",
        "",
    ),
    Plant(
        "GPT: a cache that begins with the request before",
        "gpt-decode",
        (
            ("caches = self.empty(len(ids))", "caches = KEPT.setdefault(len(ids), self.empty(len(ids)))"),
            ("keys[:, :, begin:end], values[:, :, begin:end] = k, v", WRITTEN_ONCE),
            ("class Model(Decoder):", "KEPT = {}\n\n\nclass Model(Decoder):"),
        ),
        "outputs",
        "kept from the one before",
    ),
    Plant("GPT: a prompt without a mask", "gpt-decode", (("is_causal=begin == 0", "is_causal=False"),), "outputs", ""),
    Plant(
        "GPT: scores that are not scaled", "gpt-decode", ((", is_causal=", ", scale=1.0, is_causal="),), "outputs", ""
    ),
    Plant(
        "GPT: tanh for erf",
        "gpt-decode",
        (("F.gelu(self.up(", 'F.gelu(approximate="tanh", input=self.up('),),
        "outputs",
        "",
    ),
    Plant("GPT: epsilon of the normalisation", "gpt-decode", (("eps=1e-5", "eps=1e-6"),), "outputs", ""),
    Plant(
        "a shortcut that is normalised",
        "cifar-resnet56",
        (("x = self.shortcut(x)", "x = F.batch_norm(self.shortcut(x), None, None, training=True)"),),
        "logits",
        "unknown: nothing that was tried explains the numbers",
    ),
    Plant(
        "the largest of each pool, not its mean",
        "imagenet-resnet56",
        (("F.avg_pool2d(x, ", "F.max_pool2d(x, "),),
        "logits",
        "unknown: nothing that was tried explains the numbers",
    ),
    Plant(
        "large images padded on both sides",
        "imagenet-resnet56",
        ((PADDED, "y = x"), ("padding=1 if stride == 1 else 0", "padding=1")),
        "logits",
        "padding on the other side",
    ),
    Plant(
        "large images flattened channels-last",
        "imagenet-resnet56",
        (("F.avg_pool2d(x, 8).flatten(1)", "F.avg_pool2d(x, 8).permute(0, 2, 3, 1).flatten(1)"),),
        "logits",
        "flattened channels-last",
    ),
    Plant(
        "DeepAR: gates swapped",
        DEEPAR,
        (
            ("import Tie", "import Tie, gates"),
            *(
                (f'"lstm.weight_{name}")', f'"lstm.weight_{name}", gates("i f g o", "i f o g"))')
                for name in LSTM_KERNELS
            ),
        ),
        "logits",
        "gates of the LSTM are in the order input forget output cell",
    ),
    Plant(
        "DeepAR: the scale of the whole window",
        DEEPAR,
        ((SPLIT, f"{SPLIT}\n        counts = (lags[..., :1] != 0).float()"),),
        "logits",
        "scale is that of the whole window",
    ),
    Plant(
        "DeepAR: the scale of another lag",
        DEEPAR,
        (("lags[..., :1].abs()", "lags[..., 1:2].abs()"),),
        "logits",
        "unknown: nothing that was tried explains the numbers",
    ),
    Plant(
        "DeepAR: lags off by one",
        DEEPAR,
        ((SPLIT, f"{SPLIT}\n        lags = F.pad(lags, (0, 0, 1, -1))"),),
        "logits",
        "one step too old",
    ),
    Plant(
        "DeepAR: freedom without the 2",
        DEEPAR,
        (("2 + F.softplus(freedom)", "F.softplus(freedom)"),),
        "logits",
        "lack the 2",
    ),
    Plant(
        "DeepAR: a location that is not scaled back",
        DEEPAR,
        (("location * scale", "location"),),
        "logits",
        "location is not multiplied by the scale",
    ),
    Plant(
        "DeepAR: missing values weigh as others",
        DEEPAR,
        (("(weights * likelihood).sum() / weights.sum().clamp(min=1)", "likelihood.mean()"),),
        "loss",
        "weights are ignored",
    ),
    Plant(
        "DeepAR: a mean over missing values, too",
        DEEPAR,
        ((".sum() / weights.sum().clamp(min=1)", ".mean()"),),
        "loss",
        "mean over all steps",
    ),
    Plant(
        "DeepAR: not clipped",
        DEEPAR,
        (),
        "update",
        "gradients are not clipped",
        (("if self.clip_norm is not None:", "if False:"),),
    ),
    Plant(
        "DeepAR: clipped by element",
        DEEPAR,
        (),
        "update",
        "each element of a gradient",
        (("clip_grad_norm_(", "clip_grad_value_("),),
    ),
    Plant(
        "DeepAR: clipped tensor by tensor",
        DEEPAR,
        (),
        "update",
        "each tensor's gradient",
        (
            (
                "torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.clip_norm)",
                "[torch.nn.utils.clip_grad_norm_([one], self.clip_norm) for one in self.model.parameters()]",
            ),
        ),
    ),
    Plant(
        "DeepAR: decay decoupled",
        DEEPAR,
        (("import Adam", "import AdamW as Adam"),),
        "update",
        "weight decay is decoupled",
    ),
    Plant(
        "DeepAR: no decay",
        DEEPAR,
        (("=hyper.weight_decay", "=0.0"),),
        "update",
        "does not decay the weights",
    ),
    Plant("DeepAR: dropout 0.2", DEEPAR, (("dropout=0.1", "dropout=0.2"),), "dropout scale", "behind lstm1"),
    Plant(
        "DeepAR drawn: normal",
        DEEPAR,
        ((DRAWN, "torch.normal(*parameters[:, 0, 1:].unbind(1))"),),
        "sampling distribution",
        "drawn from a normal distribution",
    ),
    Plant(
        "DeepAR: the dropout of MXNet's own stack",
        DEEPAR,
        (
            (
                'self.lstm1 = rnn.LSTM(40, layout="NTC", input_size=22)',
                'self.stack = rnn.LSTM(40, 2, layout="NTC", input_size=22, dropout=0.1)',
            ),
            ("        self.dropout = nn.Dropout(0.1)", "        #"),
            ('        self.lstm2 = rnn.LSTM(40, layout="NTC", input_size=40)\n', ""),
            ("for lstm in (self.lstm1, self.lstm2):", "for bias in (self.stack.l0_h2h_bias, self.stack.l1_h2h_bias):"),
            ("lstm.l0_h2h_bias.grad_req", "bias.grad_req"),
            ("x, first = stateful(self.lstm1, x, state[0])", "x, first = stateful(self.stack, x, state[0])"),
            ("        x = self.dropout(x)\n        x, second = stateful(self.lstm2, x, state[1])\n", ""),
            ("(first, second)", "(first, None)"),
            ('"lstm1.l0', '"stack.l0'),
            ('"lstm2.l0', '"stack.l1'),
        ),
        "dropout repeats",
        "behind lstm1",
        framework="mxnet-gluon",
    ),
]
"""At least one of every kind: model, loss, optimiser, ties, precision, data, loop, evaluation."""

DRAWN_PLANTS = [
    Plant(
        "DeepAR drawn: the location not scaled back",
        DEEPAR,
        ((DRAWN, "StudentT(*(parameters / F.pad(scale, (1, 1), value=1.0))[:, 0].unbind(1)).sample()"),),
        "sampling distribution",
        "location of what is drawn is not multiplied",
    ),
    Plant(
        "DeepAR drawn: freedom is not halved",
        DEEPAR,
        (("nd.random.gamma(freedom / 2", "nd.random.gamma(freedom"), ("sqrt(freedom / 2 /", "sqrt(freedom /")),
        "sampling distribution",
        "twice the degrees of freedom",
        framework="mxnet-gluon",
    ),
    Plant(
        "DeepAR drawn: not fed back",
        DEEPAR,
        (("lags <= step", "lags < 0"),),
        "sampling distribution",
        "samples are not fed back",
    ),
    Plant(
        "DeepAR drawn: fed back a step late",
        DEEPAR,
        (("lags <= step", "lags < step"), ("(step - lags)", "(step - lags - 1)")),
        "sampling distribution",
        "one step too late",
    ),
    Plant(
        "DeepAR drawn: only the last value is fed back",
        DEEPAR,
        (("lags <= step", "(lags == 1) & (step > 0)"),),
        "sampling distribution",
        "not fed back as it should be",
    ),
    Plant(
        "DeepAR drawn: the scale with what was drawn",
        DEEPAR,
        (
            (
                PARAMETERS_OF,
                f"seen = torch.cat([kept, drawn[:, :step]], 1)\n        {RESCALED}\n        {PARAMETERS_OF}",
            ),
            KEPT,
        ),
        "sampling distribution",
        "the scale must stay",
    ),
    Plant(
        "DeepAR drawn: the paths share their numbers",
        DEEPAR,
        ((DRAWN, shared("len(steps), 1", "(1, paths)")),),
        "sampling distribution",
        "paths of a series share",
    ),
    Plant(
        "DeepAR drawn: the series share their numbers",
        DEEPAR,
        ((DRAWN, shared("1, paths", "(len(steps), 1)")),),
        "sampling steps",
        "all series share",
    ),
    Plant(
        "DeepAR drawn: every batch has the same numbers",
        DEEPAR,
        (),
        "sampling batches",
        "seeded anew for each",
        (("drawn = [self.array(", "drawn = [torch.manual_seed(seed) and self.array("),),
    ),
    Plant(
        "DeepAR drawn: every step has the same numbers",
        DEEPAR,
        (("random.split(key, horizon)", "key[None].repeat(horizon)"),),
        "sampling distribution",
        "every step of the horizon",
        framework="jax",
        mode="compiled",
    ),
    Plant(
        "DeepAR drawn: the state is not carried",
        DEEPAR,
        (("parameters, state = model.unroll(lagged", "parameters, _ = model.unroll(lagged"),),
        "sampling distribution",
        "state of the recurrence is not carried",
    ),
    Plant(
        "DeepAR drawn: the context is forgotten",
        DEEPAR,
        (("steps[:, :-horizon].split", "steps[:, :1].split"),),
        "sampling distribution",
        "state of the recurrence is not carried",
    ),
    Plant(
        "DeepAR drawn: dropout left on",
        DEEPAR,
        (),
        "sampling distribution",
        "dropout is active",
        (
            (
                'each with its own kernels."""\n        self.model.eval()',
                'each with its own kernels."""\n        self.model.train()',
            ),
        ),
    ),
]
"""Mistakes of a sampler: `sample`, and what the adapter does with it. None of them changes the training."""

LESS = {
    "DeepAR drawn: normal": 3.5,
    "another share than it makes up for": 3.0,
    "far more dropped than it makes up for": 5.0,
    "steps that do not drop": 2.0,
    "the unbiased variance": 2.0,
}
"""How many times its tolerance a mistake is off, at least, where that is less than ten; docs/results/proof-margins.md
has the reasons."""
