"""Read the raw IMDB reviews, aclImdb, as Keras' word ranks (https://ai.stanford.edu/~amaas/data/sentiment/)."""

from __future__ import annotations

import hashlib
import json
import lzma
import re
import tarfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from rosettabench.data.progress import DataProgress
from rosettabench.data.readers.reviews import Reviews, from_ranks
from rosettabench.errors import DataError

WORD_INDEX_URL = "https://storage.googleapis.com/tensorflow/tf-keras-datasets/imdb_word_index.json"

LABELS = {"neg": 0, "pos": 1}
MEMBER = re.compile(r"(?:\./)?aclImdb/(train|test)/(neg|pos)/\d+_\d+\.txt")
LONGEST = 1 << 20
"""Larger members of an archive are refused. The longest review has 13,704 bytes."""

CAPITALS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
BLANKED = b'!"#$%&()*+,-./:;<=>?@[\\]^_`{|}~\t\n'
CLEAN = bytes.maketrans(CAPITALS + BLANKED, CAPITALS.lower() + b" " * len(BLANKED))
"""How Keras changed the text before it split it at blanks. It worked on byte strings of Python 2, so letters beyond
ASCII keep their case. Apostrophes stay."""


class Text(NamedTuple):
    """One review: its part, ``train`` or ``test``, its class, and its bytes."""

    part: str
    label: int
    review: bytes


def texts_of_archive(path: Path) -> Iterator[Text]:
    """Yield the reviews of a tar archive, compressed in any way, in its order. Nothing is unpacked to disk.

    Members that are not plain files named like a review are skipped. Raises DataError for a truncated archive.
    """
    try:
        with tarfile.open(path, "r|*") as archive:
            for member in archive:
                name = MEMBER.fullmatch(member.name)
                if not name or not member.isreg() or member.size > LONGEST:
                    continue
                stream = archive.extractfile(member)
                if stream is not None:
                    yield Text(name[1], LABELS[name[2]], stream.read())
    except (tarfile.TarError, lzma.LZMAError, zlib.error, EOFError) as error:
        raise DataError(
            f"{path} is cut off or damaged ({error}): expected a tar archive of the IMDB reviews.",
            "Fetch it again, or remove it so that it is downloaded.",
        ) from error


def texts_of_folder(folder: Path) -> Iterator[Text]:
    """Yield the reviews of the unpacked folder aclImdb. Raises DataError if the folder of a class is missing."""
    for part in ("train", "test"):
        for word, label in LABELS.items():
            of_class = folder / part / word
            if not of_class.is_dir():
                raise DataError(
                    f"{of_class} is missing: expected the folders train/neg, train/pos, test/neg and test/pos.",
                    "Unpack aclImdb_v1.tar.gz again, or leave the archive itself in the data folder.",
                )
            for path in sorted(of_class.glob("*.txt")):
                yield Text(part, label, path.read_bytes())


def load_word_index(path: Path, md5: str) -> dict[bytes, int]:
    """Return {word: rank by frequency, from 1} of Keras' imdb_word_index.json. Raises DataError for another file."""
    content = path.read_bytes()
    found = hashlib.md5(content, usedforsecurity=False).hexdigest()
    if found != md5:
        raise DataError(
            f"{path} is cut off, or not Keras' word index: its md5 is {found}, where {md5} was expected.",
            f"Fetch it again, from {WORD_INDEX_URL}.",
        )
    return {word.encode(): rank for word, rank in json.loads(content).items()}


def reviews_of_texts(
    texts: Iterable[Text], index: Mapping[bytes, int], expected: int, progress: DataProgress
) -> dict[str, Reviews]:
    """Return {part: reviews} of `texts`, which number `expected`, for the progress.

    Words that are missing in the index are dropped, as Keras did. The index was made from the training part, so they
    occur only in the test part (63,712 of them).
    """
    ranks: dict[str, list[np.ndarray]] = {"train": [], "test": []}
    labels: dict[str, list[int]] = {"train": [], "test": []}
    for number, (part, label, review) in enumerate(texts):
        if number % 1000 == 0:
            progress("reading the IMDB reviews", number, expected)
        known = (rank for rank in map(index.get, review.translate(CLEAN).split()) if rank is not None)
        ranks[part].append(np.fromiter(known, np.int32))
        labels[part].append(label)
    return {part: from_ranks(ranks[part], np.array(labels[part], np.int32)) for part in ranks}
