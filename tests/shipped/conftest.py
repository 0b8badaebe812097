"""Real libraries on real small sets, and trainers over them."""

import pytest
from installed_libraries import installed

from rosettabench.data.series.prepare_series import prepare_series
from rosettabench.shipped.library import all_libraries, find_library
from rosettabench.shipped.trainer import Trainer

TIMEOUT = 600.0


@pytest.fixture(params=all_libraries())
def library(request):
    """Each library."""
    return find_library(request.param)


@pytest.fixture
def start(tmp_path):
    """Start a trainer: start(library, timeout) is a context manager."""
    count = iter(range(100))

    def started(library, timeout=TIMEOUT):
        return Trainer(library, installed(library), 1, tmp_path / f"worker-{next(count)}", timeout)

    return started


@pytest.fixture(scope="session")
def series(real_data, tmp_path_factory):
    """A set of the Monash archive, by its name, from the real files."""
    cache = tmp_path_factory.mktemp("cache")

    def prepared(key):
        found = prepare_series(key, data_dir=real_data, cache=cache, offline=True)
        assert not found.is_stand_in
        return found

    return prepared


@pytest.fixture(scope="session")
def file_of(real_data):
    """The .tsf file of a set, by its name."""
    return lambda key: real_data / "monash-tsf" / "original" / f"{key}_dataset.tsf"
