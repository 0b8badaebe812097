"""How often a contest says what is wrong, and how often it finds what is there, under everything that machines do.

    .venv/bin/python benchmarks/simulation/simulate.py [--contests 5000] [--pairs 1] [--quick]

Each scenario is simulated for contests of equals and for contests with a planted 1.05, of two contenders, by the
laboratory's default protocol: four turns each in a round, five fresh processes of four rounds; where these do not
decide at a margin of 2%, or tell the ratio to ±2%, five more. Beside it what usual protocols claim on the same machine
in the same time. Prints Markdown; exit code 1 where a goal is missed, in whichever scenario.
"""

import argparse
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))

from naive import claims
from one_process import stop_all
from protocol import STOPPING, ended, looks
from scenarios import SCENARIOS, TRUE, log_ratios, one_life
from traces import load_pairs

MOST_FALSE, LEAST_COVERAGE, LEAST_POWER = 0.05, 0.94, 0.90
POWERFUL = "independent normal noise, 5% a turn"
"""The scenario of which power is promised; false differences and coverage are promised of all."""


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
    print(
        verdict_table(results),
        naive_table(results),
        processes_table(chosen.quick),
        many_table(chosen.quick),
        recorded_table(),
        sep="\n\n",
    )
    missed = [line for result in results for line in missed_goals(result, chosen.pairs)]
    print("\n" + ("\n".join(f"missed: {line}" for line in missed) or "All goals are reached."))
    return 1 if missed else 0


def simulate_all(contests, pairs=1):
    """Return a dict a scenario: the outcomes of equals and of those that differ, and the usual protocols' claims."""
    results = []
    for seed, (name, (noise, alone)) in enumerate(SCENARIOS.items()):
        generator = np.random.default_rng([20261121, seed])
        turns, own = noise(generator, contests), alone(generator, contests)
        ratios, kept = log_ratios(generator, turns, own), one_life(own, name)
        spans, single = looks(ratios, pairs), ratios - own + kept
        results.append(
            {
                "name": name,
                "equal": ended(spans, 0.0),
                "planted": ended(spans, TRUE),
                "single": (stop_all(single, 0.0, pairs), stop_all(single, TRUE, pairs)),
                "claims": (claims(turns, kept, 0.0), claims(turns, kept, TRUE)),
            }
        )
    return results


def missed_goals(result, pairs=1):
    """Return which goals a scenario misses; the power that is promised is that of a single pair."""
    name, equal, planted = result["name"], result["equal"], result["planted"]
    lines = []
    if (false := equal.told.mean()) > MOST_FALSE:
        lines.append(f"{name}: {false:.1%} false differences")
    for what, outcome in (("equals", equal), ("1.05", planted)):
        if (coverage := outcome.covered.mean()) < LEAST_COVERAGE:
            lines.append(f"{name}: {coverage:.1%} coverage, {what}")
    if pairs == 1 and name == POWERFUL and (power := planted.by_first_look.mean()) < LEAST_POWER:
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
    first = STOPPING.rounds[0]
    lines = [
        f"| scenario | false differences | coverage, equals | coverage, 1.05 | 1.05 found by round {first} "
        f"| 1.05 found in the end | over by round {first}: equals | 1.05 |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for result in results:
        equal, planted = result["equal"], result["planted"]
        rates = [equal.told, equal.covered, planted.covered, planted.by_first_look, planted.right]
        over = [f"{np.mean(outcome.rounds == first):.0%}" for outcome in (equal, planted)]
        lines.append(" | ".join([f"| {result['name']}", *map(exact, rates), *over]) + " |")
    return "\n".join(lines)


def naive_table(results):
    """Return the table of what the usual protocols claim on the same machine."""
    others = "one process each | means > 2% | t-test | best of 20"
    lines = [
        f"| scenario | false: ours | {others} | right at 1.05: ours | {others} |",
        "|" + "---|" * 11,
    ]
    for result in results:
        equal, planted = result["claims"]
        alone, found = result["single"]
        false = [result["equal"].told, alone.faster, *(differs for differs, _ in equal.values())]
        right = [result["planted"].by_first_look, found.slower_found, *(slower for _, slower in planted.values())]
        rates = [f"{np.mean(one):.1%}" for one in (*false, *right)]
        lines.append(" | ".join([f"| {result['name']}", *rates]) + " |")
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


def many_table(quick):
    """Return how often all intervals of a contest of many equal contenders hold, and how wide they are.

    Processes of a pair differ by √2 times as much as those of one contender.
    """
    from processes import many_contenders

    lines = [
        "| contenders | processes of each | processes of a pair differ by | all intervals hold | half-width "
        "| by the measured spread alone |",
        "|---|---|---|---|---|---|",
    ]
    spreads = {
        "3%": [0.03],
        "6%": [0.06],
        "13%": [0.13],
        "20%": [0.2],
        "28%": [0.28],
        "20 to 28% with every fifth contender, else 3%": [0.28, 0.03, 0.03, 0.03, 0.03],
    }
    for contenders, processes in ((5, 4), (8, 4), (15, 4), (15, 5), (15, 3), (5, 2)):
        for words, spread in spreads.items():
            deviations = np.resize(spread, contenders) / np.sqrt(2)
            hits, ours, alone = many_contenders(deviations, processes, 5 if quick else 1000)
            cells = [contenders, processes, words, exact(hits), *(f"{np.exp(one):.3g}×" for one in (ours, alone))]
            lines.append(f"| {' | '.join(map(str, cells))} |")
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
