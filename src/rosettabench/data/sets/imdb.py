"""IMDB: 25,000 + 25,000 film reviews, positive or negative, with words numbered as in Keras.

Maas et al., Learning Word Vectors for Sentiment Analysis, ACL 2011.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from rosettabench.data.data_set import Portion, Remote, Source
from rosettabench.data.progress import DataProgress
from rosettabench.data.readers.acl_imdb import (
    WORD_INDEX_URL,
    load_word_index,
    reviews_of_texts,
    texts_of_archive,
    texts_of_folder,
)
from rosettabench.data.readers.keras_npz import reviews_of_npz
from rosettabench.data.readers.reviews import INDEX_FROM, Reviews, from_ranks
from rosettabench.data.sets import stand_in
from rosettabench.errors import DataError, UsageError

ARCHIVES = ("aclImdb_v1.tar.gz", "aclImdb_v1_labelled.tar.xz", "aclImdb_v1.tar.xz", "aclImdb_v1.tar")
WORD_INDEX = "imdb_word_index.json"


@dataclass(frozen=True)
class Published:
    """Published facts about the reviews, which files are checked against."""

    per_class: int = 12_500
    """Reviews of each class, in each part."""
    ids: Mapping[str, int] = field(default_factory=lambda: {"train": 5_967_841, "test": 5_770_105})
    """All ids of a part, the start of each review included: Keras' mean lengths 238.71364 and 230.8042 × 25,000."""
    word_index_md5: str = "bfafd718b763782e994055a2d397834f"
    """The md5 that Keras' own loader checks."""


REMOTES = (
    Remote(WORD_INDEX, WORD_INDEX_URL, f"md5:{Published.word_index_md5}"),
    Remote(
        "aclImdb_v1.tar.gz",
        "https://ai.stanford.edu/~amaas/data/sentiment/aclImdb_v1.tar.gz",
        "sha256:c40f74a18d3b61f90feba1e17730e0d38e8b97c05fde7008942e91923d1658fe",
    ),
)


@dataclass(frozen=True)
class Imdb:
    """The IMDB reviews as int32 ids, (reviews, length), and int32 labels, 1 for a positive review.

    Its form is ``{vocabulary = 30000, length = 150, keep = "last", pad = "end"}``. Ids from `vocabulary` on become 2.
    The first or last `length` ids of a review are kept. Zeros pad a short review at its start or its end.
    """

    published: Published = field(default_factory=Published)
    remotes: tuple[Remote, ...] = REMOTES
    name: ClassVar[str] = "imdb"
    title: ClassVar[str] = "IMDB reviews"
    version: ClassVar[int] = 1
    drawn: ClassVar[bool] = False

    def check(self, form: Mapping[str, Any]) -> None:
        """Raise UsageError unless `form` has the four entries that the class describes."""
        example = 'like {vocabulary = 30000, length = 150, keep = "last", pad = "end"}'
        if set(form) != {"vocabulary", "length", "keep", "pad"}:
            raise UsageError(f"imdb takes a form {example}, not {dict(form)}.")
        for entry, least in (("vocabulary", INDEX_FROM + 1), ("length", 1)):
            if type(form[entry]) is not int or form[entry] < least:
                raise UsageError(f"imdb's {entry} is a whole number from {least} on, not {form[entry]!r}.")
        for entry, words in (("keep", ("first", "last")), ("pad", ("start", "end"))):
            if form[entry] not in words:
                raise UsageError(f"imdb's {entry} is {words[0]!r} or {words[1]!r}, not {form[entry]!r}.")

    def find(self, folder: Path) -> Source | None:
        """Return Keras' archive, or else the raw reviews and the word index in `folder`; see DataSet.find."""
        if (folder / "imdb.npz").is_file():
            return Source(folder, {"npz": folder / "imdb.npz"})
        texts = _texts(folder)
        if not texts:
            return None
        (text,) = texts.values()
        beside = [place / WORD_INDEX for place in (folder, folder.parent) if (place / WORD_INDEX).is_file()]
        if not beside:
            raise DataError(
                f"{text} needs Keras' word index, {WORD_INDEX}, beside it.",
                f"Fetch it from {WORD_INDEX_URL} into {folder}.",
            )
        return Source(folder, {**texts, "word index": beside[0]})

    def read(self, source: Source, form: Mapping[str, Any], progress: DataProgress) -> Iterator[Portion]:
        """Yield both parts; see DataSet.read."""
        if "npz" in source.paths:
            parts = reviews_of_npz(source.paths["npz"], progress)
        else:
            parts = self._of_texts(source, progress)
        origin = next(iter(source.paths.values()))
        for part, reviews in parts.items():
            self._check_counts(origin, part, reviews)
            yield _portion(part, reviews, form)

    def stand_in(self, form: Mapping[str, Any]) -> Iterator[Portion]:
        """Yield synthetic reviews; see DataSet.stand_in."""
        for part in ("train", "test"):
            yield _portion(part, from_ranks(*stand_in.reviews(part, self.published.per_class)), form)

    def _of_texts(self, source: Source, progress: DataProgress) -> dict[str, Reviews]:
        """Return {part: reviews} of the raw text, after checking that the word index is Keras'."""
        index = load_word_index(source.paths["word index"], self.published.word_index_md5)
        folder = source.paths.get("folder")
        texts = texts_of_folder(folder) if folder else texts_of_archive(source.paths["archive"])
        return reviews_of_texts(texts, index, 4 * self.published.per_class, progress)

    def _check_counts(self, origin: Path, part: str, reviews: Reviews) -> None:
        """Raise DataError unless a part has the published number of reviews of each class, and of ids."""
        hint = "It is cut off, or not the published set: fetch it again."
        for word, label in (("bad", 0), ("good", 1)):
            count = int((reviews.labels == label).sum())
            if count != self.published.per_class:
                raise DataError(
                    f"{origin} holds {count:,} {word} reviews in its {part} part, "
                    f"where {self.published.per_class:,} were expected.",
                    hint,
                )
        if reviews.total != self.published.ids[part]:
            raise DataError(
                f"{origin} gives {reviews.total:,} ids in its {part} part, "
                f"where {self.published.ids[part]:,} were expected.",
                hint,
            )


def _texts(folder: Path) -> dict[str, Path]:
    """Return the raw reviews in `folder`, an archive or a folder (or `folder` itself); empty if there are none."""
    for name in ARCHIVES:
        if (folder / name).is_file():
            return {"archive": folder / name}
    for place in (folder / "aclImdb", folder):
        if any((place / part / word).is_dir() for part in ("train", "test") for word in ("neg", "pos")):
            return {"folder": place}
    return {}


def _portion(part: str, reviews: Reviews, form: Mapping[str, Any]) -> Portion:
    """Return the reviews as one rectangle of ids, sorted by a hash of their content."""
    ordered = reviews.in_order_of_content()
    return Portion(part, ordered.code_reviews(form), ordered.labels.astype(np.int32))
