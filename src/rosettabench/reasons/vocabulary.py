"""One vocabulary for what frameworks call their operations: patterns for each framework, as data.

The first pattern that is found in an operation's name decides. What an operation is called says what it computes, not
which layer asked for it: a recurrent layer that a framework takes apart shows as matrix products and elementwise
operations, and ``recurrent`` is a kernel that computes a whole sequence.

Names are those of the pinned releases: ``aten::mm`` (PyTorch), ``node:MatMul`` (TensorFlow), ``FullyConnected``
(MXNet), ``LinearFunction`` (Chainer), and for JAX the instruction, its source, and the opcodes that it is made of:
``ynn_fusion.4 jit(update)/jvp()/dot_general [dot parameter]``.
"""

from __future__ import annotations

import re

from rosettabench.reasons.measured import Operation, Profile

MATMUL, CONVOLUTION, RECURRENT, ELEMENTWISE = "matmul", "convolution", "recurrent", "elementwise"
COPY, OPTIMISER, IDLE, OTHER = "copy", "optimiser", "idle", "other"

WORDS = {
    MATMUL: "products of matrices",
    CONVOLUTION: "convolutions",
    RECURRENT: "kernels of a whole sequence",
    ELEMENTWISE: "elementwise operations, reductions, pooling, softmax",
    COPY: "copies: gathering, slicing, joining, filling, transposing",
    OPTIMISER: "updates of parameters",
    IDLE: "outside of operations: interpreter, dispatch, waiting",
    OTHER: "what has no name here",
}
"""The vocabulary, in the order in which tables show it."""

Patterns = tuple[tuple[str, str], ...]

ARITHMETIC = (
    r"add|sub|mul|div|neg|abs|exp|log|pow|sqrt|square|sigm|tanh|relu|clamp|thresh|max|min|mean|sum|softmax|nll|cross|"
    r"pool|where|select|compare|equal|greater|less|eq_|ge_|gt_|lt_|erf|gelu|drop|norm|bias|lerp|reduce|argmax|cast|sign"
)
"""Parts of names of elementwise operations and reductions, in every framework alike."""

PATTERNS: dict[str, Patterns] = {
    "pytorch": (
        (r"^optimizer/", OPTIMISER),
        (
            r"autograd::|Backward\d+$|^CompiledFunction|Torch-Compiled Region|Dynamo|AOTDispatcher|Pregraph bytecode",
            IDLE,
        ),
        (r"conv", CONVOLUTION),
        (r"::(gru|lstm|rnn|mkldnn_rnn)|_cudnn_rnn", RECURRENT),
        (r"::(addmm|mm|bmm|baddbmm|matmul|linear|mv|addmv|dot|mkldnn_linear|mkl_linear)", MATMUL),
        (r"CompiledFxGraph|cpp_fused|triton", ELEMENTWISE),
        (r"::(index|embedding|gather|scatter|select|slice|split|unsafe_split|narrow|chunk|unbind|cat|stack)", COPY),
        (
            r"unsafe_chunk|unsafe_view|resolve_(conj|neg)|copy|::to$|clone|contiguous|fill|zero|ones|empty|full|resize|set_|lift|item|local_scalar",
            COPY,
        ),
        (
            r"::(t|transpose|permute|view|reshape|expand|squeeze|unsqueeze|as_strided|detach|alias|flatten)|^detach",
            COPY,
        ),
        (ARITHMETIC, ELEMENTWISE),
    ),
    "jax": (
        (r"\[.*\bconvolution\b", CONVOLUTION),
        (r"\[.*\bdot\b", MATMUL),
        (r"jit\((update|step)\)/(?!.*(jvp\(|gather))|optax|bias_correction|integer_pow", OPTIMISER),
        (
            r"\[[^\]]*\b(add|subtract|multiply|divide|exponential|tanh|logistic|reduce|maximum|power|sqrt|log)\b",
            ELEMENTWISE,
        ),
        (r"\[.*\b(copy|transpose|gather|scatter|slice|dynamic-|broadcast|concatenate|bitcast|pad|iota|convert)", COPY),
        (r"\[.*\b(select|compare|and|or|negate|reduce-window|abs|minimum|rsqrt|sign)\b", ELEMENTWISE),
        (r"\[.*\b(while|call|conditional|tuple|get-tuple-element|parameter|constant)\b", IDLE),
    ),
    "keras[tensorflow]": (
        (r"^(adam|sgd|rm_?sprop|nadam|adamw)(_\d+)?/|Resource(Apply|Sparse)|UnsortedSegmentSum", OPTIMISER),
        (r":.*Conv\dD", CONVOLUTION),
        (r":.*(MatMul|Einsum)", MATMUL),
        (r":.*(GRU|LSTM|CudnnRNN)", RECURRENT),
        (r": ?(AssignVariable|AssignAdd|AssignSub|ReadVariable|_Send|_Recv|Identity|_Eager|Tensor(List|Array))", COPY),
        (r":.*(Gather|Scatter|Slice|Split|Concat|Pack|Fill|Zeros|Ones|Reshape|Transpose|Expand|Squeeze|Cop|Pad)", COPY),
        (r": ?(Shape|Range|Const|Stack|Unstack|StackPush|StackPop|DynamicStitch|Tile|Reverse|Broadcast)", COPY),
        (r":.*(Switch|Merge|Enter|Exit|NextIteration|LoopCond|While|If|Partitioned|Control|NoOp|Arg|Retval)", IDLE),
        (r":.*(?i:" + ARITHMETIC + r"|xent|fused|logical)", ELEMENTWISE),
    ),
    "mxnet-gluon": (
        (r"_update$", OPTIMISER),
        (r"Convolution", CONVOLUTION),
        (r"(^|_)RNN$", RECURRENT),
        (r"FullyConnected|(^|_)dot$|batch_dot|gemm", MATMUL),
        (r"take|Embedding|SwapAxis|Concat|concat|slice|split|transpose|reshape|Reshape|Flatten|zeros|ones|full", COPY),
        (r"DeleteVariable|SetValueOp|Copy|copy|stack|expand_dims|squeeze|arange", COPY),
        (r"(?i:" + ARITHMETIC + r"|Activation|broadcast)", ELEMENTWISE),
        (r"ImperativeBulk|CachedOp", OTHER),
    ),
    "chainer": (
        (r"^optimizer/", OPTIMISER),
        (r"Convolution|Deconvolution", CONVOLUTION),
        (r"Linear|MatMul", MATMUL),
        (r"NStep", RECURRENT),
        (r"Concat|Split|Separate|Stack|Transpose|GetItem|EmbedID|Reshape|Permutate|Copy|Broadcast|Cast|Squeeze", COPY),
        (r"(?i:" + ARITHMETIC + r")", ELEMENTWISE),
    ),
}
"""By framework: (pattern, word). An operation that none of them knows is ``other``."""

PATTERNS |= {
    "tensorflow": PATTERNS["keras[tensorflow]"],
    "tensorflow-graph": ((r":.*(Apply[A-Z]|ScatterAdd|Assign(Sub)?$)", OPTIMISER), *PATTERNS["keras[tensorflow]"]),
    "keras[jax]": ((r"/(adam|sgd|rm_?sprop|nadam|adamw)(_\d+)?/", OPTIMISER), *PATTERNS["jax"]),
    "keras[torch]": ((r"::_foreach_", OPTIMISER), *PATTERNS["pytorch"]),
    # A stretch of the graph is one operation, and its name lists what is in it: it counts as the heaviest kind.
    "mxnet-module": ((r"Convolution", CONVOLUTION), (r"[\[,_]RNN\b", RECURRENT), *PATTERNS["mxnet-gluon"]),
}

WAY_BACK = r"transpose\(jvp|[Bb]ackward|Backprop|gradient_tape/"
"""In names of operations that compute a gradient: of JAX, of PyTorch and MXNet, of TensorFlow's convolutions and tape.

A name without it may be of a gradient all the same: PyTorch's products of matrices have one name for both ways.
"""


def is_gradient(operation: Operation) -> bool:
    """Return whether an operation's name says that it belongs to the way back."""
    return re.search(WAY_BACK, operation.name) is not None


def word(framework: str, operation: Operation) -> str:
    """Return what an operation of a framework is in the vocabulary."""
    told = f"{operation.name} [{' '.join(operation.within)}]" if operation.within else operation.name
    return next((word for pattern, word in PATTERNS.get(framework, ()) if re.search(pattern, told)), OTHER)


def spent(framework: str, profile: Profile) -> dict[str, float]:
    """Return {word: seconds of one step} for a profiled block; what no operation took of its wall time is idle."""
    seconds = dict.fromkeys(WORDS, 0.0)
    for operation in profile.operations:
        seconds[word(framework, operation)] += operation.seconds
    seconds[IDLE] += max(0.0, profile.elapsed_s - sum(operation.seconds for operation in profile.operations))
    return {name: total / profile.steps for name, total in seconds.items()}
