"""What a worker may answer: replies are checked before anybody believes a number in them.

docs/reference/protocol.md lists them.
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


class Opened(Reply):
    """Of `open`."""

    import_s: Seconds
    packages: dict[str, str]


class Built(Reply):
    """Of `build`."""

    build_s: Seconds


class LoadedReply(Reply):
    """Of `data`."""

    load_s: Seconds


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


class Ticked(Reply):
    """Of `tick`."""

    elapsed_s: Seconds


class Written(Reply):
    """Of whatever writes arrays."""

    files: Files


class Settings(Reply):
    """Of `settings`."""

    settings: dict[str, Any]


REPLIES: dict[str, type[Reply]] = {
    "open": Opened,
    "build": Built,
    "data": LoadedReply,
    "train": Trained,
    "evaluate": Computed,
    "infer": Computed,
    "tick": Ticked,
    "batch": Written,
    "gradients": Written,
    "margins": Written,
    "parameters": Written,
    "forecast": Written,
    "settings": Settings,
    "feed": TimedReply,
    "reuse": TimedReply,
    "backpropagate": TimedReply,
    "update": TimedReply,
    "repeat": TimedReply,
}
"""By the request that they answer; of the others only that they are replies is checked."""

TRAININGS: dict[str, type[Reply]] = {"open": Opened, "settings": Settings, "parse": TimedReply, "train": TimedReply}
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
