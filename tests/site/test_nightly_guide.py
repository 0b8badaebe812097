"""The script of the guide, as it stands there: only the run itself is shorter, for which a stored one stands in."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from site_runs import write_night

from rosettabench.store.store import Store

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "nightly.md"


@pytest.mark.slow
@pytest.mark.parametrize(("slow", "code"), [(1.0, 0), (1.5, 8)])
def test_the_script_compares_the_last_two_nights_and_writes_the_site(tmp_path, slow, code):
    store = Store(str(tmp_path / "results.sqlite"))
    write_night(store, "night-1", 1, "Imaginary 9000", ("jax", "pytorch", "keras"))
    write_night(store, "night-2", 2, "Imaginary 9000", ("jax", "pytorch", "keras"), slow)
    store.engine.dispose()
    script = re.search(r"```sh\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)[1]
    measures = "rosetta run --suite nightly --budget 2h\n"
    assert script.count(measures) == 1
    (tmp_path / "nightly.sh").write_text(script.replace(measures, "true\n"))
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    found = subprocess.run(
        ["sh", "nightly.sh", "public"],
        cwd=tmp_path,
        env={**os.environ, "PATH": path, "ROSETTA_STORE": str(tmp_path / "results.sqlite")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == code, found.stderr
    assert ("slower in night-2 than in night-1" in found.stderr) == (code == 8)
    assert (tmp_path / "public" / "index.html").is_file()
