"""The coding of reviews, against Keras' rule written down plainly."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rosettabench.data.readers.reviews import from_ranks

RANKS = st.lists(st.lists(st.integers(1, 40), max_size=9), min_size=1, max_size=8)


def coded(ranks, vocabulary, length, keep, pad):
    labels = np.zeros(len(ranks), np.int32)
    reviews = from_ranks([np.array(review, np.int64) for review in ranks], labels)
    return reviews.code_reviews({"vocabulary": vocabulary, "length": length, "keep": keep, "pad": pad}).tolist()


def test_the_gru_keeps_the_end_and_pads_at_the_end():
    assert coded([[1, 2, 3, 4, 5]], 99, 3, "last", "end") == [[6, 7, 8]]
    assert coded([[1]], 99, 4, "last", "end") == [[1, 4, 0, 0]]


def test_the_lstm_keeps_the_end_and_pads_in_front():
    assert coded([[1, 2, 3, 4, 5]], 99, 3, "last", "start") == [[6, 7, 8]]
    assert coded([[1]], 99, 4, "last", "start") == [[0, 0, 1, 4]]


def test_words_beyond_the_vocabulary_become_2():
    assert coded([[1, 2, 3, 4]], 6, 5, "first", "end") == [[1, 4, 5, 2, 2]]


@given(
    RANKS, st.integers(4, 50), st.integers(1, 12), st.sampled_from(["first", "last"]), st.sampled_from(["start", "end"])
)
def test_every_form_follows_the_rule(ranks, vocabulary, length, keep, pad):
    expected = []
    for review in ranks:
        ids = [1] + [rank + 3 if rank + 3 < vocabulary else 2 for rank in review]
        ids = ids[:length] if keep == "first" else ids[-length:]
        padding = [0] * (length - len(ids))
        expected.append(ids + padding if pad == "end" else padding + ids)
    assert coded(ranks, vocabulary, length, keep, pad) == expected


@given(RANKS, st.randoms(use_true_random=False))
def test_the_order_of_the_originals_does_not_matter(ranks, random):
    pairs = [(np.array(review, np.int64), random.randrange(2)) for review in ranks]
    shuffled = random.sample(pairs, len(pairs))
    one, other = (
        from_ranks([review for review, _ in some], np.array([label for _, label in some])).in_order_of_content()
        for some in (pairs, shuffled)
    )
    assert [review.tolist() for review in one.ids] == [review.tolist() for review in other.ids]
    assert one.labels.tolist() == other.labels.tolist()
