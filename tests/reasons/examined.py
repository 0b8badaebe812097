"""Examinations made up for tests: what was measured follows from parts that are known."""

import numpy as np

from rosettabench.reasons.measured import MeasuredCell, MeasuredRounds, Subject

SIZES = (4, 8, 16, 32, 64, 128)


def subject(label, parts, random, rounds=12, noise=0.0, without=(), bent=0.0):
    """A contender whose step is made of `parts`, in seconds: a, b, optimiser, input, feed."""

    def column(what, size, seconds):
        told = seconds * np.exp(random.normal(0, noise, rounds)) if noise else np.full(rounds, seconds)
        return MeasuredCell(what=what, size=size, steps=10, seconds=tuple(map(float, told)))

    steady = {size: parts["a"] + parts["b"] * size for size in SIZES}
    steady[16] *= 1 + bent
    cells = [column("train", 32, steady[32] + parts["input"]), column("feed", 32, parts["feed"])]
    cells += [column("reuse", size, seconds) for size, seconds in steady.items()]
    if "update" not in without:
        cells.append(column("update", 32, parts["optimiser"]))
    elif "backpropagate" not in without:
        cells.append(column("backpropagate", 32, steady[32] - parts["optimiser"]))
    starts = {"import_s": tuple(parts["a"] * 100 * (1 + 0.01 * k) for k in range(5))}
    why = dict.fromkeys(without, "the step is one piece")
    return Subject(label=label, framework=label, cells=tuple(cells), unsupported=why, starts=starts)


def measured(*subjects, line="reuse"):
    """What an examination of these contenders would have written down."""
    return MeasuredRounds(
        workload="fashion-mlp", batch_size=32, sizes=SIZES, line=line, confidence=0.95, subjects=tuple(subjects)
    )


SLOW = {"a": 9e-4, "b": 50e-6, "optimiser": 4e-4, "input": 2e-4, "feed": 2.5e-4}
FAST = {"a": 5e-4, "b": 20e-6, "optimiser": 1e-4, "input": 1e-4, "feed": 1e-4}
