"""The words: what is sure is said, what is not is said to be so."""

import numpy as np
from examined import FAST, SLOW, measured, subject
from rich.console import Console

from rosettabench.reasons.measured import Operation, Profile
from rosettabench.reasons.parts import explain
from rosettabench.report.formats.terminal import print_reasons
from rosettabench.report.words.reasons import pair_evidence, pair_headline, remarks
from rosettabench.statistics.busy import Busy
from rosettabench.summary.reasons import summarise_reasons


def explained(noise=0.0, rounds=12, parts=SLOW, **more):
    random = np.random.default_rng(0)
    slow = subject("slow", parts, random, rounds, noise, **more)
    return explain(measured(slow, subject("fast", FAST, random, rounds, noise)))


def answered(explanation, seen=()):
    """What is said of the only pair, and its evidence."""
    [pair] = summarise_reasons(explanation.measured, 0.02, seen).pairs
    found = pair_headline(explanation, pair)
    return found.answer, found.evidence


def test_the_sentence_names_the_parts_the_largest_first():
    explanation = explained()
    [pair] = explanation.pairs
    assert answered(explanation)[0].startswith("slow takes 2.18× the time of fast at batch 32 (95%: ")
    told = pair_evidence(pair)
    assert told.startswith("Of the 1.46 ms more, 960 µs (960 to 960) per-sample arithmetic, 300 µs")
    assert told.index("arithmetic") < told.index("optimiser") < told.index("input")


def test_what_is_not_parted_from_zero_is_said_to_be_so():
    explanation = explained(noise=0.1)
    [pair] = explanation.pairs
    told = pair_evidence(pair)
    assert "Perhaps zero: " in told
    assert "what no line over batch sizes explains" in told.partition("Perhaps zero: ")[2]


def test_equals_get_no_confident_sentence():
    random = np.random.default_rng(5)
    explanation = explain(measured(subject("one", SLOW, random, noise=0.1), subject("two", SLOW, random, noise=0.1)))
    [pair] = explanation.pairs
    assert not pair.ratio.excludes(1)
    assert answered(explanation)[0] == "No difference found yet between two and one at batch 32"


def test_where_a_run_gives_no_verdict_there_is_no_ratio():
    """A busy machine, too few rounds, and parts that take less than no time."""
    said, why = answered(explained(), [Busy(0.34, 0.0)])
    assert said == "slow and fast: no verdict"
    assert why.startswith("Other programs used 34% of the processors' time")
    said, why = answered(explained(rounds=6))
    assert (said, why) == ("slow and fast: no verdict", "6 rounds are too few for an interval.")
    said, why = answered(explained(parts=SLOW | {"optimiser": 2e-3}))
    assert said == "slow and fast: no verdict"
    assert why.startswith("The launch and interpreter of slow is below zero (")
    for told in (said, why):
        assert "×" not in told


def test_a_line_that_does_not_fit_is_remarked():
    [told] = remarks(explained(bent=0.5))
    assert told.startswith("slow: the line does not fit: at batch 16 a step takes 44% more than predicted.")
    assert remarks(explained()) == []


def test_a_part_that_cannot_be_told_apart_is_remarked():
    [told] = remarks(explained(without=("update", "backpropagate")))
    assert told == "slow: the optimiser cannot be measured separately in this framework (the step is one piece)."
    assert remarks(explained(without=("update",))) == []


def test_everything_is_printed(capsys):
    random = np.random.default_rng(0)
    operations = (
        Operation(name="aten::mm", calls=20, seconds=0.006),
        Operation(name="strange", calls=2, seconds=0.001),
    )
    profile = Profile(steps=10, elapsed_s=0.01, operations=operations)
    slow = subject("slow", SLOW, random).model_copy(update={"framework": "pytorch", "profile": profile})
    reasons = summarise_reasons(measured(slow, subject("fast", FAST, random)))
    print_reasons(reasons, Console(width=200, markup=False))
    page = capsys.readouterr().out
    for words in ("slow − fast", "slow / fast", "by itself", "aten::mm", "matmul", "idle", "60.0%", "30.0%"):
        assert words in page
