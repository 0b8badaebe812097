"""What the controller asks of a worker: the requests of the worker protocol, with their fields and what they mean.

With replies.py this is the protocol's schema, of which docs/reference/protocol.md shows the tables. The docstring of a
request is its meaning there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from rosettabench.client.replies import Count, Files

Part = Literal["train", "test"]
"""A part of a data set."""


class Message(BaseModel):
    """Any request; `id` and `do` come with each and are not among its fields."""

    model_config = ConfigDict(extra="forbid")


class HelloMessage(Message):
    """The first request. A worker of another version answers with an error."""

    protocol: Count


class OpenMessage(Message):
    """Import the framework and the implementation from two files.

    `setting`: see below. `packages` maps every installed distribution to its version.
    """

    framework: str
    implementation: str | None
    setting: dict[str, Any]


class BuildMessage(Message):
    """Make model, loss and optimiser from the canonical weights (name → file).

    Asked again, start afresh: weights as given, the optimiser's state forgotten, the batch count at zero. With
    `dropout` false, dropout layers keep everything in training, too, until a `build` says otherwise. Where there is a
    schedule, the step of row k is in epoch ⌊k / `steps_per_epoch`⌋ · `epochs_apart`, and has the rate of that epoch.
    """

    weights: Files
    dropout: bool = True
    steps_per_epoch: Count | None = None
    epochs_apart: Count = 1


class DataMessage(Message):
    """Hold the arrays of a part where training reads them: `inputs`, or of picture files `pictures`, and `labels`.

    Inputs of the type uint8 are images: what is held is the byte divided by 255 in float32. Labels are whole numbers,
    (samples,), one class each; or float32, (samples, labels), 0 or 1, where a sample may have several; or float32,
    (samples, steps, 2), of a time series its value in each step, and what it weighs in the loss. `pictures`: see
    "Picture files".
    """

    part: Part
    labels: str
    inputs: str | None = None
    pictures: str | None = None


class BatchesMessage(Message):
    """An array (steps, batch size) of sample ids: row k is what step k trains on.

    Of picture files it is (steps, batch size, 4). It replaces an earlier one.
    """

    path: str


class TrainMessage(Message):
    """Take the optimiser steps of rows `first` … `first + steps - 1`. See "A timed block".

    `loss` is the mean over the steps. `learning_rate` is read back from the optimiser and belongs to the first of them;
    null where nobody can read it. `updates` is how many updates the optimiser has counted by itself, null where it
    counts none. `batches` is how many batches the model was handed; `looked_at` lists up to eight of them, by their
    place in the block, drawn before it begins; `labels` is the SHA-256 of their labels as little-endian float32, one
    batch after the other. `samples` is counted, too, where batches are.
    """

    first: Count
    steps: Count


class BatchMessage(Message):
    """Write `inputs` and `labels` of that row exactly as they are fed to the model.

    Of several `steps`, write those of so many rows, one batch behind the other, as a block brings them.
    """

    step: Count
    folder: str
    steps: Count = 1


class GradientsMessage(Message):
    """In training mode, without updating anything, running means included: write `logits` and the gradients.

    They are those of the mean loss, its penalty included, each under the canonical name of a tensor that is trained.
    """

    step: Count
    folder: str


class MarginsMessage(Message):
    """Of references alone: write `margins`, (batch size,): how near each sample of that row comes to an edge.

    Edges are where the gradient jumps (docs/explanation/proof.md#where-round-off-turns-a-unit). Behind the first layer
    in which a sample comes nearer than `least`, nothing need be looked at.
    """

    step: Count
    folder: str
    least: float = 0.0


class ParametersMessage(Message):
    """Write every parameter, and what the model keeps beside them (running means and variances).

    Each is written under its canonical name and in its canonical layout.
    """

    folder: str


class EvaluateMessage(Message):
    """The logits of the first `samples` samples in evaluation mode, the last partial batch included.

    They are written to `folder` if there is one. `correct` counts the samples whose class has the highest logit; it is
    left out where labels are no classes.
    """

    part: Part
    samples: Count
    batch_size: Count
    folder: str | None = None


class InferMessage(Message):
    """Of a workload that only infers, in place of `train`: what comes out, in evaluation mode.

    It is asked for `samples` samples of the training part as it lies, from its batch `first` on and round and round,
    the last partial batch included. Inputs are arrays of the host before the first reading of the clock, outputs before
    the second: the way to the device and back is timed. Written to `folder`, as `outputs`, if there is one.
    """

    first: Count
    samples: Count
    batch_size: Count
    folder: str | None = None


class ForecastMessage(Message):
    """Draw so many sample paths of what follows each time series, in evaluation mode.

    Write `samples`, (series, paths, horizon). `inputs` is a file, (series, steps, channels), of windows whose last
    `horizon` steps lie ahead. Channel k shows the value `lags[k]` steps back (docs/explanation/deepar.md); where that
    lies ahead itself it is 0 in the file, and is what the path has drawn for it once it has. The scale is that of the
    window as it is in the file. Series are taken `batch_size` at a time; the framework's own generator is seeded with
    `seed` before the first. Nothing of the model or its optimiser changes.
    """

    inputs: str
    lags: list[Count]
    horizon: Count
    paths: Count
    seed: Count
    batch_size: Count
    folder: str


class SettingsMessage(Message):
    """What is really in force, read back from the framework and the system.

    It has the keys of docs/explanation/fairness.md: threads, processors, device, precision, mode, and whatever else the
    framework tells.
    """


class TickMessage(Message):
    """What an empty timed block takes by the clock, synchronised at both ends: the median of `repeats`."""

    repeats: Count


class LingerMessage(Message):
    """Start a chain of matrix products that takes a while.

    `asked_s` is the time until the framework returned, `done_s` until synchronisation returned, `read_s` what fetching
    the result took after that.
    """

    size: Count
    repeats: Count


class FeedMessage(Message):
    """Fetch the batches of these rows as `train` does, ready for the model, and compute nothing."""

    first: Count
    steps: Count


class ReuseMessage(Message):
    """`train` with the input pipeline switched off: batches fetched before the clock is first read, used in turn.

    Ours fetches 8.
    """

    first: Count
    steps: Count


class BackpropagateMessage(Message):
    """As `reuse`, forward and backward only: the same passes, no update.

    The gradients must really be computed, one step after the other.
    """

    first: Count
    steps: Count


class PlaceMessage(Message):
    """Overwrite every parameter, and what is kept beside them (name → file).

    The optimiser's state and the count of its steps stay. A proof that is guided asks for it between two steps.
    """

    weights: Files


class UpdateMessage(Message):
    """Compute the gradients of row `first` before the first reading, then let the optimiser apply them `steps` times.

    The parameters lead nowhere afterwards: a `build` follows.
    """

    first: Count
    steps: Count


class ProfileMessage(Message):
    """`train` under the framework's own profiler, which may write into `folder`. See "Operations"."""

    first: Count
    steps: Count
    folder: str


class ProductMessage(Message):
    """Make two (size, size) matrices ready to be multiplied, and multiply a chain of two such products once.

    `precision` is `float32`, `bfloat16`, `float64` or `tf32`. `error` is the chain's relative to float64 (Frobenius
    norms), `operations` is 2 · size³.
    """

    size: Count
    precision: str


class CopyMessage(Message):
    """Make an array ready to be copied, and copy it once.

    `equal` says whether the copy was. The reply's `bytes` is what one copy counts: read and written for `memory`,
    transferred for the others.
    """

    bytes: Count
    way: Literal["memory", "to_device", "from_device"]


class RepeatMessage(Message):
    """Do what `product` or `copy` has made ready so many times.

    Products are one chain, each with the result of the one before.
    """

    times: Count


class CloseMessage(Message):
    """Answer, then end."""


class LibraryMessage(Message):
    """Import the library from a file. `setting` holds `threads`.

    Whatever the library writes goes below the current folder.
    """

    library: str
    setting: dict[str, Any]


class FactsMessage(Message):
    """What the library does, read from its code as it is installed.

    A list of `{"what": …, "value": …, "where": …}`, in words; `where` is the dotted name of what it was read from.
    Facts of two libraries with the same `what` can be laid side by side.
    """


class ParseMessage(Message):
    """Read a .tsf file (`path`) by the library's own reader, or the prepared arrays in a `folder`, into its own form.

    The arrays are those of docs/guide/data.md. The last `horizon` observations are cut off; series that are no longer
    are left out. `frequency` is pandas' name of it. `values` counts what is left, missing ones included, `total` is the
    sum of those that are there.
    """

    frequency: str
    horizon: Count
    path: str | None = None
    folder: str | None = None


class TrainingMessage(Message):
    """Seed every generator, then make and train the estimator with its own defaults for everything else.

    `parts` tells where `elapsed_s` went: an object of seconds for `setup`, `first`, `input`, `checkpoints` and `steps`,
    which add up to it (docs/results/deepar-as-shipped.md, "Where the time goes").
    """

    context: Count
    epochs: Count
    samples: Count
    seed: Count


class PredictMessage(Message):
    """Write `paths`, float32, (series, samples, horizon): what follows each series."""

    folder: str


MESSAGES: Mapping[str, Mapping[str, type[Message]]] = {
    "model": {
        "hello": HelloMessage,
        "open": OpenMessage,
        "build": BuildMessage,
        "data": DataMessage,
        "batches": BatchesMessage,
        "train": TrainMessage,
        "batch": BatchMessage,
        "gradients": GradientsMessage,
        "margins": MarginsMessage,
        "parameters": ParametersMessage,
        "evaluate": EvaluateMessage,
        "infer": InferMessage,
        "forecast": ForecastMessage,
        "settings": SettingsMessage,
        "tick": TickMessage,
        "linger": LingerMessage,
        "feed": FeedMessage,
        "reuse": ReuseMessage,
        "backpropagate": BackpropagateMessage,
        "place": PlaceMessage,
        "update": UpdateMessage,
        "profile": ProfileMessage,
        "product": ProductMessage,
        "copy": CopyMessage,
        "repeat": RepeatMessage,
        "close": CloseMessage,
    },
    "training": {
        "hello": HelloMessage,
        "open": LibraryMessage,
        "facts": FactsMessage,
        "settings": SettingsMessage,
        "parse": ParseMessage,
        "train": TrainingMessage,
        "predict": PredictMessage,
        "close": CloseMessage,
    },
}
"""By what a worker serves, and by the word `do` of a request."""


def check_message(do: str, fields: Mapping[str, Any], service: str) -> None:
    """Raise ValueError if the fields of a request do not fit the schema: it is a mistake of ours."""
    kind = MESSAGES[service].get(do)
    if kind is not None:
        kind.model_validate(fields)
