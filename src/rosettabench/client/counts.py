"""What a worker has counted of a block: the updates of its optimiser, and the batches that its model was handed."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True)
class Counts:
    """What was counted of `steps` steps from row `first` on; None of what nobody counts.

    `updates` are those that the optimiser counts by itself. `batches` is how many the model was handed; of those in
    `looked_at`, counted from the block's first, `labels` is the sha256 of theirs.
    """

    first: int
    steps: int
    updates: int | None = None
    batches: int | None = None
    looked_at: tuple[int, ...] = ()
    labels: str | None = None

    @classmethod
    def of_reply(cls, first: int, steps: int, reply: dict[str, Any]) -> Counts:
        """Return what the reply to a `train` request tells."""
        return cls(
            first,
            steps,
            reply.get("updates"),
            reply.get("batches"),
            tuple(reply.get("looked_at", ())),
            reply.get("labels"),
        )

    def fault(self, labels: Array, rows: Array) -> str | None:
        """Return what is wrong, None where nothing is.

        `labels` are those of all training samples, `rows` the ids of the samples of each step.
        """
        if self.updates is not None and self.updates != self.steps:
            return f"its optimiser counted {self.updates} updates in {self.steps} steps"
        if self.batches is not None and self.batches != self.steps:
            return f"its model was handed {self.batches} batches in {self.steps} steps"
        if self.labels is not None and self.labels != self._expected(labels, rows):
            return f"the labels of {len(self.looked_at)} batches that were looked at are not those of its rows"
        return None

    def _expected(self, labels: Array, rows: Array) -> str | None:
        """Return the sha256 of the labels that there should be; None where a batch is named that there is not."""
        if any(not 0 <= place < self.steps for place in self.looked_at):
            return None
        found = hashlib.sha256()
        for place in self.looked_at:
            row = np.array(rows[self.first + place])
            ids = row if row.ndim == 1 else row[:, 0]  # of picture files a row tells the crop of each sample as well
            found.update(np.ascontiguousarray(labels[ids], "<f4").tobytes())
        return found.hexdigest()
