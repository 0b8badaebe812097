"""Shows why a loop over an image of one colour is so far off: equal numbers are rounded the same way again and again.

    .venv/bin/python benchmarks/equal_numbers.py

Float32 adds 131,072 numbers one after the other, as a batch normalisation adds those of a channel of
`imagenet-resnet56` in its proof. A share of them, one stretch, is one number; the others are drawn around it. Printed
is by how much their mean is off, relative to the number: the median and the largest of a hundred such numbers.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

NUMBERS = 131_072
"""Two images of 256 × 256 pixels."""

TRIALS = 100
"""How many numbers are tried."""


def off(number: np.float32, share: float, seed: int) -> float:
    """Return how far a loop's mean is off, relative to `number`, which a `share` of the numbers are."""
    values = drawn(number, share, seed)
    looped = np.add.accumulate(values)[-1] / np.float32(NUMBERS)
    return float(abs(float(looped) - values.astype(np.float64).mean()) / number)


def drawn(number: np.float32, share: float, seed: int) -> NDArray[np.float32]:
    """Return the numbers: in their middle, `share` of them are `number`; the others are normal, a tenth around it."""
    values = np.random.default_rng(seed).normal(number, 0.1 * number, NUMBERS).astype(np.float32)
    half = int(NUMBERS * share / 2)
    values[NUMBERS // 2 - half : NUMBERS // 2 + half] = number
    return values


def main() -> None:
    """Print a line for each share."""
    print("| share of one number | median | largest |")
    print("|---|---|---|")
    for share in (0.0, 0.1, 0.25, 0.5, 1.0):
        numbers = np.random.default_rng(0).uniform(0.5, 1.0, TRIALS).astype(np.float32)
        found = [off(number, share, seed) for seed, number in enumerate(numbers)]
        print(f"| {share:.0%} | {np.median(found):.1e} | {max(found):.1e} |")


if __name__ == "__main__":
    main()
