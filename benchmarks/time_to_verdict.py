"""How long the answer takes: this laboratory against the protocol of the studies, on the same contest.

    .venv/bin/python benchmarks/time_to_verdict.py [imdb-gru] [-f pytorch,jax] [--epochs 20]

The studies' protocol: one contender after the other, `--epochs` epochs each in one process, the first left out, and the
ratio of the mean epochs. It has no interval. Ours: `rosetta run` on the same two, until the pair is decided. Both use
the same workers, so only the protocol differs; starting, importing and building count for both, the proof for neither
(the studies had none): it is made before, and known from the store.
"""

import argparse
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np

from rosettabench.catalogue.contender import parse_contender
from rosettabench.catalogue.suite import Stopping
from rosettabench.catalogue.workload import find_workload
from rosettabench.client.batches import draw_batches
from rosettabench.client.session import Session, Work
from rosettabench.data.prepare import prepare
from rosettabench.environments.environment import Environments
from rosettabench.environments.lock import load_lock
from rosettabench.lab.begin import begin_run
from rosettabench.lab.display import Silent
from rosettabench.lab.run import Laboratory
from rosettabench.places import cache_dir, data_dir_default
from rosettabench.plan.request import ProveRequest, RunRequest
from rosettabench.plan.setting import canonical_setting
from rosettabench.proof.weights import draw_weights, save_weights
from rosettabench.store.store import Store
from rosettabench.summary.run import summarise

DATA = str(data_dir_default() or "") or None

SHARE = 0.1
"""The goal: at most this share of the studies' time."""


def main() -> int:
    """Measure both, print both, and return 0 if ours took at most SHARE of the time and the answers agree."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("workload", nargs="?", default="imdb-gru")
    options.add_argument("-f", "--frameworks", default="pytorch,jax")
    options.add_argument("--epochs", type=int, default=20)
    options.add_argument("--processes", type=int, default=Stopping().processes, help="1: these processes only.")
    chosen = options.parse_args()
    names = tuple(chosen.frameworks.split(","))
    with tempfile.TemporaryDirectory() as scratch:
        ours_s, verdict, sentence = ours(chosen.workload, names, protocol(chosen.processes), Path(scratch))
        print(f"ours: {ours_s:.0f} s. {sentence}", flush=True)
        studies_s, means = studies(chosen.workload, names, chosen.epochs, Path(scratch))
    ratio = means[verdict.slower] / means[verdict.faster]
    print(f"the studies' protocol: {studies_s:.0f} s. {verdict.slower} over {verdict.faster}: {ratio:.3f}, no interval")
    agree = verdict.interval.low <= ratio <= verdict.interval.high
    print(f"share of the time: {ours_s / studies_s:.3f}; theirs lies {'within' if agree else 'outside'} our interval")
    return 0 if ours_s <= SHARE * studies_s and ratio > 1 else 1


def ours(workload, names, stopping, scratch):
    """Run the contest here, its proofs made before; return the seconds, the verdict, and its sentence."""
    laboratory = Laboratory(Store(f"sqlite:///{scratch}/results.sqlite"), cache_dir(), Silent())
    request = RunRequest(workloads=(workload,), contenders=names, control=False, stopping=stopping, data_dir=DATA)
    proofs = ProveRequest(workloads=(workload,), contenders=names, data_dir=DATA, jobs=1)
    laboratory.go_on(begin_run(laboratory.store, proofs, ["prove"]))
    start = perf_counter()
    laboratory.go_on(begin_run(laboratory.store, request, ["run"]))
    seconds = perf_counter() - start
    (contest,) = summarise(laboratory.store.run()).contests
    (verdict,), (sentence,) = contest.verdicts, contest.sentences
    return seconds, verdict, f"{sentence} {contest.stopped}"


def protocol(processes):
    """Return when ours stops: the default protocol; or, with one process, after whatever round decides."""
    return Stopping(processes=processes) if processes > 1 else Stopping(rounds=(8, 200), processes=1, turns=2)


def studies(workload, names, epochs, scratch):
    """Train the epochs one contender after the other; return the seconds and {label: mean seconds of an epoch}."""
    found = find_workload(workload)
    setting = canonical_setting(found)
    data = prepare(found.data.set, found.data.form, data_dir=Path(DATA) if DATA else None, cache=cache_dir())
    per_epoch = data.train.samples // setting.batch_size
    batches = scratch / "batches.npy"
    np.save(batches, draw_batches(data.train.samples, setting.batch_size, epochs * per_epoch, setting.seed))
    work = Work(found, setting, data, save_weights(draw_weights(found, setting.seed), scratch / "weights"), batches)
    means, start = {}, perf_counter()
    for contender in map(parse_contender, names):
        where = Environments(cache_dir() / "environments").make(load_lock(contender.lock), Silent().doing)
        session = Session(contender.entry, contender.mode, where, work, scratch / contender.label, 3600).prepare()
        times = [session.train(epoch * per_epoch, per_epoch).elapsed_s for epoch in range(epochs)]
        session.process.close()
        means[contender.label] = sum(times[1:]) / len(times[1:])
        print(f"{contender.label}: epochs of {min(times[1:]):.1f} to {max(times[1:]):.1f} s", flush=True)
    return perf_counter() - start, means


if __name__ == "__main__":
    raise SystemExit(main())
