"""The order of a race, what becomes of failures, and how it goes on: with trainers that only pretend."""

from pathlib import Path

import numpy as np
import pytest

from rosettabench.environments.environment import Environment, Environments
from rosettabench.errors import DataError, EnvironmentFault, WorkerError
from rosettabench.lab.begin import begin_run
from rosettabench.lab.display import Silent
from rosettabench.plan.request import TrainingRequest
from rosettabench.report.words.trainings import scale_words
from rosettabench.shipped import race
from rosettabench.shipped.results import Results
from rosettabench.store.store import Store
from rosettabench.summary.run import summarise

TORCH, MXNET = "gluonts[torch]", "gluonts[mxnet]"


class Pretender:
    """A trainer that pretends to take `lasts` seconds an epoch, and forecasts the last value."""

    lasts = 1.0

    def __init__(self, library, environment, threads, folder, timeout):
        self.library, self.import_s, self.interpreter = library, 0.1, "3.11"
        self.packages = {"gluonts": "0.17.0"}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def facts(self):
        return [{"what": "steps", "value": self.library.name, "where": "somewhere"}]

    def settings(self):
        return {"threads": 1}

    def parse(self, series, file):
        self.series, self.file = series, file
        return {"elapsed_s": 0.1}

    def train(self, context, epochs, samples, seed):
        job = (self.series.name.removeprefix("monash-"), self.library.name, seed, epochs)
        self.log.append(job)
        self.samples = samples
        self.clock[0] += self.lasts * epochs
        if (error := self.fails.get(job[:3])) is not None:
            raise error
        return {"elapsed_s": self.lasts * epochs, "cpu_s": 1.0}

    def predict(self):
        last = [self.series.training(place).values[-1] for place in range(len(self.series))]
        shape = (len(last), self.samples, self.series.horizon)
        return {"elapsed_s": 0.1, "cpu_s": 0.1}, np.broadcast_to(np.array(last)[:, None, None], shape).astype("float32")


@pytest.fixture
def pretended(monkeypatch, tmp_path):
    """A race whose clock stands still but for what trainers pretend to take; and the trainers."""
    kind = type("Own", (Pretender,), {"log": [], "fails": {}, "clock": [0.0]})
    monkeypatch.setattr(race, "Trainer", kind)
    monkeypatch.setattr(race, "monotonic", lambda: kind.clock[0])
    monkeypatch.setattr(race, "perf_counter", lambda: kind.clock[0])
    nothing = Environment("pretended", Path("python"), "managed", {}, None, "3.11")
    monkeypatch.setattr(Environments, "make", lambda self, lock, progress: nothing)
    kind.race = race.Race(Store(f"sqlite:///{tmp_path}/results.sqlite"), tmp_path, Silent())
    return kind


def request(*sets, **other):
    return TrainingRequest(sets=sets, libraries=(TORCH, MXNET), samples=3, offline=True, **{"seeds": (42, 43)} | other)


def done(pretended, asked):
    return pretended.race.go_on(begin_run(pretended.race.store, asked, ["rosetta", "shipped"]))


def test_libraries_take_turns_and_who_begins_changes(pretended):
    done(pretended, request("m1_yearly", "m3_yearly", epochs=7))
    turns = [(42, TORCH), (42, MXNET), (43, MXNET), (43, TORCH)]
    expected = [(name, label, seed, 7) for name in ("m1_yearly", "m3_yearly") for seed, label in turns]
    assert pretended.log == expected


def test_everything_is_in_the_store_and_judged(pretended):
    found = Results.of(done(pretended, request("m1_yearly")))
    assert len(found.trainings) == 4 and not found.absences
    training = found.training("m1_yearly", TORCH, 42, 100)
    assert training.mase > 0 and 0 < training.smape < 2
    assert training.parsed == "arrays"  # a stand-in has no file
    assert [one.place for one in training.forecasts] == [one.place for one in found.sets["m1_yearly"].shown]
    assert np.shape(training.forecasts[0].quantiles) == (5, 6)
    assert found.sets["m1_yearly"].is_stand_in
    assert found.installed[MXNET].facts[0].value == MXNET


def test_who_fails_is_a_row_and_the_rest_goes_on_and_resume_tries_again(pretended):
    pretended.fails["m1_yearly", MXNET, 42] = WorkerError("crash", "the worker died: signal SIGKILL", details="log")
    run = done(pretended, request("m1_yearly"))
    (absence,) = Results.of(run).absences.values()
    assert (absence.stage, absence.kind, absence.seed, absence.details) == ("train", "crash", 42, "log")
    assert len(Results.of(run).trainings) == 3
    pretended.fails.clear()
    pretended.log.clear()
    again = pretended.race.go_on(run)
    assert pretended.log == [("m1_yearly", MXNET, 42, 100)]
    assert not Results.of(again).absences


def test_what_was_interrupted_goes_on_with_what_is_left(pretended):
    pretended.fails["m1_yearly", MXNET, 43] = KeyboardInterrupt()
    run = begin_run(pretended.race.store, request("m1_yearly"), ["rosetta"])
    with pytest.raises(KeyboardInterrupt):
        pretended.race.go_on(run)
    kept = pretended.race.store.run(run.id)
    assert len(Results.of(kept).trainings) == 2
    assert kept.events[-1].kind == "interrupted" and summarise(kept).state == "interrupted"
    pretended.fails.clear()
    pretended.log.clear()
    again = pretended.race.go_on(kept)
    assert [event.kind for event in again.events if event.kind in ("interrupted", "resumed", "finished")] == [
        "interrupted",
        "resumed",
        "finished",
    ]
    assert pretended.log == [("m1_yearly", MXNET, 43, 100), ("m1_yearly", TORCH, 43, 100)]


def test_a_long_unroll_is_a_row_and_not_a_hang(pretended):
    found = Results.of(done(pretended, request("australian_electricity_demand")))
    (absence,) = found.absences.values()
    assert absence.library == MXNET and absence.kind == "too long" and not absence.is_failure
    assert "a window has 756 steps" in absence.what and "--long" in absence.hint
    assert {one.library for one in found.trainings.values()} == {TORCH}
    pretended.log.clear()
    done(pretended, request("australian_electricity_demand", long=True))
    assert {job[1] for job in pretended.log} == {TORCH, MXNET}


def test_a_budget_gives_every_set_an_epoch_first_and_then_as_many_as_fit(pretended):
    run = done(pretended, request("m1_yearly", "m3_yearly", budget=44.0))
    pilots = [(name, label, 42, 1) for name in ("m1_yearly", "m3_yearly") for label in (TORCH, MXNET)]
    assert pretended.log[:4] == pilots
    assert pretended.log[4:8] == [
        ("m1_yearly", label, seed, 5) for seed, label in ((42, TORCH), (42, MXNET), (43, MXNET), (43, TORCH))
    ]
    assert len(pretended.log) == 12
    summary = summarise(run).trainings
    assert [one.epochs for one in summary.sets] == [5, 5]
    assert "5 epochs of its 100" in scale_words(summary)


def test_who_fails_at_the_first_epoch_is_not_asked_for_more(pretended):
    pretended.fails["m1_yearly", MXNET, 42] = WorkerError("timeout", "no answer to 'train' within 60 s")
    found = Results.of(done(pretended, request("m1_yearly", budget=100.0)))
    assert [job for job in pretended.log if job[1] == MXNET] == [("m1_yearly", MXNET, 42, 1)]
    assert [one.kind for one in found.absences.values()] == ["timeout"]
    assert found.has("m1_yearly", TORCH, 43, found.paces["m1_yearly"].epochs)


def test_what_no_time_is_left_for_is_said(pretended):
    pretended.lasts = 10.0
    found = Results.of(done(pretended, request("m1_yearly", "m3_yearly", budget=15.0)))
    assert {(one.series, one.kind) for one in found.absences.values()} == {("m3_yearly", "budget")}
    assert {one.series for one in found.trainings.values()} == {"m1_yearly"}


def test_a_library_that_cannot_be_had_does_not_stop_the_other(pretended, monkeypatch):
    def make(self, lock, progress):
        if "mxnet" in lock.name:
            raise EnvironmentFault("no network", "Check the network.")
        return Environment("pretended", Path("python"), "managed", {}, None, "3.11")

    monkeypatch.setattr(Environments, "make", make)
    found = Results.of(done(pretended, request("m1_yearly")))
    assert {one.library for one in found.trainings.values()} == {TORCH}
    assert [(one.stage, one.what) for one in found.absences.values()] == [("environment", "no network")]
    monkeypatch.setattr(
        Environments, "make", lambda self, lock, progress: make(self, type("L", (), {"name": "mxnet"}), 0)
    )
    with pytest.raises(EnvironmentFault, match="none of the libraries"):
        done(pretended, request("m1_yearly"))


def test_a_clock_that_stands_still_is_a_failure(pretended):
    pretended.lasts = 0.0
    (absence, *_) = Results.of(done(pretended, request("m1_yearly"))).absences.values()
    assert (absence.stage, absence.kind) == ("train", "clock")


def test_forecasts_that_are_no_numbers_are_a_failure(pretended, monkeypatch):
    whole = pretended.predict
    monkeypatch.setattr(pretended, "predict", lambda self: (whole(self)[0], np.full((181, 3, 6), np.nan, "float32")))
    (absence, *_) = Results.of(done(pretended, request("m1_yearly"))).absences.values()
    assert absence.stage == "score" and "not finite" in absence.what


def test_real_data_that_are_not_there_are_an_error_before_anything_is_timed(pretended, tmp_path):
    with pytest.raises(DataError, match="data=real asks for m1_yearly"):
        done(pretended, request("m1_yearly", data="real", data_dir=str(tmp_path)))
    assert not pretended.log
