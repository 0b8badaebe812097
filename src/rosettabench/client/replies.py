"""What a worker may answer: replies are checked before anybody believes a number in them.

A field without a default must be there; the others are checked where they are. docs/reference/protocol.md shows all of
them beside the requests (messages.py).
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, TypeAdapter, ValidationError

LONGEST_LINE = 64 << 20
"""Bytes of a reply at most. The longest honest ones are profiles, of some hundred kilobytes."""

Seconds = Annotated[FiniteFloat, Field(ge=0, le=1e9)]
Count = Annotated[int, Field(ge=0, le=1 << 53)]
Files = dict[str, str]


class Reply(BaseModel):
    """Any reply that is no failure. Fields that are not named here are a worker's own business."""

    model_config = ConfigDict(extra="allow", strict=True)

    id: int
    ok: Literal[True]


class Told(BaseModel):
    """What a worker says of its failure."""

    model_config = ConfigDict(strict=True)

    kind: str
    type: str
    message: str
    traceback: str


class Failed(BaseModel):
    """A reply that is a failure; the worker goes on."""

    model_config = ConfigDict(strict=True)

    id: int
    ok: Literal[False]
    error: Told


class HelloReply(Reply):
    """Of `hello`."""

    protocol: int | None = None
    pid: int | None = None
    language: str | None = None
    interpreter: str | None = None


class Opened(Reply):
    """Of `open`."""

    import_s: Seconds
    packages: dict[str, str]


class Built(Reply):
    """Of `build`."""

    build_s: Seconds
    parameters: Count | None = None


class LoadedReply(Reply):
    """Of `data`."""

    load_s: Seconds
    samples: Count | None = None


class BatchesReply(Reply):
    """Of `batches`."""

    steps: Count | None = None


class TimedReply(Reply):
    """Of whatever is timed."""

    elapsed_s: Seconds
    cpu_s: Seconds


class Trained(TimedReply):
    """Of `train`."""

    loss: FiniteFloat | None
    learning_rate: FiniteFloat | None
    samples: Count
    updates: int | None = None
    batches: Count | None = None
    looked_at: list[Count] = []
    labels: str | None = None


class Computed(TimedReply):
    """Of `evaluate` and `infer`."""

    samples: Count
    correct: Count | None = None
    files: Files = {}


class FeedReply(TimedReply):
    """Of `feed`."""

    samples: Count | None = None


class ReuseReply(TimedReply):
    """Of `reuse`."""

    loss: FiniteFloat | None = None


class Ticked(Reply):
    """Of `tick`."""

    elapsed_s: Seconds


class Written(Reply):
    """Of whatever writes arrays."""

    files: Files


class GradientsReply(Written):
    """Of `gradients`."""

    loss: FiniteFloat | None = None


class ForecastReply(Written, TimedReply):
    """Of `forecast` and `predict`."""


class Settings(Reply):
    """Of `settings`."""

    settings: dict[str, Any]


class LingerReply(Reply):
    """Of `linger`."""

    asked_s: Seconds
    done_s: Seconds
    read_s: Seconds
    finite: bool


class ProfileReply(Reply):
    """Of `profile`."""

    elapsed_s: Seconds
    operations: list[dict[str, Any]]


class ProductReply(Reply):
    """Of `product`."""

    error: FiniteFloat | None
    operations: Count


class CopyReply(Reply):
    """Of `copy`."""

    equal: bool
    bytes: Count


class FactsReply(Reply):
    """Of `facts`."""

    facts: list[dict[str, str]]


class ParseReply(TimedReply):
    """Of `parse`."""

    series: Count
    values: Count
    total: FiniteFloat


class TrainingReply(TimedReply):
    """Of `train`, of a whole training."""

    parts: dict[str, Seconds] | None = None


REPLIES: dict[str, type[Reply]] = {
    "hello": HelloReply,
    "open": Opened,
    "build": Built,
    "data": LoadedReply,
    "batches": BatchesReply,
    "train": Trained,
    "batch": Written,
    "gradients": GradientsReply,
    "margins": Written,
    "parameters": Written,
    "evaluate": Computed,
    "infer": Computed,
    "forecast": ForecastReply,
    "settings": Settings,
    "tick": Ticked,
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
"""By the request that they answer."""

TRAININGS: dict[str, type[Reply]] = {
    "hello": HelloReply,
    "open": Opened,
    "facts": FactsReply,
    "settings": Settings,
    "parse": ParseReply,
    "train": TrainingReply,
    "predict": ForecastReply,
    "close": Reply,
}
"""The same of a worker that serves whole trainings."""


def read_reply(line: bytes, number: int, do: str, service: str) -> dict[str, Any]:
    """Return the reply to request `number`. Raises ValueError, with what is wrong, for one that does not fit."""
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
    """Refuse NaN and the infinities: JSON has none of them."""
    raise ValueError(f"{constant} is not a number of JSON; null is")
