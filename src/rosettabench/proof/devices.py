"""Compare the devices of a group with each other: after each step all must hold the same numbers.

That they hold the right ones is proven for the first device, as for any contender.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf

from rosettabench.proof.comparison import Deviation, relative
from rosettabench.proof.walk import Files, Walked, read_array


def compare_devices(found: Walked, devices: int) -> Iterator[Deviation]:
    """Yield how far the gradients and parameters of the other devices are from those of the first, in one step.

    The deviation is infinite if they are not as many as asked for.
    """
    if len(found.others) != devices - 1:
        yield Deviation("device gradient", found.step, f"all of {1 + len(found.others)} devices", inf)
    yield from off_devices(found.gradients, [one.gradients for one in found.others], found.step, "device gradient")
    yield from off_devices(found.parameters, [one.parameters for one in found.others], found.step, "device parameter")


def off_devices(first: Files, others: Sequence[Files], step: int | None, quantity: str) -> Iterator[Deviation]:
    """Yield how far each tensor of the other devices is from that of the first, relative to its norm.

    Any deviation is a mistake: all devices apply the same average to the same weights, by the same instructions.
    """
    for number, files in enumerate(others, start=1):
        for name in files:
            value = relative(read_array(files, name), read_array(first, name))
            yield Deviation(quantity, step, f"{name} of device {number}", value)
