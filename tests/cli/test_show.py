"""``rosetta show``: beside each other where there is room, below each other where there is not."""

import ast
import os
import pty
import subprocess

import pytest
from command_line import fresh

from rosettabench.catalogue.implementation import implementations
from rosettabench.catalogue.workload import find_workload
from rosettabench.errors import UsageError


def on_terminal(variables, columns, *arguments):
    """Return what ``rosetta`` prints on a terminal that is so many columns wide."""
    controller, terminal = pty.openpty()
    command = fresh(*arguments)
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
def test_an_implementation_that_is_not_written_yet(framework):
    workload = find_workload("fashion-mlp")
    other = workload.model_copy(update={"folder": workload.folder.with_name("not_written")})
    with pytest.raises(UsageError, match="not written in"):
        implementations(other, [framework])


def test_the_step_is_shown_behind_the_implementations(rosetta):
    output = rosetta("show", "fashion-mlp", "-f", "pytorch,jax", "--step").stdout
    model, _, step = output.partition("# The training step.")
    assert "class Model(nn.Module):" in model and "loss.backward()" not in model
    assert "loss.backward()" in step and "optimizer.update(model, gradients)" in step
    assert ast.parse(output), "it is still Python"


def test_the_step_is_shown_on_a_terminal(variables):
    lines = plain(on_terminal(variables, 180, "show", "fashion-mlp", "-f", "pytorch,chainer", "--step")).splitlines()
    assert any(line.find("def train(self") < 90 <= line.rfind("def train(self") for line in lines)


def test_what_only_infers_has_a_step_that_infers(rosetta):
    step = rosetta("show", "resnet50-features", "-f", "pytorch", "--step").stdout.partition("# The inference step.")[2]
    assert "def infer(self" in step and "def train(self" not in step


def test_a_page_is_written_where_it_is_asked_for(rosetta, tmp_path):
    path = tmp_path / "pages" / "mlp.html"
    process = rosetta("show", "fashion-mlp", "-f", "pytorch,jax", "--format", "html", "--output", path)
    assert process.stdout == f"{path}\n"
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert [one.name for one in path.parent.iterdir()] == ["mlp.html"]


def test_text_may_go_to_a_file(rosetta, tmp_path):
    path = tmp_path / "mlp.txt"
    rosetta("show", "fashion-mlp", "-f", "pytorch", "--format", "text", "--output", path)
    assert path.read_text(encoding="utf-8") == rosetta("show", "fashion-mlp", "-f", "pytorch").stdout


@pytest.mark.parametrize(
    ("words", "said", "hint"),
    [
        (["--plain", "--format", "html"], "--plain is text", "Leave one of the two out"),
        (["--format", "terminal", "--output", "x"], "--format terminal prints", "Leave one of the two out"),
        (["--output", "x.html"], "names no form", "--format html"),
        (["--format", "ipynb", "--output", "x.ipynb"], "2 notebooks do not fit into x.ipynb", "Name a folder"),
        (["--format", "ipynb", "--output", "-"], "cannot go to standard output", "Name a folder"),
        (["--format", "ipynb", "-f", "r-keras"], "no notebook for r-keras", "Name others with -f"),
        (["--format", "ipynb", "-f", "reference-jax"], "no notebook for reference-jax", "Name others with -f"),
        (["--format", "html", "--output", "/dev/null/x.html"], "cannot be written", "--output"),
    ],
)
def test_what_contradicts_itself_is_said(rosetta, words, said, hint):
    process = rosetta("show", "fashion-mlp", "-f", "pytorch,jax", *words)
    assert process.returncode == 2
    assert said in process.stderr and hint in process.stderr
    assert process.stdout == ""


def test_what_trains_nothing_has_no_notebook(rosetta):
    process = rosetta("show", "resnet50-features", "--format", "ipynb")
    assert process.returncode == 2
    assert "trains nothing" in process.stderr and "--format html" in process.stderr
