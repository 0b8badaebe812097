"""How often a contest says what is wrong, and how often it finds what is there, under everything that machines do.

    .venv/bin/python benchmarks/simulation/simulate.py [--contests 5000] [--quick]

Each scenario is simulated for contests of equals and for contests with a planted 1.05, of two contenders with two turns
each in a round, with the laboratory's own rule: stop when decided at a margin of 2% or precise to ±2%, at most 40
rounds; say nothing where a contender was seen to shift, so coverage is that of what is said. Beside it what the usual
protocols claim on the same turns. Prints Markdown; exit code 1 where a goal is missed.
"""

import argparse
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))

from naive import claims
from rule import stop_all
from scenarios import SCENARIOS, TRUE, log_ratios
from traces import load_pairs

MOST_FALSE, LEAST_COVERAGE, LEAST_POWER = 0.05, 0.94, 0.90
OUTSIDE = ("one contender in a slow phase, early", "processes differ")
"""Scenarios in which the ratio itself is not one number, so that no interval over rounds can promise anything."""


def main() -> int:
    """Simulate, print, and return 0 if every goal is reached."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--contests", type=int, default=5000)
    options.add_argument("--quick", action="store_true", help="200 contests of each: shows that it works")
    options.add_argument(
        "--pairs", type=int, default=1, help="Verdicts that are to hold together: 6 for four contenders."
    )
    chosen = options.parse_args()
    results = simulate_all(200 if chosen.quick else chosen.contests, chosen.pairs)
    print(verdict_table(results), naive_table(results), processes_table(chosen.quick), recorded_table(), sep="\n\n")
    missed = [line for result in results for line in result["missed"]]
    print("\n" + ("\n".join(f"missed: {line}" for line in missed) or "All goals are reached."))
    return 1 if missed else 0


def simulate_all(contests, pairs=1):
    """Return a dict a scenario: the outcomes of equals and of those that differ, and the usual protocols' claims."""
    results = []
    for seed, (name, (noise, alone)) in enumerate(SCENARIOS.items()):
        generator = np.random.default_rng([20261121, seed])
        turns, own = noise(generator, contests), alone(generator, contests)
        ratios = log_ratios(generator, turns, own)
        result = {"name": name, "equal": stop_all(ratios, 0.0, pairs), "planted": stop_all(ratios, TRUE, pairs)}
        result["claims"] = claims(turns, own, 0.0), claims(turns, own, TRUE)
        results.append({**result, "missed": missed_goals(result)})
    return results


def missed_goals(result):
    """Return which goals a scenario misses; power is promised for 5% of noise a turn only."""
    name, equal, planted = result["name"], result["equal"], result["planted"]
    if name.startswith(OUTSIDE):
        return []
    lines = []
    if (false := equal.faster.mean()) > MOST_FALSE:
        lines.append(f"{name}: {false:.1%} false differences")
    for what, outcome in (("equals", equal), ("1.05", planted)):
        if (coverage := outcome.covered[~outcome.withheld].mean()) < LEAST_COVERAGE:
            lines.append(f"{name}: {coverage:.1%} coverage, {what}")
    if name.startswith("independent") and (power := planted.slower_found.mean()) < LEAST_POWER:
        lines.append(f"{name}: 1.05 found in {power:.1%}")
    return lines


def exact(hits, confidence=0.95):
    """Return a rate with its Clopper–Pearson interval (1934) as text."""
    from scipy.stats import beta

    count, tail = int(np.sum(hits)), (1 - confidence) / 2
    low = beta.ppf(tail, count, len(hits) - count + 1) if count else 0.0
    high = beta.ppf(1 - tail, count + 1, len(hits) - count) if count < len(hits) else 1.0
    return f"{count / len(hits):.1%} ({low:.1%}–{high:.1%})"


def verdict_table(results):
    """Return the table of the laboratory's own verdicts."""
    lines = [
        "| scenario | false differences | coverage, equals | coverage, 1.05 | 1.05 found by round 20 "
        "| rounds, equals | rounds, 1.05 | withheld, equals | withheld, 1.05 |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for result in results:
        equal, planted = result["equal"], result["planted"]
        said = [exact(outcome.covered[~outcome.withheld]) for outcome in (equal, planted)]
        lines.append(
            f"| {result['name']} | {exact(equal.faster)} | {said[0]} | {said[1]} "
            f"| {exact(planted.slower_found)} | {np.median(equal.rounds):.0f} | {np.median(planted.rounds):.0f} "
            f"| {equal.withheld.mean():.1%} | {planted.withheld.mean():.1%} |"
        )
    return "\n".join(lines)


def naive_table(results):
    """Return the table of what the usual protocols claim on the same turns."""
    lines = [
        "| scenario | false: ours | means > 2% | t-test | best of 20 | right at 1.05: ours | means > 2% | t-test "
        "| best of 20 |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for result in results:
        equal, planted = result["claims"]
        false = [f"{differs.mean():.1%}" for differs, _ in equal.values()]
        right = [f"{slower.mean():.1%}" for _, slower in planted.values()]
        ours = f"{result['equal'].faster.mean():.1%}", f"{result['planted'].slower_found.mean():.1%}"
        lines.append(" | ".join([f"| {result['name']}", ours[0], *false, ours[1], *right]) + " |")
    return "\n".join(lines)


def processes_table(quick):
    """Return how often intervals cover the contenders' ratio when processes differ: over rounds, and over processes."""
    from processes import coverage

    lines = [
        "| processes differ by | one process, interval over rounds | 2 processes | 3 | 5 | 10 "
        "| precision with 2 | 3 | 5 | 10 |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for deviation in (0.0, 0.01, 0.02, 0.05):
        single, several = coverage(deviation, 100 if quick else 2000)
        covered = [exact(hits) for hits, _ in several]
        widths = [f"±{width:.1%}" for _, width in several]
        lines.append(" | ".join([f"| {deviation:.0%}", exact(single), *covered, *widths]) + " |")
    return "\n".join(lines)


def recorded_table():
    """Return what is said of each recorded contest of equals as it was: one turn each in a round, all rounds."""
    from rosettabench.statistics.interval import ratio_interval
    from rosettabench.statistics.verdict import judge

    lines = [
        "| recorded contest of equals | rounds | noise of a round | ratio | says | means of all turns |",
        "|---|---|---|---|---|---|",
    ]
    for name, one, other in load_pairs().values():
        rounds = min(len(one), len(other))
        interval = ratio_interval(list(map(float, np.exp(other - one))))
        finding = judge("a", "b", interval, 0.02).finding.value + ("" if interval.steady else ", contradictory")
        means = np.exp(other).mean() / np.exp(one).mean()
        span = f"{interval.ratio:.3f} ({interval.low:.3f}–{interval.high:.3f})"
        noise = np.std(other - one, ddof=1)
        lines.append(f"| {name} | {rounds} | {noise:.0%} | {span} | {finding} | {means:.3f} |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
