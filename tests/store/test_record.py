"""What events hold: read as it was written, also by an earlier version."""

from math import inf

import pytest

from rosettabench.store.record import ReadBack, Stopped, UsedData, UsedEnvironment, Watched, WatchedMove
from rosettabench.store.schema import Event


def event(kind, payload):
    return Event(run_id="one", contest_id=None, entry_id=None, at="", kind=kind, payload=payload)


@pytest.mark.parametrize("record", [Stopped, UsedData, UsedEnvironment])
def test_fields_of_an_earlier_version_are_passed_over(record):
    assert record.last_of([event(record.KIND, {"gone": 1})]) == record()


def test_of_several_the_last_one_counts():
    told = [event("stopped", {"why": why}) for why in ("first", "last")]
    assert Stopped.last_of([*told, event("data", {})]).why == "last"
    assert [one.why for one in Stopped.all_of(told)] == ["first", "last"]
    assert Stopped.last_of([event("data", {})]) is None


def test_settings_have_any_names_and_come_back():
    found = {"threads": 2, "values": [1, 2], "model_config": "x", "layout": None}
    assert ReadBack.model_validate(ReadBack.of(found).payload()).values == found


def test_what_is_infinite_comes_back_from_within_a_record():
    """A contender that does not move moves infinitely less far than one that does."""
    move = WatchedMove(when="the first steps", distance=1.0, ratio=inf, reference=False)
    assert Watched.model_validate(Watched(process=0, moves=[move]).payload()).moves == [move]
