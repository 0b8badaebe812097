"""``rosetta report`` on a real store."""

import json

import pytest
import typer
from typer.testing import CliRunner

from rosettabench.cli.report import report
from rosettabench.errors import UsageError

app = typer.Typer()
app.command()(report)


def rosetta_report(store, *words):
    return CliRunner().invoke(app, [*words, "--store", store.name])


@pytest.mark.parametrize(
    ("form", "beginning"),
    [
        ("html", b"<!doctype html>"),
        ("markdown", b"# Rosettabench"),
        ("csv", b"run,contest"),
        ("json", b"{"),
        ("png", b"\x89PNG"),
    ],
)
def test_each_form_is_written_where_it_was_asked_for(sample_store, tmp_path, form, beginning):
    path = tmp_path / "new" / f"report.{form}"
    result = rosetta_report(sample_store, "2f6c", "--format", form, "--output", str(path))
    assert result.exit_code == 0, result.output
    assert result.output.strip() == str(path)
    assert path.read_bytes().startswith(beginning)


def test_the_default_is_a_page_in_this_folder_named_after_the_run(sample_store, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = rosetta_report(sample_store)
    assert result.output.strip() == "rosetta-report-2f6c1d3a.html"
    assert (tmp_path / "rosetta-report-2f6c1d3a.html").is_file()


def test_a_dash_is_standard_output(sample_store):
    result = rosetta_report(sample_store, "--format", "json", "--output", "-")
    assert json.loads(result.output)["id"] == "2f6c1d3a"


def test_the_terminal(sample_store):
    assert "jax is fastest" in rosetta_report(sample_store, "--format", "terminal").output


def test_a_run_that_does_not_exist(sample_store):
    result = rosetta_report(sample_store, "nothing")
    assert isinstance(result.exception, UsageError)


def test_a_place_where_nothing_can_be_written(sample_store, tmp_path):
    (tmp_path / "file").write_text("")
    result = rosetta_report(sample_store, "--format", "csv", "--output", str(tmp_path / "file" / "report.csv"))
    assert isinstance(result.exception, UsageError)
    assert "cannot be written" in result.exception.what and "--output" in result.exception.hint


def test_terminal_and_output_contradict_each_other(sample_store, tmp_path):
    result = rosetta_report(sample_store, "--format", "terminal", "--output", str(tmp_path / "x"))
    assert isinstance(result.exception, UsageError)
