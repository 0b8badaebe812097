"""The replies of the worker protocol. Each is validated before a number in it is used.

A field without a default is required; an optional one is checked if present. docs/reference/protocol.md lists the
fields beside the requests (messages.py).
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, TypeAdapter, ValidationError

from rosettabench.errors import FailureKind

LONGEST_LINE = 64 << 20
"""Most bytes of a reply. The longest valid ones are profiles, with some hundred kilobytes."""

Seconds = Annotated[FiniteFloat, Field(ge=0, le=1e9)]
Count = Annotated[int, Field(ge=0, le=1 << 53)]
Files = dict[str, str]


class Reply(BaseModel):
    """Any reply that is not a failure. A worker may add fields that are not named here."""

    model_config = ConfigDict(extra="allow", strict=True)

    id: int
    ok: Literal[True]


class ErrorReply(BaseModel):
    """The error in the reply of a failed request."""

    model_config = ConfigDict(strict=True)

    kind: Annotated[FailureKind, Field(strict=False)]
    type: str
    message: str
    traceback: str


class Failed(BaseModel):
    """The reply to a failed request; the worker goes on."""

    model_config = ConfigDict(strict=True)

    id: int
    ok: Literal[False]
    error: ErrorReply


class HelloReply(Reply):
    """The reply to `hello`."""

    protocol: int | None = None
    pid: int | None = None
    language: str | None = None
    interpreter: str | None = None


class OpenReply(Reply):
    """The reply to `open`."""

    import_s: Seconds
    packages: dict[str, str]


class BuildReply(Reply):
    """The reply to `build`."""

    build_s: Seconds
    parameters: Count | None = None


class LoadedReply(Reply):
    """The reply to `data`."""

    load_s: Seconds
    samples: Count | None = None


class BatchesReply(Reply):
    """The reply to `batches`."""

    steps: Count | None = None


class TimedReply(Reply):
    """The reply to a timed request."""

    elapsed_s: Seconds
    cpu_s: Seconds


class TrainReply(TimedReply):
    """The reply to `train`."""

    loss: FiniteFloat | None
    learning_rate: FiniteFloat | None
    samples: Count
    updates: Count | None = None
    batches: Count | None = None
    looked_at: list[Count] = []
    labels: str | None = None
    devices: list[dict[str, Any]] = []


class ComputeReply(TimedReply):
    """The reply to `evaluate` and `infer`."""

    samples: Count
    correct: Count | None = None
    files: Files = {}


class FeedReply(TimedReply):
    """The reply to `feed`."""

    samples: Count | None = None


class ReuseReply(TimedReply):
    """The reply to `reuse`."""

    loss: FiniteFloat | None = None


class TickReply(Reply):
    """The reply to `tick`."""

    elapsed_s: Seconds


class FilesReply(Reply):
    """The reply to a request that writes arrays."""

    files: Files


class GroupFilesReply(FilesReply):
    """The reply to `parameters`. That of a group also has the files of its other devices."""

    others: list[Files] = []


class GradientsReply(GroupFilesReply):
    """The reply to `gradients`."""

    loss: FiniteFloat | None = None


class ForecastReply(FilesReply, TimedReply):
    """The reply to `forecast` and `predict`."""


class Settings(Reply):
    """The reply to `settings`."""

    settings: dict[str, Any]


class LingerReply(Reply):
    """The reply to `linger`."""

    asked_s: Seconds
    done_s: Seconds
    read_s: Seconds
    finite: bool


class ProfileReply(Reply):
    """The reply to `profile`."""

    elapsed_s: Seconds
    operations: list[dict[str, Any]]


class ProductReply(Reply):
    """The reply to `product`."""

    error: FiniteFloat | None
    operations: Count


class CopyReply(Reply):
    """The reply to `copy`."""

    equal: bool
    bytes: Count


class FactsReply(Reply):
    """The reply to `facts`."""

    facts: list[dict[str, str]]


class ParseReply(TimedReply):
    """The reply to `parse`."""

    series: Count
    values: Count
    total: FiniteFloat


class TrainingReply(TimedReply):
    """The reply to `train` of the service `training`."""

    parts: dict[str, Seconds] | None = None


REPLIES: dict[str, type[Reply]] = {
    "hello": HelloReply,
    "open": OpenReply,
    "build": BuildReply,
    "data": LoadedReply,
    "batches": BatchesReply,
    "train": TrainReply,
    "batch": FilesReply,
    "gradients": GradientsReply,
    "margins": FilesReply,
    "parameters": GroupFilesReply,
    "evaluate": ComputeReply,
    "infer": ComputeReply,
    "forecast": ForecastReply,
    "settings": Settings,
    "tick": TickReply,
    "linger": LingerReply,
    "feed": FeedReply,
    "reuse": ReuseReply,
    "backpropagate": TimedReply,
    "place": Reply,
    "update": TimedReply,
    "profile": ProfileReply,
    "product": ProductReply,
    "copy": CopyReply,
    "repeat": TimedReply,
    "close": Reply,
}
"""The class of each reply, by the request."""

TRAININGS: dict[str, type[Reply]] = {
    "hello": HelloReply,
    "open": OpenReply,
    "facts": FactsReply,
    "settings": Settings,
    "parse": ParseReply,
    "train": TrainingReply,
    "predict": ForecastReply,
    "close": Reply,
}
"""The class of each reply of the service `training`, by the request."""


def read_reply(line: bytes, number: int, do: str, service: str) -> dict[str, Any]:
    """Return the reply to request `number`. Raises ValueError, which says what is wrong, if it is not valid."""
    try:
        reply = json.loads(line, parse_constant=refuse)
    except RecursionError:
        raise ValueError("brackets within brackets without end") from None
    if not isinstance(reply, dict) or reply.get("id") != number:
        raise ValueError(f"no reply to request {number}")
    known = (REPLIES if service == "model" else TRAININGS).get(do, Reply)
    kind: type[BaseModel] = Failed if reply.get("ok") is False else known
    try:
        TypeAdapter(kind).validate_python(reply)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise ValueError(f"{where}: {first['msg']}") from None
    return reply


def refuse(constant: str) -> float:
    """Refuse NaN and the infinities, which JSON does not have."""
    raise ValueError(f"{constant} is not a number of JSON; null is")
