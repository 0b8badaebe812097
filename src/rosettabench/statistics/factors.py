"""A ratio of two sums, taken apart into factors; and several ratios joined into that of the sums behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum

from rosettabench.statistics.interval import Interval


def factors(
    slow: Mapping[str, float], fast: Mapping[str, float], order: Sequence[str]
) -> tuple[dict[str, float], float]:
    """Return a factor for each part that is taken out, in their `order`, and the ratio of what is left then.

    `slow` and `fast` are seconds by part. The factor of a part is the ratio of the sums before it is taken out of both,
    over that afterwards: above 1 where the slow one loses more by it than the whole would make one expect, below 1
    where it is the other that does. All of them times what is left are the ratio of the whole sums. In another order
    they are other factors. Raises ValueError where nothing is left.
    """
    slow_left, fast_left = fsum(slow.values()), fsum(fast.values())
    ratio, found = slow_left / fast_left, {}
    for part in order:
        slow_left, fast_left = slow_left - slow[part], fast_left - fast[part]
        if slow_left <= 0 or fast_left <= 0:
            raise ValueError(f"nothing remains when {part} is taken out")
        found[part], ratio = ratio * fast_left / slow_left, slow_left / fast_left
    return found, ratio


def pool_ratios(ratios: Sequence[Interval], weights: Sequence[float]) -> Interval:
    """Return the ratio of two sums from the ratios of their terms, and the terms of the denominator as `weights`.

    The mean of the ratios by these weights is that of the sums. Where all intervals hold together, so does the mean of
    their ends; what the weights themselves are uncertain by is not in it.
    """
    total = fsum(weights)
    shares = [weight / total for weight in weights]
    ratio, low, high = (
        fsum(share * end for share, end in zip(shares, ends, strict=True))
        for ends in zip(*((one.ratio, one.low, one.high) for one in ratios), strict=True)
    )
    return Interval(
        ratio,
        low,
        high,
        min(one.confidence for one in ratios),
        min(one.rounds for one in ratios),
        all(one.steady for one in ratios),
    )
