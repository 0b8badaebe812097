"""Traces: the time of nested and simultaneous events is shared out, and none of it twice."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosetta_worker.traces import attribute, chrome_events, marked
from rosetta_worker.xplane import fields, numbers


@st.composite
def nested(draw, thread, low=0, high=1000, depth=0):
    """Events of one thread, properly nested, at whole milliseconds."""
    events, now = [], low
    for number in range(draw(st.integers(0, 3))):
        start = draw(st.integers(now, high))
        end = draw(st.integers(start, high))
        events.append((thread, start / 1000, end / 1000, f"{thread}-{depth}-{number}"))
        if depth < 2:
            events += draw(nested(thread, start, end, depth + 1))
        now = end
    return events


def union(events):
    """Milliseconds in which any event was running."""
    busy = set()
    for _, start, end, _ in events:
        busy |= set(range(round(start * 1000), round(end * 1000)))
    return len(busy)


@given(nested("a"), nested("b"), st.randoms())
def test_all_operations_take_the_time_in_which_any_was_running(one, other, random):
    events = one + other
    random.shuffle(events)
    found = attribute(events)
    assert sum(operation["seconds"] for operation in found) == pytest.approx(union(events) / 1000, abs=1e-9)
    assert sum(operation["calls"] for operation in found) == len(events)
    assert [operation["seconds"] for operation in found] == sorted((o["seconds"] for o in found), reverse=True)


def test_the_innermost_counts_and_threads_share():
    events = [("a", 0.0, 10.0, "outer"), ("a", 2.0, 5.0, "inner"), ("b", 4.0, 6.0, "other")]
    found = {one["name"]: one["seconds"] for one in attribute(events)}
    assert found == pytest.approx({"outer": 2 + 0.5 + 4, "inner": 2 + 0.5, "other": 0.5 + 0.5})


def test_chrome_traces_with_complete_events_and_with_pairs(tmp_path):
    events = [
        {"ph": "X", "cat": "op", "pid": 1, "tid": 1, "ts": 5.0, "dur": 2.0, "name": "mm"},
        {"ph": "B", "cat": "op", "pid": 1, "tid": 2, "ts": 1.0, "name": "outer"},
        {"ph": "B", "cat": "op", "pid": 1, "tid": 2, "ts": 2.0, "name": "inner"},
        {"ph": "E", "cat": "op", "pid": 1, "tid": 2, "ts": 3.0, "name": "inner"},
        {"ph": "E", "cat": "op", "pid": 1, "tid": 2, "ts": 4.0, "name": "outer"},
        {"ph": "M", "name": "process_name", "pid": 1},
    ]
    path = tmp_path / "trace.json"
    path.write_text(json.dumps({"traceEvents": events}))
    found = {event[3]: (event[1] * 1e6, event[2] * 1e6) for _, event in chrome_events(str(path))}
    assert found == {"mm": pytest.approx((5, 7)), "inner": pytest.approx((2, 3)), "outer": pytest.approx((1, 4))}


def encoded(number):
    """A whole number in protobuf's variable length."""
    content = bytearray()
    while number > 127:
        content.append(number & 127 | 128)
        number >>= 7
    return bytes([*content, number])


@given(st.lists(st.tuples(st.integers(1, 500), st.one_of(st.integers(0, 2**63), st.binary(max_size=300))), max_size=9))
def test_the_wire_format_is_read_as_it_was_written(message):
    content = b"".join(
        encoded(key << 3) + encoded(value)
        if isinstance(value, int)
        else encoded(key << 3 | 2) + encoded(len(value)) + value
        for key, value in message
    )
    found = [(key, value if isinstance(value, int) else bytes(value)) for key, value in fields(memoryview(content))]
    assert found == message


@given(st.lists(st.integers(0, 2**40), max_size=9))
def test_packed_numbers(values):
    assert numbers(memoryview(b"".join(map(encoded, values)))) == values


def test_what_begins_within_a_scope_is_marked():
    scopes = [("a", 5.0, 6.0, "Optimizer.step"), ("a", 1.0, 2.0, "Optimizer.step")]
    events = [("a", moment, moment + 0.1, "mul") for moment in (0.5, 1.0, 1.9, 2.0, 5.5, 7.0)]
    names = [event[3] for event in marked(events, scopes, "optimizer/")]
    assert [name.startswith("optimizer/") for name in names] == [False, True, True, False, True, False]
