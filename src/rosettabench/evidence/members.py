"""The members of a bundle's file: each part of the content as text, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from rosettabench.errors import DataError
from rosettabench.evidence.content import (
    Bundle,
    Judgement,
    StatedBlock,
    StatedCertificate,
    StatedContest,
    StatedEvent,
    StatedFailure,
    StatedFigure,
    StatedRun,
)
from rosettabench.evidence.plain import HINT, read_json, read_rows, validate_plain, write_json, write_rows
from rosettabench.evidence.readme import readme

RUN, CONTESTS, BLOCKS, FIGURES = "run.json", "contests.json", "blocks.csv", "figures.json"
EVENTS, FAILURES, VERDICTS, README = "events.json", "failures.json", "verdicts.json", "README.txt"

FIXED = (RUN, CONTESTS, BLOCKS, FIGURES, EVENTS, FAILURES, VERDICTS, README)
"""The members that every bundle has, beside certificates and locks."""


def members_of(bundle: Bundle) -> dict[str, str]:
    """Return {name: text} of every member but the manifest."""
    return {
        RUN: write_json(plain(bundle.run)),
        CONTESTS: write_json(list_parts(bundle.contests)),
        BLOCKS: write_rows(StatedBlock, bundle.blocks),
        FIGURES: write_json(list_parts(bundle.figures)),
        EVENTS: write_json(list_parts(bundle.events)),
        FAILURES: write_json(list_parts(bundle.failures)),
        VERDICTS: write_json(list_parts(bundle.judgements)),
        README: readme(bundle),
        **{certificate_name(one.digest): write_json(plain(one)) for one in bundle.certificates},
        **{lock_name(name): text for name, text in bundle.locks.items()},
    }


def read_members(members: Mapping[str, str]) -> Bundle:
    """Return the content of checked members. Raises DataError for a part that is missing or not valid."""
    missing = next((name for name in FIXED if name not in members), None)
    if missing:
        raise DataError(f"the bundle lacks {missing}", HINT)
    certificates = [name for name in sorted(members) if name.startswith("certificates/")]
    locks = {
        name.removeprefix("locks/").removesuffix(".txt"): members[name]
        for name in sorted(members)
        if name.startswith("locks/")
    }
    return Bundle(
        run=part(members, RUN, StatedRun),
        contests=part(members, CONTESTS, tuple[StatedContest, ...]),
        blocks=read_rows(BLOCKS, StatedBlock, members[BLOCKS]),
        figures=part(members, FIGURES, tuple[StatedFigure, ...]),
        events=part(members, EVENTS, tuple[StatedEvent, ...]),
        failures=part(members, FAILURES, tuple[StatedFailure, ...]),
        judgements=part(members, VERDICTS, tuple[Judgement, ...]),
        certificates=tuple(part(members, name, StatedCertificate) for name in certificates),
        locks=locks,
    )


def part(members: Mapping[str, str], name: str, kind: Any) -> Any:  # noqa: ANN401 (a type with parameters, and its value)
    """Return the JSON member `name` as a `kind`. Raises DataError."""
    return validate_plain(name, kind, read_json(name, members[name]))


def certificate_name(digest: str) -> str:
    """Return the name of the member with a certificate."""
    return f"certificates/{digest[:16]}.json"


def lock_name(lock: str) -> str:
    """Return the name of the member with a lock."""
    return f"locks/{lock}.txt"


def plain(record: BaseModel) -> Any:  # noqa: ANN401 (plain data)
    """Return a part as plain data."""
    return record.model_dump(mode="json")


def list_parts(records: Sequence[BaseModel]) -> list[Any]:
    """Return parts as plain data."""
    return [plain(one) for one in records]
