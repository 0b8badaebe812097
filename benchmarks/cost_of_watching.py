"""How much of a run's time it takes to watch the timed steps, from the runs of stores.

    .venv/bin/python benchmarks/cost_of_watching.py STORE.sqlite …

Every contest stores how long it was watched. The time of a run is that from its beginning to its end. Prints Markdown.
"""

import sys
from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime

from rosettabench.store.record import Finished, Watched
from rosettabench.store.store import Store


def watched_runs(store: Store) -> Iterator[tuple[str, float, float]]:
    """Yield (workloads, seconds of the run, seconds of watching) of each run that has finished."""
    for row in store.runs():
        run = store.run(row.id)
        ends = [event.at for event in run.events if event.kind == Finished.KIND]
        if ends:
            seconds = (datetime.fromisoformat(ends[-1]) - datetime.fromisoformat(run.at)).total_seconds()
            workloads = ", ".join(sorted({f"`{contest.workload}`" for contest in run.contests}))
            yield workloads, seconds, sum(one.seconds for one in Watched.all_of(run.events))


def main() -> None:
    """Print the table."""
    found = defaultdict(list)
    for url in sys.argv[1:]:
        for workloads, *seconds in watched_runs(Store.existing(url)):
            found[workloads].append(seconds)
    print("| run of | runs | mean time, s | of it watching, s | share |\n|---|---|---|---|---|")
    for workloads, runs in found.items():
        whole, watching = (sum(column) / len(runs) for column in zip(*runs, strict=True))
        print(f"| {workloads} | {len(runs)} | {whole:.1f} | {watching:.2f} | {watching / whole:.2%} |")


if __name__ == "__main__":
    main()
