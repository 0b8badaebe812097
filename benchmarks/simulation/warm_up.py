"""How often the change points find the end of a warm-up, and how often they find one where there is none.

    .venv/bin/python benchmarks/simulation/warm_up.py [--series 300]

A warm-up is the first fifth of a series, 1.5 times slower. Prints Markdown.
"""

import argparse

import numpy as np

from rosettabench.statistics.change_point import Steadiness, steady_state


def normal(g, n):
    """Independent noise of 5%."""
    return g.normal(0, 0.05, n)


def tails(g, n):
    """Student's t with two degrees of freedom, scale 3%."""
    return 0.03 * g.standard_t(2, n)


def bursts(g, n):
    """Noise of 3%; one value in ten takes up to several times as long."""
    return g.normal(0, 0.03, n) + (g.random(n) < 0.1) * g.exponential(0.5, n)


def sluggish(g, n):
    """Noise that remembers: autocorrelation 0.6, which is half a change of level."""
    values = g.normal(0, 0.03, n)
    for place in range(1, n):
        values[place] += 0.6 * values[place - 1]
    return values


def main() -> None:
    """Simulate and print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--series", type=int, default=300)
    count = options.parse_args().series
    print('| noise | values | false warm-up | false "getting slower" or "no steady state" | end found within ±1 |')
    print("|---|---|---|---|---|")
    for noise in (normal, tails, bursts, sluggish):
        for length in (10, 20, 50, 100):
            print(f"| {noise.__name__} | {length} | " + " | ".join(rates(noise, length, count)) + " |")


def rates(noise, length, count):
    """Return the three rates of a row as text."""
    generator, cold = np.random.default_rng([3, length]), length // 5
    steady = [steady_state(list(np.exp(noise(generator, length)))) for _ in range(count)]
    found = 0
    for _ in range(count):
        logs = noise(generator, length)
        logs[:cold] += np.log(1.5)
        found += abs(steady_state(list(np.exp(logs))).start - cold) <= 1
    cut = np.mean([one.start > 0 for one in steady])
    wrong = np.mean([one.steadiness is not Steadiness.WARM for one in steady])
    return f"{cut:.1%}", f"{wrong:.1%}", f"{found / count:.1%}"


if __name__ == "__main__":
    main()
