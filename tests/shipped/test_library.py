"""What the files of the libraries say about themselves, and what a budget allows."""

import pytest

from rosettabench.environments.lock import load_lock
from rosettabench.errors import UsageError
from rosettabench.shipped.budget import Cost, affordable
from rosettabench.shipped.library import all_libraries, find_library, read_library


def test_both_libraries_are_there_and_have_locks():
    assert [*all_libraries()] == ["gluonts[torch]", "gluonts[mxnet]"]
    for library in all_libraries().values():
        assert load_lock(library.lock).pins.keys() >= {name for name in library.packages if name != "lightning"}


def test_the_nearest_name_is_offered():
    with pytest.raises(UsageError) as caught:
        find_library("gluonts[pytorch]")
    assert "there is no library 'gluonts[pytorch]'" in caught.value.what
    assert "Did you mean 'gluonts[torch]'?" in caught.value.hint


@pytest.mark.parametrize(("context", "horizon", "long"), [(30, 168, False), (432, 168, False), (420, 336, True)])
def test_long_windows_are_too_long_for_a_graph_alone(context, horizon, long):
    assert find_library("gluonts[mxnet]").too_long(context, horizon) is long
    assert not find_library("gluonts[torch]").too_long(context, horizon)


def test_a_description_that_is_none_names_its_file(tmp_path):
    (tmp_path / "mine.py").write_text('DESCRIPTION = {"name": "mine"}\n')
    with pytest.raises(UsageError, match=r"mine\.py: DESCRIPTION: title"):
        read_library(tmp_path / "mine.py")


COSTS = [Cost(2, 1), Cost(4, 3)]
"""Of one epoch of both: 10 s; of every further one: 4 s."""


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (1000, (48, 5)),
        (1e6, (100, 5)),
        (50, (1, 5)),
        (49, (1, 4)),
        (30, (1, 3)),
        (0, (1, 1)),
    ],
)
def test_epochs_are_given_up_before_seeds(seconds, expected):
    epochs, seeds = affordable(COSTS, seconds, 100, 5)
    assert (epochs, seeds) == expected
    assert seconds < 10 or seeds * sum(cost.of(epochs) for cost in COSTS) <= seconds
