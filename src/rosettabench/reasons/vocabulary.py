"""One vocabulary for the operations of all frameworks: patterns for each framework, as data.

The first pattern that matches an operation's name decides. A name says what an operation computes, not which layer it
belongs to. A recurrent layer that a framework splits appears as matrix products and elementwise operations; the word
``recurrent`` is for kernels that compute a whole sequence.

The names are those of the locked releases: ``aten::mm`` (PyTorch), ``node:MatMul`` (TensorFlow), ``FullyConnected``
(MXNet), ``LinearFunction`` (Chainer). For JAX they are the instruction, its source, and the opcodes inside it:
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
"""The vocabulary, in the order of the tables."""

Patterns = tuple[tuple[str, str], ...]

ARITHMETIC = (
    r"add|sub|mul|div|neg|abs|exp|log|pow|sqrt|square|sigm|tanh|relu|clamp|thresh|max|min|mean|sum|softmax|nll|cross|"
    r"pool|where|select|compare|equal|greater|less|eq_|ge_|gt_|lt_|erf|gelu|drop|norm|bias|lerp|reduce|argmax|cast|sign"
)
"""Parts of the names of elementwise operations and reductions, common to all frameworks."""

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
    "paddle": (
        (r"^optimizer/", OPTIMISER),
        (r"Dy2StGradNode|GradNodeAccumulation|builtin_combine", IDLE),
        (r"(?i)conv", CONVOLUTION),
        (r"(?i)rnn", RECURRENT),
        (r"(?i)matmul", MATMUL),
        (r"(?i)gather|index|embedding|slice|split|concat|stack|pad|full|assign|copy|zeros|set_value", COPY),
        (r"(?i)transpose|reshape|flatten|squeeze|expand|shape|tril|triu", COPY),
        (r"(?i:" + ARITHMETIC + r")", ELEMENTWISE),
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
"""Framework → (pattern, word) pairs. An operation without a match is ``other``."""

PATTERNS |= {
    "tensorflow": PATTERNS["keras[tensorflow]"],
    "tensorflow-graph": ((r":.*(Apply[A-Z]|ScatterAdd|Assign(Sub)?$)", OPTIMISER), *PATTERNS["keras[tensorflow]"]),
    "keras[jax]": ((r"/(adam|sgd|rm_?sprop|nadam|adamw)(_\d+)?/", OPTIMISER), *PATTERNS["jax"]),
    "keras[torch]": ((r"::_foreach_", OPTIMISER), *PATTERNS["pytorch"]),
    # One operation is a section of the graph, and its name lists the content: the heaviest kind in it counts.
    "mxnet-module": ((r"Convolution", CONVOLUTION), (r"[\[,_]RNN\b", RECURRENT), *PATTERNS["mxnet-gluon"]),
}

WAY_BACK = r"transpose\(jvp|[Bb]ackward|Backprop|gradient_tape/|GradNode|_grad_?$"
"""Matches names of operations that compute a gradient: in JAX, PyTorch, MXNet, TensorFlow's convolutions and tape, and
PaddlePaddle.

Other names may belong to a gradient too: PyTorch's matrix products have one name in the forward and backward pass.
"""


def is_gradient(operation: Operation) -> bool:
    """Return whether an operation's name says that it belongs to the backward pass."""
    return re.search(WAY_BACK, operation.name) is not None


def word(framework: str, operation: Operation) -> str:
    """Return the word for an operation of a framework."""
    told = f"{operation.name} [{' '.join(operation.within)}]" if operation.within else operation.name
    return next((word for pattern, word in PATTERNS.get(framework, ()) if re.search(pattern, told)), OTHER)


def spent(framework: str, profile: Profile) -> dict[str, float]:
    """Return {word: seconds per step} for a profiled block; wall time outside of operations is idle."""
    seconds = dict.fromkeys(WORDS, 0.0)
    for operation in profile.operations:
        seconds[word(framework, operation)] += operation.seconds
    seconds[IDLE] += max(0.0, profile.elapsed_s - sum(operation.seconds for operation in profile.operations))
    return {name: total / profile.steps for name, total in seconds.items()}
