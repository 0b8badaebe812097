"""Real libraries train on real small sets: the same seed gives the same paths, and what fails is told."""

import os
import time

import numpy as np
import psutil
import pytest
from laboratory import tamper

from rosettabench.errors import WorkerError

pytestmark = [pytest.mark.environment, pytest.mark.slow]

SAMPLES = 4


def trained(start, library, prepared, file=None, seed=42):
    """Sample paths of a fresh worker after one epoch."""
    with start(library) as trainer:
        trainer.parse(prepared, file)
        done = trainer.train(prepared.context, 1, SAMPLES, seed)
        assert done["elapsed_s"] > 0 and done["cpu_s"] > 0
        reply, paths = trainer.predict()
        assert reply["elapsed_s"] > 0
        assert paths.shape == (len(prepared), SAMPLES, prepared.horizon)
        assert np.isfinite(paths).all()
        return np.array(paths)


def test_equal_seeds_give_equal_paths_and_another_seed_others(start, library, series, file_of):
    yearly = series("m1_yearly")
    first = trained(start, library, yearly, file_of("m1_yearly"))
    assert np.array_equal(first, trained(start, library, yearly))  # from the arrays: they are the same series
    assert not np.array_equal(first, trained(start, library, yearly, seed=43))


UNSEEDED = {"gluonts[torch]": "torch.manual_seed(number)", "gluonts[mxnet]": "mx.random.seed(number)"}


def test_a_generator_that_nobody_seeds_is_seen(start, library, series, tmp_path):
    yearly = series("m1_yearly")
    own = {
        "gluonts[torch]": "torch.seed()",
        "gluonts[mxnet]": "mx.random.seed(int.from_bytes(__import__('os').urandom(3), 'big'))",
    }
    changes = [(UNSEEDED[library.name], own[library.name])]
    planted = library.model_copy(update={"path": tamper(library.path, changes, tmp_path / "planted.py")})
    assert not np.array_equal(trained(start, planted, yearly), trained(start, planted, yearly))


def test_other_series_than_the_laboratorys_are_seen(start, library, series, file_of):
    with start(library) as trainer, pytest.raises(WorkerError) as caught:
        trainer.parse(series("tourism_quarterly"), file_of("m1_yearly"))
    assert f"{library.name} has read 181 series" in caught.value.what


def test_gaps_are_trained_over(start, library, series, real_data):
    gaps = series("nn5_daily")
    assert any(np.isnan(one.values).any() for one in gaps)
    file = real_data / "monash-tsf" / "converted" / "nn5_daily_dataset_with_missing_values.tsf"
    trained(start, library, gaps, file)


def test_a_worker_that_is_killed_is_told_and_leaves_nothing(start, library, series, tmp_path):
    with pytest.raises(WorkerError) as caught, start(library) as trainer:
        trainer.parse(series("m1_yearly"), None)
        os.kill(trainer.process.pid, 9)
        trainer.train(2, 1, SAMPLES, 42)
    assert caught.value.kind == "crash" and "SIGKILL" in caught.value.what
    assert not psutil.pid_exists(trainer.process.pid)


def test_a_training_that_takes_too_long_is_ended_with_its_children(start, library, series):
    with pytest.raises(WorkerError) as caught, start(library) as trainer:
        trainer.parse(series("m1_yearly"), None)
        trainer._timeout = 2.0
        begun = time.monotonic()
        trainer.train(2, 100, SAMPLES, 42)
    assert time.monotonic() - begun < 60
    assert caught.value.kind == "timeout" and "no answer to 'train' within 2 s" in caught.value.what
    group = [one for one in psutil.process_iter() if os_group(one.pid) == trainer.process.pid]
    assert not group


def os_group(pid):
    """The process group of a process; None of one that is gone."""
    try:
        return os.getpgid(pid)
    except ProcessLookupError:
        return None


def test_whatever_is_written_stays_in_the_workers_folder(start, library, series, tmp_path):
    with start(library) as trainer:
        trainer.parse(series("m1_yearly"), None)
        trainer.train(2, 1, SAMPLES, 42)
        settings = trainer.settings()
    assert settings["processors"] and settings.get("threads", 1) == 1
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"worker-0"}


def test_a_library_that_is_missing_a_package_says_which(start, library, tmp_path):
    planted = tamper(
        library.path, [("import inspect\n", "import inspect\n\nimport no_such_package\n")], tmp_path / "a.py"
    )
    with pytest.raises(WorkerError) as caught, start(library.model_copy(update={"path": planted})):
        pass
    assert caught.value.kind == "missing_package" and "no_such_package" in caught.value.what
