"""Rows on their way to a loader: each once, in order, none before it is asked for; and the source that it reads."""

import multiprocessing
import queue
import subprocess
import sys
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosetta_worker.children import tie_children
from rosetta_worker.clock import cpu_seconds_of
from rosetta_worker.loaders.rows import Rows
from rosetta_worker.source import Source


@given(st.lists(st.lists(st.integers(0, 99), min_size=1, max_size=5), min_size=1, max_size=5))
def test_who_runs_ahead_gets_every_row_once_and_no_sooner(blocks):
    rows, brought = Rows(), queue.Queue()

    def run_ahead():
        for number in range(1000):
            try:
                brought.put(rows[number])
            except IndexError:
                return

    loader = threading.Thread(target=run_ahead)
    loader.start()
    try:
        for block in blocks:
            assert brought.empty(), "what nobody asked for was brought"
            rows.ask(block)
            assert list(rows) == block and len(rows) == len(block)
            assert [brought.get(timeout=20) for _ in block] == block
    finally:
        rows.close()
        loader.join(20)
    assert not loader.is_alive()
    assert brought.empty()


def test_who_is_behind_is_told():
    rows = Rows()
    rows.ask(["a", "b"])
    rows.ask(["c"])
    assert rows[2] == "c"
    with pytest.raises(IndexError, match="row 1 is none of those"):
        rows[1]


@pytest.fixture
def files(tmp_path):
    """Ten images of 2 × 3 pixels with three channels, and their labels."""
    images = np.arange(180, dtype="float32").reshape(10, 3, 2, 3)
    np.save(tmp_path / "inputs.npy", images)
    np.save(tmp_path / "labels.npy", np.arange(10, dtype="int32"))
    return images, str(tmp_path / "inputs.npy"), str(tmp_path / "labels.npy")


def test_a_sample_and_a_batch_are_arranged_alike(files):
    images, inputs, labels = files
    source = Source(inputs, labels, lambda batch: np.ascontiguousarray(batch.transpose(0, 2, 3, 1)))
    ids = np.array([7, 0, 7, 3])
    batch, classes = source.batch(ids)
    assert np.array_equal(batch, images[ids].transpose(0, 2, 3, 1))
    assert classes.tolist() == ids.tolist()
    for place, number in enumerate(ids):
        sample, label = source[number]
        assert np.array_equal(sample, batch[place]) and label == number
        assert type(label) is int
    assert len(source) == 10


def test_labels_of_many_classes_stay_arrays(files, tmp_path):
    _, inputs, _ = files
    many = np.eye(10, 4, dtype="float32")
    np.save(tmp_path / "many.npy", many)
    assert np.array_equal(Source(inputs, str(tmp_path / "many.npy"), np.asarray)[2][1], many[2])


def test_where_nothing_can_be_forked_it_is_said(monkeypatch):
    monkeypatch.setattr(multiprocessing, "get_all_start_methods", lambda: ["spawn"])
    with pytest.raises(NotImplementedError, match="cannot fork"):
        tie_children()


def test_the_time_of_another_process_is_read():
    spin = "import time\nwhile time.process_time() < 0.3: pass\nprint('done', flush=True)\ninput()"
    with subprocess.Popen([sys.executable, "-c", spin], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        child.stdout.readline()
        found = cpu_seconds_of(child.pid)
        child.communicate(b"\n")
    assert 0.25 < found < 5
    assert cpu_seconds_of(child.pid) == 0.0, "it is gone"
