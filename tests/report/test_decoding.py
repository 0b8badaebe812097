"""Writing texts: prefill and decoding are told apart where a run measured both, and nowhere else."""

import random
from io import StringIO

import pytest
from rich.console import Console
from rows import begin_run
from sample_run import Player, event, write_contest

from rosettabench.report.formats.html import render_html
from rosettabench.report.formats.markdown import render_markdown
from rosettabench.report.formats.terminal import print_run
from rosettabench.report.tables.decoding import decoding_table
from rosettabench.store.record import Finished, RoundLoad
from rosettabench.store.store import Store
from rosettabench.summary.decoding import decodings
from rosettabench.summary.run import summarise

PREFILL = {"pytorch": 10e-3, "jax": 8e-3}
TOKEN = {"pytorch": 3e-3, "jax": 1e-3}
NEW = 32
BATCH = 16
DATA = {"name": "tiny-shakespeare", "origin": "original", "note": "found"}


def players(seconds):
    return [Player(label, taken) for label, taken in seconds.items()]


@pytest.fixture
def writing(tmp_path):
    """The store of a run in which two contenders read prompts and wrote texts, in batches of 16."""
    store, draw = Store(f"sqlite:///{tmp_path / 'results.sqlite'}"), random.Random(3)  # noqa: S311
    machine = {"processor": "Imaginary", "cores": 2, "memory_bytes": 1, "system": "x", "python": "3", "gpus": []}
    begin_run(store, "ab", machine=machine)
    whole = {label: PREFILL[label] + (NEW - 1) * TOKEN[label] for label in PREFILL}
    write_contest(store, "ab", "gpt-decode:prefill", players(PREFILL), DATA, draw, batch_size=BATCH)
    write_contest(store, "ab", "gpt-decode:short", players(whole), DATA, draw, batch_size=BATCH)
    event(store, "ab", Finished())
    return store


def test_the_truth_lies_in_the_intervals(writing):
    found = {one.label: one for one in decodings(summarise(writing.run()).contests)}
    assert found.keys() == TOKEN.keys()
    for label, one in found.items():
        assert one.contest == "gpt-decode:short, batch size 16"
        assert one.prefill.low < PREFILL[label] < one.prefill.high
        assert one.token.low < TOKEN[label] < one.token.high
        assert one.per_second.low < BATCH / TOKEN[label] < one.per_second.high
        assert one.per_second.value == pytest.approx(BATCH / one.token.value)


def test_the_interval_holds_for_any_two_times_in_theirs(writing):
    prefill, whole = summarise(writing.run()).contests
    (pytorch,) = (one for one in decodings([prefill, whole]) if one.label == "pytorch")
    texts = next(one.step for one in whole.ranked if one.label == "pytorch")
    assert pytorch.token.low * (NEW - 1) == pytest.approx(texts.low - pytorch.prefill.high)
    assert pytorch.token.high * (NEW - 1) == pytest.approx(texts.high - pytorch.prefill.low)


def test_another_batch_size_is_no_prefill_of_it(writing):
    draw = random.Random(4)  # noqa: S311
    write_contest(writing, "ab", "gpt-decode", players({"jax": 0.2, "pytorch": 0.4}), DATA, draw, batch_size=1)
    assert {one.contest for one in decodings(summarise(writing.run()).contests)} == {"gpt-decode:short, batch size 16"}


def test_beside_other_programs_nothing_is_told(writing):
    contest = writing.run().contests[0]
    event(writing, "ab", RoundLoad(round=1, seconds=1.0, processors=2, others=0.3, stolen=0.1), contest)
    assert not list(decodings(summarise(writing.run()).contests))


def test_every_form_of_the_report_shows_the_table(writing):
    summary, console = summarise(writing.run()), Console(file=StringIO(), width=140)
    print_run(summary, console)
    for text in (console.file.getvalue(), render_markdown(summary), render_html(summary)):
        assert "Prefill and decoding apart" in " ".join(text.split())


def test_a_run_without_texts_has_no_table(summary):
    assert decoding_table(summary).rows == ()
