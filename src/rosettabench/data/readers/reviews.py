"""Reviews with words numbered as in Keras, and their conversion to a rectangle of ids.

The coding is that of ``keras.datasets.imdb.load_data`` with its defaults, followed by ``pad_sequences``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

PADDING = 0
START = 1
"""The id before the first word of every review. It is cut off with the first words if the end of a review is kept."""
OUT_OF_VOCABULARY = 2
INDEX_FROM = 3
"""A word's id is its rank by frequency, counted from 1, plus this."""


@dataclass(frozen=True)
class Reviews:
    """Reviews of different lengths: the ids (int32) of START and all words of each, and its class (1: positive)."""

    ids: Sequence[NDArray[np.int32]]
    labels: NDArray[np.int32]

    @property
    def total(self) -> int:
        """The number of all ids, START included."""
        return sum(len(review) for review in self.ids)

    def in_order_of_content(self) -> Reviews:
        """Return the same reviews, sorted by a hash of their ids.

        The originals come in different orders: Keras' archive is shuffled, and the text is sorted by class. Sorting
        gives the same arrays for all of them, and mixes the classes.
        """
        keys = [
            (hashlib.blake2b(review.tobytes(), digest_size=16).digest(), int(label))
            for review, label in zip(self.ids, self.labels, strict=True)
        ]
        order = sorted(range(len(keys)), key=keys.__getitem__)
        return Reviews([self.ids[place] for place in order], self.labels[order])

    def code_reviews(self, form: Mapping[str, Any]) -> NDArray[np.int32]:
        """Return ids, (reviews, length), with unknown words replaced, and reviews cut and padded as `form` says."""
        length, last, at_end = form["length"], form["keep"] == "last", form["pad"] == "end"
        rectangle = np.full((len(self.ids), length), PADDING, np.int32)
        for row, review in zip(rectangle, self.ids, strict=True):
            kept = review[-length:] if last else review[:length]
            row[slice(len(kept)) if at_end else slice(length - len(kept), length)] = kept
        rectangle[rectangle >= form["vocabulary"]] = OUT_OF_VOCABULARY
        return rectangle


def from_ranks(ranks: Sequence[NDArray[np.integer[Any]]], labels: NDArray[np.integer[Any]]) -> Reviews:
    """Return the reviews whose words have these ranks by frequency, counted from 1."""
    return Reviews([_number_words(review) for review in ranks], labels.astype(np.int32))


def _number_words(ranks: NDArray[np.integer[Any]]) -> NDArray[np.int32]:
    """Return START and the ids of one review's words."""
    ids = np.empty(len(ranks) + 1, np.int32)
    ids[0] = START
    np.add(ranks, INDEX_FROM, out=ids[1:], casting="same_kind")
    return ids
