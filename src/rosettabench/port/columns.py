"""The function `named` of a file: it takes several inputs out of the one array that a batch brings.

The inputs are columns of that array, in the order of their names, as `rosettabench.data.own.packed` packs them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from rosettabench.port.description import Inputs


@dataclass(frozen=True)
class Columns:
    """The columns `begin` to `end`, exclusive, of one input: its `shape`, and whether it is `cast` to whole numbers."""

    begin: int
    end: int
    shape: tuple[int, ...]
    cast: bool

    @property
    def cut(self) -> str:
        """The columns as an index has them: one number for a single value."""
        return f"inputs[:, {self.begin}]" if self.shape == () else f"inputs[:, {self.begin}:{self.end}]"

    @property
    def batch(self) -> str:
        """The shape of a batch: ``(-1, 4, 4)``."""
        return f"({', '.join(map(str, (-1, *self.shape)))})" if self.shape else "(-1,)"


def columns_of(inputs: Inputs) -> dict[str, Columns]:
    """Return {name: columns} of inputs. Whole numbers beside real ones are real numbers in the array."""
    mixed = len({one.below is None for one in inputs.values()}) > 1
    found, begin = {}, 0
    for name, one in inputs.items():
        end = begin + one.columns
        found[name] = Columns(begin, end, one.shape, mixed and one.below is not None)
        begin = end
    return found


def named_words(framework: str, inputs: Inputs) -> str:
    """Return the function `named` of a framework's file."""
    names = list(inputs)
    taken = "F, inputs" if framework == "mxnet-gluon" else "inputs"
    lines = "".join(f"    {name} = {TAKEN[framework](one)}\n" for name, one in columns_of(inputs).items())
    return (
        f'def named({taken}):\n    """Return {join_names(names)}, which a batch brings as columns of one array."""\n'
        f"{lines}    return {', '.join(names)}\n"
    )


def join_names(names: list[str]) -> str:
    """Return names as a sentence has them: ``user, item and time``."""
    return f"{', '.join(names[:-1])} and {names[-1]}"


def by_methods(cast: str) -> Callable[[Columns], str]:
    """Return how a framework takes an input whose arrays have methods; `cast` is that for whole numbers."""

    def take(one: Columns) -> str:
        """Return the expression for one input."""
        return one.cut + (f".reshape{one.batch}" if len(one.shape) > 1 else "") + (cast if one.cast else "")

    return take


def by_functions(module: str, whole: str) -> Callable[[Columns], str]:
    """Return how a framework takes an input with the functions of a module; `whole` is its type of whole numbers."""

    def take(one: Columns) -> str:
        """Return the expression for one input."""
        taken = f"{module}.reshape({one.cut}, {one.batch})" if len(one.shape) > 1 else one.cut
        return f"{module}.cast({taken}, {whole})" if one.cast else taken

    return take


def in_gluon(one: Columns) -> str:
    """Return how a HybridBlock takes an input out of the columns; an embedding of MXNet takes real numbers, too."""
    taken = f"F.slice_axis(inputs, axis=1, begin={one.begin}, end={one.end})"
    return taken if len(one.shape) == 1 else f"F.reshape({taken}, shape={one.batch})"


TAKEN: Mapping[str, Callable[[Columns], str]] = {
    "pytorch": by_methods(".long()"),
    "jax": by_methods('.astype("int32")'),
    "keras": by_functions("ops", '"int32"'),
    "tensorflow": by_functions("tf", "tf.int32"),
    "mxnet-gluon": in_gluon,
}
"""{framework: function that writes how an input is taken}."""
