"""What all tests share: where real data lies, and a Hypothesis profile without deadlines (timing decides no test)."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("rosettabench", deadline=None)
settings.load_profile("rosettabench")


@pytest.fixture(scope="session")
def real_data():
    """The folder with the real data sets: ROSETTA_TEST_DATA, or ``shared/data`` beside the checkout."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("ROSETTA_TEST_DATA", beside))
    if not folder.is_dir():
        pytest.skip(f"no real data: {folder} does not exist (name a folder with ROSETTA_TEST_DATA)")
    return folder
