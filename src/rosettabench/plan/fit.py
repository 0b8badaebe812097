"""Check that prepared data fit the network and the memory of all contenders."""

from __future__ import annotations

from math import prod

import numpy as np

from rosettabench.catalogue.workload import Workload
from rosettabench.data.prepared import Part, Prepared
from rosettabench.errors import UsageError
from rosettabench.plan.budget import gb
from rosettabench.plan.estimate import BYTES, least_memory
from rosettabench.plan.plan import PlannedContest


def check_fit(planned: PlannedContest, data: Prepared, contenders: int, free: float) -> None:
    """Raise UsageError if images are too small, or if `contenders` at once need more than `free` bytes of memory."""
    workload = planned.workload
    check_images(workload, shape_of(data.train))
    in_memory = (data.train, data.test) if planned.setting.input == "memory" else (data.test,)
    held = sum(BYTES * prod(shape_of(part)) for part in in_memory)  # float32 or int32, even for bytes
    held_words = f"{sum(part.samples for part in in_memory):,} samples of {data.name}, {gb(held)},"
    needed = contenders * (held + least_memory(planned))
    if needed > free:
        raise UsageError(
            f"{workload.name} does not fit into memory: each contender holds {held_words}, and all that "
            f"are to be alive at once need at least {gb(needed)}; {gb(free)} are free",
            "Name fewer contenders with -f, or a smaller batch_size.",
        )


def check_images(workload: Workload, shape: tuple[int, ...]) -> None:
    """Raise UsageError if images, (samples, channels, height, width), have fewer pixels than the first layer needs.

    A convolution has at most as many output positions as there are pixels. A workload whose proof uses other images
    accepts any size.
    """
    first = next((one for one in workload.operations.values() if one.first and one.kind == "convolution"), None)
    if first is None or len(shape) != 4 or workload.proof.form:
        return
    if any(pixels < places for pixels, places in zip(shape[2:], first.positions, strict=True)):
        raise UsageError(
            f"images of {by(shape[2:])} pixels are too small for {workload.name}: "
            f"its first convolution is applied in {by(first.positions)} places",
            f"State the size that it needs in {workload.folder / 'workload.toml'}, under [data.form].",
        )


def shape_of(part: Part) -> tuple[int, ...]:
    """Return the shape of the inputs, read from the header of their file."""
    return tuple(np.load(part.inputs, mmap_mode="r", allow_pickle=False).shape)


def by(extents: tuple[int, ...]) -> str:
    """Return height and width in words: ``28 × 28``."""
    return " × ".join(map(str, extents))
