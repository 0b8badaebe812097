"""Runs of whole trainings with a known truth, written through the real store: no library is needed for them."""

from rosettabench.lab.journal import Journal
from rosettabench.plan.request import RunRequest, TrainingRequest
from rosettabench.plan.trainings import STUDY
from rosettabench.shipped.record import Absence, Fact, FinishedTraining, Installed, TrainingPace, UsedSet
from rosettabench.store.record import Finished, ForecastQuantiles, SeriesForecast
from rosettabench.store.schema import Run
from rosettabench.store.store import Store, now

LIBRARIES = ("gluonts[torch]", "gluonts[mxnet]")
MACHINE = {"processor": "Imaginary 9000", "cores": 2, "memory_bytes": 8_589_934_592, "gpus": []}
HORIZON = 6


def trained_run(
    folder, times, *, absences=(), origin="original", run_id="first", pace=None, parts=None, contests=False, **request
):
    """Write a run, and return it: `times` has {set: {seed: seconds of each library that was trained}}.

    With `contests`, it is a run that has contests, too, which are not written here.

    `parts` has {library: {part: seconds}}, if they are told; the training takes their sum then.
    """
    store = Store(f"sqlite:///{folder}/results.sqlite")
    seeds = dict.fromkeys(seed for of_set in times.values() for seed in of_set)
    asked = TrainingRequest(sets=tuple(times), **{"libraries": LIBRARIES, "seeds": tuple(seeds), "epochs": 2} | request)
    payload = (RunRequest(study=STUDY, shipped=asked) if contests else asked).model_dump(mode="json")
    command = ["rosetta", "shipped", *times]
    store.add(Run(id=run_id, at=now(), version="0", command=command, request=payload, machine=MACHINE))
    journal = Journal(store, run_id)
    records = [*map(installed, LIBRARIES), *(used(name, origin) for name in times), *([pace] if pace else [])]
    for name, of_set in times.items():
        for seed, seconds in of_set.items():
            trained = zip(LIBRARIES, seconds, strict=False)
            epochs = pace.epochs if pace else asked.epochs
            told = parts or {}
            records += [
                training(name, label, seed, took, epochs, **told.get(label, {})) for label, took in trained if took
            ]
    for record in (*records, *absences):
        journal.event(record)
    journal.event(Finished())
    return store.run(run_id)


def used(name, origin="original"):
    """A set with two series that are shown, one with a gap."""
    note = f"{name} of the Monash archive, for a test."
    history = tuple(None if step == 3 else 10.0 + step for step in range(18))
    shown = tuple(
        SeriesForecast(place=place, name=f"T<{place}>", history=history, truth=(28.0,) * HORIZON) for place in (0, 7)
    )
    words = {"origin": origin, "note": note, "digest": "9f" * 32, "frequency": "monthly"}
    return UsedSet(series=name, count=14, context=15, horizon=HORIZON, shown=shown, **words)


def installed(label):
    """A library with one fact that differs, and one that does not."""
    facts = (
        Fact(what="gradients are clipped", value=f"as {label} does", where="a.b.c"),
        Fact(what="sample paths of a series", value="100", where="a.b.d"),
    )
    return Installed(library=label, interpreter="3.11.7", packages={"gluonts": "0.17.0"}, settings={}, facts=facts)


def training(name, label, seed, seconds, epochs=2, **other):
    """One training that took so many seconds."""
    rows = tuple(tuple(27.0 + level + step / 10 for step in range(HORIZON)) for level in range(5))
    known = {
        "import_s": 2.0,
        "parse_s": 0.01,
        "train_s": seconds,
        "predict_s": seconds / 5,
        "score_s": 0.02,
        "whole_s": 1.2 * seconds + 2.5,
        "train_cpu_s": seconds,
        "predict_cpu_s": seconds / 5,
        "parsed": "tsf",
        "mase": 0.784,
        "smape": 0.17,
        "mean_weighted_quantile_loss": 0.05,
        "forecasts": tuple(ForecastQuantiles(place=place, quantiles=rows) for place in (0, 7)),
    }
    return FinishedTraining(series=name, library=label, seed=seed, epochs=epochs, **known | other)


def absent(name, label, seed=None, kind="timeout", what="no answer to 'train' within 60 s"):
    """A training that there is not."""
    return Absence(series=name, library=label, seed=seed, stage="train", kind=kind, what=what, hint="do this")


def paced(name, epochs, seeds):
    """What a budget allows."""
    return TrainingPace(series=name, epochs=epochs, seeds=seeds)
