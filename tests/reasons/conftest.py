"""What is profiled has been compiled for it: of a program that JAX has kept, the profiler says no operation's name."""

import pytest

from rosettabench.client.machine import PROGRAMS


@pytest.fixture(autouse=True, scope="package")
def _compiled_anew():
    """Let workers of these tests keep nothing, and find nothing kept, whatever they are started by."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(PROGRAMS, raising=False)
        yield
