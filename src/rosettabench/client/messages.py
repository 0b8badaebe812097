"""The requests of the worker protocol, with their fields and meanings.

With replies.py this is the protocol's schema. docs/reference/protocol.md has its tables, generated from here: the
docstring of a request is its meaning there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from rosettabench.client.replies import Count, Files

Part = Literal["train", "test"]
"""A part of a data set."""


class Message(BaseModel):
    """Any request. Its `id` and `do` are not among the fields."""

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

    A repeated `build` starts again: weights as given, new optimiser state, batch count zero. With `dropout` false,
    dropout layers drop nothing in training either, until the next `build`. With a schedule, the step of row k belongs
    to epoch ⌊k / `steps_per_epoch`⌋ · `epochs_apart`, and has the rate of that epoch.
    """

    weights: Files
    dropout: bool = True
    steps_per_epoch: Count | None = None
    epochs_apart: Count = 1


class DataMessage(Message):
    """Hold the arrays of a part where training reads them: `labels`, and `inputs` or, for picture files, `pictures`.

    Inputs of the type uint8 are images: hold each byte divided by 255, in float32. Labels are one of three kinds: whole
    numbers, (samples,), one class each; float32, (samples, labels), 0 or 1, if a sample may have several labels; or
    float32, (samples, steps, 2), for time series: the value of each step, and its weight in the loss. `pictures`: see
    "Picture files".
    """

    part: Part
    labels: str
    inputs: str | None = None
    pictures: str | None = None


class BatchesMessage(Message):
    """Use this array of sample ids, (steps, batch size), from now on: step k trains on row k.

    For picture files it is (steps, batch size, 4).
    """

    path: str


class TrainMessage(Message):
    """Take the optimiser steps of rows `first` … `first + steps - 1`. See "A timed block".

    `loss` is the mean over the steps. `learning_rate` is that of the first step, read back from the optimiser; null if
    it cannot be read. `updates` is how many updates the optimiser itself counted; null if it does not count. `batches`
    is how many batches the model was handed. `looked_at` lists up to eight of them by their place in the block, drawn
    before it begins. `labels` is the SHA-256 of their labels as little-endian float32, one batch after the other. If
    batches are counted, so are `samples`. A group reports what each of its `devices` counted, in place of labels.
    """

    first: Count
    steps: Count


class BatchMessage(Message):
    """Write `inputs` and `labels` of row `step` exactly as they are fed to the model.

    With several `steps`, write the batches of this many rows, one after the other, as a block feeds them.
    """

    step: Count
    folder: str
    steps: Count = 1


class GradientsMessage(Message):
    """Write `logits` and the gradients of row `step` in training mode, without updating anything, even running means.

    The gradients are those of the mean loss, including its penalty. Each has the canonical name of a trained tensor.
    `others` are the gradients of the other devices of a group.
    """

    step: Count
    folder: str


class MarginsMessage(Message):
    """Write `margins`, (batch size,): how near each sample of row `step` comes to an edge. Only references serve this.

    At an edge the gradient jumps (docs/explanation/proof.md#where-round-off-turns-a-unit). The layers after the first
    one in which a sample comes nearer than `least` may be skipped.
    """

    step: Count
    folder: str
    least: float = 0.0


class ParametersMessage(Message):
    """Write every parameter and the kept state of the model (running means and variances).

    Each is written with its canonical name and layout. `others` are those of the other devices of a group.
    """

    folder: str


class EvaluateMessage(Message):
    """Compute the logits of the first `samples` samples in evaluation mode, the last partial batch included.

    Write them to `folder` if there is one. `correct` counts the samples whose class has the highest logit; it is left
    out if labels are not classes.
    """

    part: Part
    samples: Count
    batch_size: Count
    folder: str | None = None


class InferMessage(Message):
    """Compute outputs in evaluation mode. A workload that only infers gets this request in place of `train`.

    It covers `samples` samples of the training part in their stored order, from batch `first` on, cyclically, the last
    partial batch included. Inputs are host arrays at the first reading of the clock, outputs are at the second: both
    transfers are timed. Write them as `outputs` to `folder` if there is one.
    """

    first: Count
    samples: Count
    batch_size: Count
    folder: str | None = None


class ForecastMessage(Message):
    """Draw `paths` sample paths of the future of each time series, in evaluation mode.

    Write `samples`, (series, paths, horizon). `inputs` is a file, (series, steps, channels), of windows whose last
    `horizon` steps are in the future. Channel k has the value `lags[k]` steps back (docs/explanation/deepar.md). If
    that step is in the future, the file has 0, to be replaced by the value that the path drew for it. The scale is
    that of the window in the file. Series are taken `batch_size` at a time; the framework's own generator is seeded
    with `seed` before the first. The model and its optimiser do not change.
    """

    inputs: str
    lags: list[Count]
    horizon: Count
    paths: Count
    seed: Count
    batch_size: Count
    folder: str


class SettingsMessage(Message):
    """Report the settings in force, read back from the framework and the system.

    The keys are those of docs/explanation/fairness.md: threads, processors, device, precision, mode, and what else the
    framework reports.
    """


class TickMessage(Message):
    """Time an empty block, synchronised at both ends; `elapsed_s` is the median of `repeats`."""

    repeats: Count


class LingerMessage(Message):
    """Start a chain of `repeats` matrix products.

    `asked_s` is the time until the framework returned, `done_s` until synchronisation returned, `read_s` the time of
    fetching the result after that.
    """

    size: Count
    repeats: Count


class FeedMessage(Message):
    """Fetch the batches of these rows as `train` does, ready for the model, and compute nothing."""

    first: Count
    steps: Count


class ReuseMessage(Message):
    """Do `train` without the input pipeline: fetch batches before the first reading of the clock, and use them in turn.

    Our worker fetches 8.
    """

    first: Count
    steps: Count


class BackpropagateMessage(Message):
    """Do `reuse` with the forward and backward passes only, without the update.

    The gradients must really be computed, one step after the other.
    """

    first: Count
    steps: Count


class PlaceMessage(Message):
    """Overwrite every parameter and the kept state of the model (name → file).

    The optimiser keeps its state and its step count. A guided proof sends this between two steps.
    """

    weights: Files


class UpdateMessage(Message):
    """Compute the gradients of row `first` before the first reading, then let the optimiser apply them `steps` times.

    The parameters are meaningless afterwards: a `build` follows.
    """

    first: Count
    steps: Count


class ProfileMessage(Message):
    """Do `train` under the framework's own profiler, which may write into `folder`. See "Operations"."""

    first: Count
    steps: Count
    folder: str


class ProductMessage(Message):
    """Prepare two (size, size) matrices, and compute a chain of two products of them once.

    `precision` is `float32`, `bfloat16`, `float64` or `tf32`. `error` is that of the chain relative to float64
    (Frobenius norms); `operations` is 2 · size³.
    """

    size: Count
    precision: str


class CopyMessage(Message):
    """Prepare an array, and copy it once.

    `equal` says whether the copy equals it. The reply's `bytes` counts one copy: the bytes read plus those written for
    `memory`, the bytes transferred for the others.
    """

    bytes: Count
    way: Literal["memory", "to_device", "from_device"]


class RepeatMessage(Message):
    """Repeat the prepared `product` or `copy` this many `times`.

    Products form one chain: each uses the result of the one before.
    """

    times: Count


class CloseMessage(Message):
    """Answer, then end."""


class LibraryMessage(Message):
    """Import the library from a file. `setting` holds `threads`.

    All files that the library writes go below the current folder.
    """

    library: str
    setting: dict[str, Any]


class FactsMessage(Message):
    """Report facts about the library, read from its installed code.

    `facts` is a list of `{"what": …, "value": …, "where": …}`, in words. `where` is the dotted name of the code it was
    read from. Facts of two libraries with equal `what` can be compared.
    """


class ParseMessage(Message):
    """Read a .tsf file (`path`) with the library's own reader, or the prepared arrays in a `folder`, into its own form.

    The arrays are those of docs/guide/data.md. The last `horizon` observations are cut off; series that are not longer
    are left out. `frequency` is the name pandas uses. `values` counts the remaining values, missing ones included;
    `total` is the sum of those not missing.
    """

    frequency: str
    horizon: Count
    path: str | None = None
    folder: str | None = None


class TrainingMessage(Message):
    """Seed every generator, then make and train the estimator with its own defaults for everything else.

    `parts` divides `elapsed_s` into the seconds of `setup`, `first`, `input`, `checkpoints` and `steps`
    (docs/results/deepar-as-shipped.md, "Where the time goes").
    """

    context: Count
    epochs: Count
    samples: Count
    seed: Count


class PredictMessage(Message):
    """Write `paths`, float32, (series, samples, horizon): the forecasts of each series."""

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
"""The class of each request, by service and by `do`."""


def check_message(do: str, fields: Mapping[str, Any], service: str) -> None:
    """Raise ValueError if the fields of a request do not fit the schema, which is a mistake of the controller."""
    kind = MESSAGES[service].get(do)
    if kind is not None:
        kind.model_validate(fields)
