"""What the tests of the proof share: references, made once."""

import pytest
from laboratory import references_to, small_work


@pytest.fixture(scope="session")
def references(tmp_path_factory):
    """Work and reference by workload, made once."""
    return references_to(small_work, tmp_path_factory)
