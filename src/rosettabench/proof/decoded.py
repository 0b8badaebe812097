"""Decode and augment the pictures of a proof in the controller, to compare a framework's loader with them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from rosettabench.client.session import Session, Work
from rosettabench.data.prepared import Part
from rosettabench.data.readers.pictures import Pictures
from rosettabench.files import save_array
from rosettabench.plan.proof_steps import steps_of
from rosettabench.proof.walk import Array


def from_memory(work: Work, folder: Path, steps: int | None = None) -> Work:
    """Return the work with training arrays instead of picture files: the decoded samples of its first steps.

    As many `steps` as are asked for, or those of its proof.
    """
    pictures = work.data.pictures
    if pictures is None:
        return work
    folder.mkdir(parents=True, exist_ok=True)
    rows = np.load(work.batches)[: steps or steps_of(work.workload)]
    drawn = rows.reshape(-1, rows.shape[-1])
    stored = work.workload.data.augmentation.stored_side(pictures.side)
    labels = np.load(work.data.train.labels)
    arrays = {
        "inputs": np.stack([augment_picture(pictures, stored, row) for row in drawn.tolist()]),
        "labels": labels[drawn[:, 0]],
        "batches": np.arange(len(drawn)).reshape(rows.shape[:2]),
    }
    files = {name: folder / f"{name}.npy" for name in arrays}
    for name, array in arrays.items():
        save_array(files[name], array)
    train = Part(files["inputs"], files["labels"], len(drawn))
    setting = replace(work.setting, input="memory", workers=0)
    data = replace(work.data, train=train, pictures=None)
    return replace(work, setting=setting, data=data, batches=files["batches"], decoded_from=work)


def give_rows(session: Session, rows: Path) -> None:
    """Give `rows`, an .npy file as contenders read it, to a session; decode them first if it has arrays."""
    stated = session.work.decoded_from
    if stated is None:
        session.hand_rows(rows)
        return
    decoded = from_memory(replace(stated, batches=rows), session.folder / "decoded")
    train = decoded.data.train
    session.ask("data", part="train", labels=str(train.labels), inputs=str(train.inputs))
    session.hand_rows(decoded.batches)


def augment_picture(pictures: Pictures, stored: int, drawn: list[int]) -> Array:
    """Return the numbers of one sample, augmented as its row says: (3, side, side)."""
    number, top, left, flip = drawn
    return crop(pictures.stretch(number, stored), top, left, pictures.side, flip=bool(flip))


def crop(picture: Array, top: int, left: int, side: int, *, flip: bool) -> Array:
    """Return a square of `side` of a picture, (3, height, width), from (top, left) on; mirrored if `flip`."""
    square = picture[:, top : top + side, left : left + side]
    return square[..., ::-1] if flip else square
