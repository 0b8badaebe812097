"""How long the contenders of a store's contests took to start: with proofs, and again in later processes.

    .venv/bin/python benchmarks/start_times.py sqlite:///rosettabench.sqlite

For each finished contest with several processes: the seconds per contender before the first round, proofs included, and
those between the last round of one process and the first of the next, the median and the longest. Warm-up and what is
checked at the end of a process count as start. `src/rosettabench/plan/estimate.py` guesses these times for contenders
that never ran.
"""

import sys
from datetime import datetime
from statistics import median

from rosettabench.store.record import Phase, Stopped
from rosettabench.store.store import Store, events_of


def main() -> int:
    """Print a row for each contest of the store that is named."""
    store = Store.existing(sys.argv[1])
    print("| workload | contenders | processes | first start, s each | later starts, median | longest |")
    print("|---|---|---|---|---|---|")
    for run in (store.run(one.id) for one in store.runs()):
        for contest in run.contests:
            ended = Stopped.all_of(events_of(run, contest))
            spans = spans_of(contest)
            if len(ended) == 1 and not ended[0].out and len(spans) > 1:
                print(row(contest, spans))
    return 0


def spans_of(contest):
    """Return {process: (moment its first turn began, moment its last turn ended)} of a contest, in seconds."""
    turns = [block for entry in contest.entries for block in entry.blocks if block.phase == Phase.TURN]
    return {
        process: (
            min(seconds(one.at) - one.elapsed_s for one in turns if one.session == process),
            max(seconds(one.at) for one in turns if one.session == process),
        )
        for process in sorted({one.session for one in turns})
    }


def row(contest, spans):
    """Return the row of a contest."""
    each = len(contest.entries)
    begun = min(seconds(figure.at) for entry in contest.entries for figure in entry.figures)
    later = [(spans[process][0] - spans[process - 1][1]) / each for process in spans if process - 1 in spans]
    numbers = (spans[1][0] - begun) / each, median(later), max(later)
    return f"| {contest.workload} | {each} | {len(spans)} | {' | '.join(f'{one:.1f}' for one in numbers)} |"


def seconds(at):
    """Return a stored moment in seconds."""
    return datetime.fromisoformat(at).timestamp()


if __name__ == "__main__":
    sys.exit(main())
