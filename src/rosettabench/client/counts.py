"""The counts of a block that a worker reports: its optimiser's updates, and the batches that its model was handed."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True)
class Counts:
    """The counts of `steps` steps from row `first` on; None if the framework does not count.

    `samples` is how many it reports to have used. `updates` is the optimiser's own counter. `batches` is how many
    batches the model was handed. `looked_at` lists some of them by their place in the block, and `labels` is the sha256
    of their labels. `devices` are the counts of each device of a group, which looks at labels by itself.
    """

    first: int
    steps: int
    updates: int | None = None
    batches: int | None = None
    looked_at: tuple[int, ...] = ()
    labels: str | None = None
    devices: tuple[Counts, ...] = ()
    samples: int | None = None

    @classmethod
    def of_reply(cls, first: int, steps: int, reply: dict[str, Any]) -> Counts:
        """Return the counts in the reply to a `train` request, or to `infer`."""
        return cls(
            first,
            steps,
            reply.get("updates"),
            reply.get("batches"),
            tuple(reply.get("looked_at", ())),
            reply.get("labels"),
            tuple(cls.of_reply(first, steps, one) for one in reply.get("devices", ())),
            reply.get("samples"),
        )

    def fault(self, labels: Array, rows: Array, devices: int = 1) -> str | None:
        """Return what is wrong; None if nothing is.

        `labels` are those of all training samples, `rows` the ids of the samples of each step, shared by `devices`.
        """
        if self.updates is not None and self.updates != self.steps:
            return f"its optimiser counted {self.updates} updates in {self.steps} steps"
        if self.batches is not None and self.batches != self.steps:
            return f"its model was handed {self.batches} batches in {self.steps} steps"
        if self.labels is not None and self.labels != self._expected_digest(labels, rows):
            return f"the labels of {len(self.looked_at)} batches that were looked at are not those of its rows"
        if self.samples is not None and self.samples != self.steps * rows.shape[1]:
            return f"it used {self.samples} samples where {self.steps * rows.shape[1]} were asked for"
        if devices > 1 and len(self.devices) != devices:
            return f"{len(self.devices)} devices counted where {devices} were asked for"
        for number, (one, share) in enumerate(zip(self.devices, shares(rows, len(self.devices)), strict=True)):
            wrong = one.fault(labels, share)
            if wrong is not None:
                return f"device {number}: {wrong}"
        return None

    def _expected_digest(self, labels: Array, rows: Array) -> str | None:
        """Return the expected sha256 of the labels; None if `looked_at` names a batch outside the block."""
        if any(not 0 <= place < self.steps for place in self.looked_at):
            return None
        found = hashlib.sha256()
        for place in self.looked_at:
            row = np.array(rows[self.first + place])
            ids = row if row.ndim == 1 else row[:, 0]  # for picture files a row also holds the crops
            found.update(np.ascontiguousarray(labels[ids], "<f4").tobytes())
        return found.hexdigest()


def shares(rows: Array, devices: int) -> list[Array]:
    """Return the rows of each device: equal, neighbouring parts of each batch, which is the second axis of `rows`."""
    return np.split(rows, devices, axis=1) if devices else []
