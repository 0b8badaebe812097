"""The walk of a proof: a few steps, identical for the reference and every contender, with all tensors written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosettabench.client.session import Session, Turn
from rosettabench.plan.proof_steps import steps_of

PASSES_AGAIN = {"cpu": 0, "cuda": 2}
"""How often a contender on each device computes a gradient again, to show how well its passes agree.

Kernels of GPUs add with atomic operations, in an order that chance decides; on the CPU two passes are the same to the
last bit."""

Array = NDArray[Any]
Files = dict[str, str]


@dataclass(frozen=True)
class OtherDevice:
    """The gradients and parameters of another device than the first, in one step."""

    number: int
    gradients: Files
    parameters: Files


@dataclass(frozen=True)
class Walked:
    """The results of one step of a worker: .npy files by tensor name, and the numbers of the step itself.

    `gradients` also has ``logits``, both from before the update; `parameters` are from after it. Those of a group are
    of its first device; the `others` are what its other devices computed. `again` are further passes over the same
    batch from the same weights: a GPU adds in another order each time.
    """

    step: int
    batch: Files
    gradients: Files
    parameters: Files
    turn: Turn
    others: tuple[OtherDevice, ...] = field(default=(), kw_only=True)
    again: tuple[Files, ...] = field(default=(), kw_only=True)


def walk(session: Session, folder: Path, guide: Sequence[Files] | None = None) -> Iterator[Walked]:
    """Take a proof's steps after a `build` and yield each; its files are in ``folder/<step>/``.

    With a `guide`, step k + 1 begins with the weights ``guide[k]``, not with the result of step k. The guide may grow
    during the walk.
    """
    for step in range(steps_of(session.work.workload)):
        place = folder / str(step)
        if guide is not None and step:
            session.ask("place", weights=guide[step - 1])
        batch = session.ask("batch", step=step, folder=str(place / "batch"))
        gradients = session.ask("gradients", step=step, folder=str(place / "gradients"))
        again = tuple(pass_again(session, step, place, number) for number in range(PASSES_AGAIN[session.device]))
        turn = session.train(step, 1)
        parameters = session.ask("parameters", folder=str(place / "parameters"))
        others = others_of(gradients, parameters)
        yield Walked(step, batch["files"], gradients["files"], parameters["files"], turn, others=others, again=again)


def pass_again(session: Session, step: int, place: Path, number: int) -> Files:
    """Return the gradients of a step, computed once more."""
    files: Files = session.ask("gradients", step=step, folder=str(place / f"again-{number}"))["files"]
    return files


def others_of(gradients: dict[str, Any], parameters: dict[str, Any]) -> tuple[OtherDevice, ...]:
    """Return what the other devices of a group computed, from two replies; nothing of a single device."""
    pairs = zip(gradients.get("others", ()), parameters.get("others", ()), strict=True)
    return tuple(OtherDevice(number, *files) for number, files in enumerate(pairs, start=1))


@dataclass(frozen=True)
class Unguided:
    """The results of a proof's steps, of which only the second is guided: each step's loss, and logits behind all."""

    losses: list[float | None]
    files: Files


def walk_unguided(session: Session, folder: Path, second: Files) -> Unguided:
    """Take a proof's steps after a `build`, the second from the weights `second`, later ones each from the one before.

    The first step of Adam moves a weight by its whole rate, whose gradient may be round-off: honest contenders would
    go different ways from there. `second` has them begin together; the optimiser's state is their own. The logits are
    those of the last batch, with the weights that it has led to.
    """
    last = steps_of(session.work.workload) - 1
    losses = [session.train(0, 1).loss]
    session.ask("place", weights=second)
    losses += [session.train(step, 1).loss for step in range(1, last + 1)]
    return Unguided(losses, session.ask("gradients", step=last, folder=str(folder))["files"])


def read_array(files: Files, name: str) -> Array:
    """Return one array of a step, memory-mapped. Nothing is unpickled."""
    array: Array = np.load(files[name], mmap_mode="r", allow_pickle=False)
    return array


def evaluation_samples(batch_size: int, available: int) -> int:
    """Return how many test samples a proof evaluates: two and a half batches, so that the last one is partial."""
    return min(available, 2 * batch_size + max(1, batch_size // 2))
