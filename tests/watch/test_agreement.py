"""Who is odd among contenders that should agree."""

from rosettabench.watch.agreement import Split, in_words, split

VOICES = {"pytorch": "pytorch", "pytorch:compiled": "pytorch", "jax": "jax", "mxnet-gluon": "mxnet-gluon"}


def by_value(values):
    """Whether two labels have values that are near."""
    return lambda one, other: abs(values[one] - values[other]) <= 1


def test_who_stands_alone_is_odd():
    values = {"pytorch": 1, "pytorch:compiled": 1, "jax": 5, "mxnet-gluon": 1}
    assert split(VOICES, by_value(values)) == Split(odd=("jax",))
    assert split(VOICES, by_value(dict.fromkeys(VOICES, 1))).agree


def test_modes_of_one_framework_have_one_voice():
    values = {"pytorch": 5, "pytorch:compiled": 5, "jax": 1, "mxnet-gluon": 1}
    assert split(VOICES, by_value(values)) == Split(odd=("pytorch", "pytorch:compiled"))


def test_two_that_disagree_are_undecided():
    voices = {"pytorch": "pytorch", "jax": "jax"}
    assert split(voices, by_value({"pytorch": 1, "jax": 5})) == Split(undecided=("pytorch", "jax"))
    assert split({"jax": "jax"}, by_value({"jax": 5})).agree
    assert split({}, by_value({})).agree


def test_a_row_of_neighbours_is_one_group():
    voices = {name: name for name in "abcd"}
    assert split(voices, by_value({"a": 1, "b": 2, "c": 3, "d": 9})) == Split(odd=("d",))


def test_in_words():
    assert [in_words(names) for names in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == ["", "a", "a and b", "a, b and c"]
