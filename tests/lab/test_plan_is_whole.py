"""A run is written down whole or not at all: nobody could go on with half of its plan."""

import pytest

from rosettabench.errors import StoreError
from rosettabench.lab.begin import begin_run
from rosettabench.lab.display import Silent
from rosettabench.lab.run import Laboratory
from rosettabench.plan.request import RunRequest
from rosettabench.store.schema import Run
from rosettabench.store.store import Store, now

REQUEST = RunRequest(
    workloads=("fashion-mlp", "fashion-cnn"),
    contenders=("pytorch", "jax", "mxnet-gluon"),
    axes={"threads": [1, 2], "batch_size": [8, 16, 32, 64, 128]},
)


@pytest.fixture
def laboratory(tmp_path):
    """A laboratory with an empty store."""
    return Laboratory(Store(str(tmp_path / "results.sqlite")), tmp_path, Silent())


def test_on_a_disk_with_room_for_half_of_a_plan(laboratory):
    """SQLite is given ever more pages, until the plan fits: the same error as on a full disk."""
    store = laboratory.store

    def limit(pages):
        with store.engine.connect() as connection:
            connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")

    with store.engine.connect() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
    refused = 0
    while True:
        limit(pages + refused)
        try:
            run = begin_run(store, REQUEST, ["rosetta", "run"])
            break
        except StoreError as error:
            assert "full" in error.what
        refused += 1
        limit(1 << 20)
        assert list(store.runs()) == []
    assert refused > 1, "the plan takes more than one page, or this tests nothing"
    assert [len(contest.entries) for contest in run.contests] == [4] * 20


def test_the_newest_run_is_the_one_that_was_begun_last_even_if_the_clock_went_back(laboratory):
    request, facts = REQUEST.model_dump(mode="json"), {"version": "0", "command": [], "machine": {}}
    laboratory.store.add(Run(id="of-the-future", at="2100-01-01T00:00:00.000000+00:00", request=request, **facts))
    for _ in range(2):
        begun = begin_run(laboratory.store, REQUEST, ["rosetta", "run"])
        assert laboratory.store.run().id == begun.id


def test_a_run_of_which_the_plan_is_half_there_is_refused(laboratory):
    """An earlier release wrote the plan row by row."""
    request = REQUEST.model_dump(mode="json")
    command = ["rosetta", "run", "--suite", "quick"]
    laboratory.store.add(Run(id="half", at=now(), version="0", command=command, request=request, machine={}))
    with pytest.raises(StoreError, match="half is planned otherwise") as told:
        laboratory.go_on(laboratory.store.run())
    assert told.value.hint == "Begin it again: rosetta run --suite quick"
