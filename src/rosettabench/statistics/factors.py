"""Split a ratio of two sums into factors, and pool several ratios into the ratio of the sums behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum

from rosettabench.statistics.interval import Interval


def factors(
    slow: Mapping[str, float], fast: Mapping[str, float], order: Sequence[str]
) -> tuple[dict[str, float], float]:
    """Remove parts from both sums in this `order`; return the factor of each, and the ratio of what remains.

    `slow` and `fast` are seconds by part. The factor of a part is the ratio of the sums before its removal over the
    ratio after it: above 1 if the part's own ratio is higher than that of the rest, below 1 if lower. The product of
    all factors and the remaining ratio is the ratio of the whole sums. The factors depend on the order. Raises
    ValueError if nothing remains.
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
    """Return the ratio of two sums from the ratios of their terms, with the denominator's terms as `weights`.

    The ratio of the sums is the weighted mean of the ratios. If all intervals hold together, so does the interval from
    the weighted means of their ends. It does not include the uncertainty of the weights.
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
