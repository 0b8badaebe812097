"""Tiny Shakespeare: 1,115,394 characters of his plays, 65 different ones, as char-rnn collected them.

Karpathy, https://github.com/karpathy/char-rnn, 2015.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from rosettabench.data.data_set import Portion, Remote, Source
from rosettabench.data.progress import DataProgress
from rosettabench.data.sets import stand_in
from rosettabench.errors import DataError, UsageError

FILE = "input.txt"

SHA256 = "86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed"
"""Of the file, as nanoGPT downloads it."""

REMOTES = (
    Remote(
        FILE,
        "https://raw.githubusercontent.com/karpathy/char-rnn/master/data/tinyshakespeare/input.txt",
        f"sha256:{SHA256}",
    ),
)

CHARACTERS = 1_115_394
TRAINING_SHARE = 0.9
"""Of the characters, the first ones: int(0.9 · n), as nanoGPT's ``prepare.py`` cuts them."""

DRAW = 1
"""Key of the Philox stream that draws where windows begin."""


@dataclass(frozen=True)
class TinyShakespeare:
    """Windows of a text as (windows, length) int32 ids, and as labels the same windows one character later.

    Its form is ``{length = 64, windows = 120000}``. An id is the place of a character among the different ones in the
    order of their code points. So many windows of training begin where a uniform draw over the training part says;
    those of the test part lie one behind the other, as many as are whole.
    """

    sha256: str = SHA256
    remotes: tuple[Remote, ...] = REMOTES
    name: ClassVar[str] = "tiny-shakespeare"
    title: ClassVar[str] = "Tiny Shakespeare"
    version: ClassVar[int] = 1
    drawn: ClassVar[bool] = False

    def check(self, form: Mapping[str, Any]) -> None:
        """Raise UsageError unless `form` has a length and a number of windows."""
        if set(form) != {"length", "windows"} or not all(type(n) is int and n > 0 for n in form.values()):
            raise UsageError(f"{self.name} takes the form {{length = 64, windows = 120000}}, not {dict(form)}.")
        if form["length"] > CHARACTERS // 20:
            raise UsageError(
                f"{self.name}: a window of {form['length']:,} characters is longer than half the test part."
            )

    def find(self, folder: Path) -> Source | None:
        """Return the text in `folder`; see DataSet.find."""
        path = folder / FILE
        return Source(folder, {"text": path}) if path.is_file() else None

    def read(self, source: Source, form: Mapping[str, Any], progress: DataProgress) -> Iterator[Portion]:
        """Yield both parts; see DataSet.read."""
        progress("reading Tiny Shakespeare")
        path = source.paths["text"]
        content = path.read_bytes()
        found = hashlib.sha256(content).hexdigest()
        if found != self.sha256:
            raise DataError(
                f"{path} is not Tiny Shakespeare: its sha256 is {found[:16]}…, where {self.sha256[:16]}… was expected.",
                "Fetch it again.",
            )
        yield from portions(np.frombuffer(content, np.uint8), form)

    def stand_in(self, form: Mapping[str, Any]) -> Iterator[Portion]:
        """Yield windows of a made-up text; see DataSet.stand_in."""
        yield from portions(stand_in.text(CHARACTERS), form)


def portions(text: NDArray[np.uint8], form: Mapping[str, Any]) -> Iterator[Portion]:
    """Yield both parts of a text, (characters,) code points, as windows of the form."""
    ids = np.searchsorted(np.unique(text), text).astype(np.int32)
    cut, length = int(TRAINING_SHARE * len(ids)), int(form["length"])
    generator = np.random.Generator(np.random.Philox(key=DRAW))
    starts = generator.integers(0, cut - length, form["windows"])
    yield Portion("train", *windows(ids[:cut], starts, length))
    test = ids[cut:]
    yield Portion("test", *windows(test, np.arange(0, len(test) - length, length), length))


def windows(
    ids: NDArray[np.int32], starts: NDArray[np.int64], length: int
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the windows that begin at `starts`, (windows, length), and those that begin one character later."""
    every = sliding_window_view(ids, length)
    return every[starts], every[starts + 1]
