"""``rosetta show``: beside each other where there is room, below each other where there is not."""

import ast
import os
import pty
import subprocess
import sys

import pytest

from rosettabench.catalogue.workload import find_workload


def on_terminal(variables, columns, *arguments):
    """Return what ``rosetta`` prints on a terminal that is so many columns wide."""
    controller, terminal = pty.openpty()
    command = [sys.executable, "-m", "rosettabench.cli", *arguments]
    wide = variables | {"COLUMNS": str(columns), "TERM": "xterm-256color"}
    process = subprocess.Popen(command, env=wide, stdin=terminal, stdout=terminal, stderr=terminal)
    os.close(terminal)
    output = b""
    try:
        while chunk := os.read(controller, 65536):
            output += chunk
    except OSError:  # how Linux tells that the other end is closed
        pass
    os.close(controller)
    assert process.wait() == 0, output.decode()
    return output.decode()


def plain(text):
    """Return text without the terminal's codes."""
    import re

    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def test_side_by_side(variables):
    output = on_terminal(variables, 180, "show", "imdb-gru", "-f", "pytorch,jax")
    assert "\x1b[" in output, "it is highlighted"
    lines = plain(output).splitlines()
    for first, second in [
        ("class Model(nn.Module)", "class Model(nnx.Module)"),
        ("def loss", "def loss"),
        ("TENSORS",) * 2,
    ]:
        assert any(line.find(first) < 90 <= line.rfind(second) for line in lines if first in line and second in line)


def test_one_below_the_other_where_it_is_narrow(variables):
    lines = plain(on_terminal(variables, 80, "show", "imdb-gru", "-f", "pytorch,jax")).splitlines()
    models = [number for number, line in enumerate(lines) if line.startswith("class Model(")]
    losses = [number for number, line in enumerate(lines) if line.startswith("def loss(")]
    assert len(models) == len(losses) == 2
    assert max(models) < min(losses), "definition by definition, not file by file"


def test_plain_holds_every_line_and_no_terminal_code(rosetta):
    output = rosetta("show", "fashion-mlp", "-f", "pytorch").stdout
    assert "\x1b" not in output
    source = find_workload("fashion-mlp").implementation("pytorch").read_text(encoding="utf-8")
    assert {line for line in source.splitlines() if line} <= set(output.splitlines())
    assert ast.parse(output), "it is still Python"


def test_plain_is_asked_for_on_a_terminal(variables):
    output = on_terminal(variables, 180, "show", "fashion-mlp", "-f", "pytorch,jax", "--plain")
    assert "\x1b" not in output
    assert output.count("# ---- jax ----") >= 5


def test_all_that_there_is_without_a_choice(rosetta):
    output = rosetta("show", "fashion-mlp").stdout
    assert "# ---- pytorch ----" in output
    assert "# ---- keras[tensorflow] ----" in output
    assert "reference" not in output.partition("\n# ----")[2]


def test_a_reference_a_mode_and_an_api_without_its_back_end(rosetta):
    output = rosetta("show", "imdb-gru", "-f", "reference-pytorch,pytorch:compiled, keras,keras[tensorflow]").stdout
    assert "def forward(w, tokens):" in output
    assert output.count("# ---- keras") == output.count("# ---- keras ----") > 0, "the same file is shown once"


@pytest.mark.parametrize("framework", ["pytorch", "keras[tensorflow]"])
def test_an_implementation_that_is_not_written_yet(monkeypatch, framework):
    from rosettabench.cli.show import implementations
    from rosettabench.errors import UsageError

    workload = find_workload("fashion-mlp")
    other = workload.model_copy(update={"folder": workload.folder.with_name("not_written")})
    with pytest.raises(UsageError, match="not written in"):
        implementations(other, [framework])
