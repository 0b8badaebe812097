"""The one sentence above a table: it must be readable however many share the first place."""

import re
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from rosettabench.report.words.answer import answer_words
from rosettabench.statistics.interval import Interval
from rosettabench.statistics.oddities import Drift
from rosettabench.statistics.ranking import Ranked
from rosettabench.statistics.verdict import Finding, Verdict
from rosettabench.summary.answer import find_answer

STATES = ["equivalent", "doubted", "open"]


def verdict(pair, state):
    """A verdict on a pair that nobody can part, for one of three reasons."""
    finding = Finding.EQUIVALENT if state == "equivalent" else Finding.OPEN
    interval = Interval(1.01, 0.995, 1.015, 0.95, 20) if state == "equivalent" else Interval(1.2, 0.9, 1.6, 0.95, 20)
    drift = (Drift(pair[0], "the others", 0.195, 1e-6),)
    return Verdict(finding, *pair, interval, 0.02, drift if state == "doubted" else ())


def ranking(labels):
    """All of them on the first rank."""
    return [Ranked(label, 1, 1e-3, None) for label in labels]


@given(st.integers(3, 9).flatmap(lambda n: st.lists(st.sampled_from(STATES), min_size=n * (n - 1) // 2, max_size=36)))
def test_many_pairs_are_counted_each_once(states):
    count = next(n for n in range(9, 2, -1) if n * (n - 1) // 2 <= len(states))
    labels = [f"contender{number}" for number in range(count)]
    pairs = list(combinations(labels, 2))
    verdicts = [verdict(pair, state) for pair, state in zip(pairs, states, strict=False)]
    evidence = answer_words(find_answer(ranking(labels), verdicts)).evidence
    if count == 3:
        assert all(f"{a} and {b}: " in evidence for a, b in pairs)
        return
    whole, *parts = [int(number) for number in re.findall(r"(?<![\d.])(\d+) (?:pairs|has|have)\b", evidence)]
    assert whole == len(pairs) == sum(parts)
    assert len(evidence) < 200
    assert "got slower" not in evidence  # that is told once, below
    for state, words in zip(STATES, ["difference above 2%", "doubt about their rounds", "enough data"], strict=True):
        assert (words in evidence) == (state in states[: len(pairs)])


def test_nine_that_were_disturbed_make_a_sentence():
    labels = [f"contender{number}" for number in range(9)]
    verdicts = [verdict(pair, "doubted") for pair in combinations(labels[:-1], 2)]
    verdicts += [verdict((label, labels[-1]), "open") for label in labels[:-1]]
    assert answer_words(find_answer(ranking(labels), verdicts)).evidence == (
        "Of their 36 pairs, 28 have no verdict (a doubt about their rounds) and 8 have not enough data."
    )


def test_two_of_which_one_was_disturbed_have_no_verdict():
    """Whatever their ratio: to say that no difference was found would be wrong if it is ten."""
    said = answer_words(find_answer(ranking(["jax", "mxnet"]), [verdict(("jax", "mxnet"), "doubted")]))
    assert said.answer == "No verdict on jax and mxnet"


def test_a_shared_first_place_says_who_is_behind():
    """Also in numbers, where three or fewer are: "no difference" alone would hide what was found."""
    labels = ["keras", "tensorflow", "jax", "chainer"]
    verdicts = [verdict(("keras", "tensorflow"), "open"), verdict(("tensorflow", "jax"), "open")]
    verdicts += [slower("keras", "jax", 5.67), slower("keras", "chainer", 12.0), slower("tensorflow", "chainer", 11.0)]
    said = answer_words(find_answer(ranking(labels), verdicts))
    assert said.answer == "No difference found yet between keras and tensorflow"
    assert said.evidence.endswith(
        " keras is faster than jax by 5.67× (5.10 to 6.24) and chainer by 12.0× (10.8 to 13.2)."
    )


def test_many_who_are_behind_are_counted():
    labels = ["keras", "tensorflow", *(f"contender{number}" for number in range(5))]
    verdicts = [verdict(("keras", "tensorflow"), "open")]
    verdicts += [slower("keras", label, 2.0 + place) for place, label in enumerate(labels[2:])]
    evidence = answer_words(find_answer(ranking(labels), verdicts)).evidence
    assert evidence.endswith(" keras is faster than 5 others, by 2.00× to 6.00×.")


def test_one_that_was_disturbed_does_not_share_its_place_with_all():
    """Nothing is known of the fastest here. That chainer is slower than keras and tensorflow is."""
    labels = ["pytorch", "keras", "tensorflow", "chainer"]
    verdicts = [verdict(("pytorch", label), "doubted") for label in labels[1:]]
    verdicts += [verdict(("keras", "tensorflow"), "open")]
    verdicts += [slower("keras", "chainer", 3.7), slower("tensorflow", "chainer", 3.6)]
    said = answer_words(find_answer(ranking(labels), verdicts))
    assert said.answer == "No difference found yet between pytorch, keras and tensorflow"
    assert said.evidence.endswith(" keras is faster than chainer by 3.70× (3.33 to 4.07).")


def test_the_fastest_need_not_be_compared_with_all():
    """Whoever is slower than a contender that is slower than the fastest is slower than the fastest."""
    verdicts = [slower("jax", "keras", 1.5), slower("keras", "chainer", 1.1), verdict(("jax", "chainer"), "open")]
    said = answer_words(find_answer(ranking(["jax", "keras", "chainer"]), verdicts))
    assert (said.answer, said.evidence[:36]) == ("jax is fastest", "Faster than keras, the nearest, by 1")


def slower(faster, other, ratio):
    """A verdict on a pair of which one is surely slower."""
    return Verdict(Finding.FASTER, faster, other, Interval(ratio, 0.9 * ratio, 1.1 * ratio, 0.95, 20), 0.02, ())
