"""The base of every part of a catalogue file: read strictly, with faults reported key by key."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, ValidationError


class Strict(BaseModel):
    """A part of a catalogue file: unknown keys are mistakes, and nothing changes after reading."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def faults(error: ValidationError) -> str:
    """Return what is wrong with a part of a catalogue file, key by key."""
    return "; ".join(f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in error.errors())
