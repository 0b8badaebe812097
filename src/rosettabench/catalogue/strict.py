"""The base of every part of a catalogue file: read strictly, with faults reported key by key."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, ValidationError


class Strict(BaseModel):
    """A part of a catalogue file. Unknown keys are errors, and values cannot change after reading.

    In JSON, infinity is the text "Infinity", which can be read back.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, ser_json_inf_nan="strings")


def faults(error: ValidationError) -> str:
    """Return the faults of a part of a catalogue file as one text, key by key."""
    return "; ".join(f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in error.errors())
