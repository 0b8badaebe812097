"""How many proofs go on at a time: as many as have processors of their own."""

import pytest

from rosettabench.plan import proofs as module
from rosettabench.plan.proofs import share_cores


@pytest.mark.parametrize(
    ("jobs", "axes", "together", "cores"),
    [
        (None, {}, 8, 1),
        (None, {"threads": [2]}, 4, 2),
        (None, {"threads": ["1", "4"]}, 2, 4),
        (None, {"devices": [2], "threads": [2]}, 2, 4),
        (None, {"threads": [16]}, 1, 8),
        (3, {"threads": [4]}, 3, 2),
    ],
)
def test_proofs_do_not_share_the_processors_of_their_threads(monkeypatch, jobs, axes, together, cores):
    """Unless the user says so: threads of OpenMP wait in a loop, and would slow each other down."""
    monkeypatch.setattr(module, "usable_cores", lambda: 8)
    assert share_cores(jobs, axes) == (together, cores)
