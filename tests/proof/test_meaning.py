"""A certificate is bound to what code means: prose may change, numbers and names may not."""

import subprocess
import sys
from pathlib import Path

import pytest

import rosettabench
from rosettabench.catalogue.roots import worker_folder
from rosettabench.environments.interpreter import find_interpreter
from rosettabench.errors import EnvironmentFault
from rosettabench.proof.meaning import file_digest, python_digest

SOURCE = '''"""An adapter."""

DESCRIPTION = {"title": "It", "modes": {"eager": "op by op"}}

EPSILON = 1e-8
"""What is added to the root."""


def update(weight, gradient, rate=0.1):
    """Return the new weight."""
    step = rate * gradient  # one step down
    return weight - step


class Empty:
    """Only words."""
'''

PROSE = [
    ("  # one step down", "  # a step downhill"),
    ("  # one step down", ""),
    ('    """Return the new weight."""\n', ""),
    ('"""An adapter."""', '"""An adapter of a framework,\n\nin more words.\n"""'),
    ('"""What is added to the root."""', '"""Added to the root."""'),
    ("weight - step", "(\n        weight\n        - step\n    )"),
    ('"It"', '"Something"'),
    ("1e-8", "1.0e-08"),
]

WORK = [
    ("1e-8", "1e-7"),
    ("rate=0.1", "rate=0.2"),
    ("weight - step", "weight + step"),
    ("step", "move"),
    ("weight - step", "weight - step if rate else weight"),
    ('    """Only words."""', "    size = None"),
    ("def update", "async def update"),
]


def changed(old, new):
    """The source with one change, which must be one."""
    assert old in SOURCE
    return SOURCE.replace(old, new)


@pytest.mark.parametrize(("old", "new"), PROSE)
def test_prose_and_layout_change_nothing(old, new):
    assert changed(old, new) != SOURCE
    assert python_digest(changed(old, new)) == python_digest(SOURCE)


@pytest.mark.parametrize(("old", "new"), WORK)
def test_whatever_computes_changes_it(old, new):
    """A renamed local is a change of the syntax tree: that it computes the same is not looked into."""
    assert python_digest(changed(old, new)) != python_digest(SOURCE)


def test_a_constant_is_not_its_neighbour():
    assert len({python_digest(f"x = {text}") for text in ("None", "...", "1", "1.0", "True", "'1'", "b'1'", "1j")}) == 8


def test_another_language_is_bound_to_its_text(tmp_path):
    one, other = tmp_path / "a.R", tmp_path / "b.R"
    one.write_text("x <- 1\n")
    other.write_text("x <- 1 # one\n")
    assert file_digest(one) != file_digest(other)


@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13"])
def test_every_python_of_the_controller_reads_the_same(version):
    """Else a register that was written under one would be stale under another."""
    try:
        python = find_interpreter(version)
    except EnvironmentFault as fault:
        pytest.skip(f"{fault.what}: {fault.hint}")
    files = sorted(worker_folder().rglob("*.py"))
    program = (
        "import pathlib, sys\n"
        "sys.path.insert(0, sys.argv[1])\n"
        "from rosettabench.proof.meaning import file_digest\n"
        "for line in sys.stdin: print(file_digest(pathlib.Path(line.strip())))"
    )
    process = subprocess.run(
        [python, "-c", program, str(Path(rosettabench.__file__).parents[1])],
        input="\n".join(map(str, files)),
        capture_output=True,
        text=True,
        check=True,
    )
    assert len(files) > 100
    assert process.stdout.split() == [file_digest(file) for file in files], sys.version
