"""What the tests of the proof share: references, made once."""

import pytest
from laboratory import reference, small_work


@pytest.fixture(scope="session")
def references(tmp_path_factory):
    """Work and reference by workload, made once."""
    made = {}

    def get(name):
        if name not in made:
            folder = tmp_path_factory.mktemp(name)
            work = small_work(name, folder)
            made[name] = work, reference(work, folder / "reference")
        return made[name]

    return get
