"""Traces: the events that a framework's profiler recorded, and the share of each operation in the wall time.

An event is (thread, start, end, name), in seconds of any clock.
"""

import bisect
import gzip
import io
import json


def chrome_events(path):
    """Yield (category, event) for the complete events of a trace in Chrome's JSON: phase X, or pairs of B and E."""
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rb") as file:
        trace = json.load(io.TextIOWrapper(file, "utf-8"))
    begun = {}
    for one in trace["traceEvents"]:
        phase, where = one.get("ph"), (one.get("pid"), one.get("tid"))
        if phase == "X":
            start = one["ts"] * 1e-6
            yield one.get("cat"), (where, start, start + one.get("dur", 0) * 1e-6, one["name"])
        elif phase == "B":
            begun.setdefault(where, []).append((one["ts"] * 1e-6, one["name"]))
        elif phase == "E" and begun.get(where):
            start, name = begun[where].pop()
            yield one.get("cat"), (where, start, one["ts"] * 1e-6, name)


def marked(events, scopes, mark):
    """Return `events` with `mark` before the name of each that begins within one of the events `scopes`."""
    spans = sorted(scope[1:3] for scope in scopes)
    begins = [start for start, _ in spans]

    def inside(moment):
        place = bisect.bisect_right(begins, moment) - 1
        return place >= 0 and moment < spans[place][1]

    return [event[:3] + ((mark if inside(event[1]) else "") + event[3],) for event in events]


def attribute(events):
    """Return the operations of `events`: {"name", "calls", "seconds"}, the longest first.

    An operation's seconds are those in which it was the innermost on its thread. Threads that ran at the same time
    share it. So all operations together take no longer than the time in which any was running. The rest of the wall
    time was spent outside: in the interpreter, in dispatch, or waiting.
    """
    threads, calls = {}, {}
    for thread, start, end, name in events:
        threads.setdefault(thread, []).append((start, end, name))
        calls[name] = calls.get(name, 0) + 1
    seconds = shared([part for own in threads.values() for part in innermost(own)])
    found = [{"name": name, "calls": calls[name], "seconds": seconds.get(name, 0.0)} for name in calls]
    return sorted(found, key=lambda one: -one["seconds"])


def innermost(events):
    """Return the stretches (start, end, name) of one thread, without overlaps: each belongs to the innermost event."""
    stretches, stack, now = [], [], 0.0

    def until(moment):
        if stack and moment > now:
            stretches.append((now, moment, stack[-1][1]))
        return max(now, moment)

    for start, end, name in sorted(events, key=lambda event: (event[0], -event[1])):
        while stack and stack[-1][0] <= start:
            now = until(stack[-1][0])
            stack.pop()
        now = until(start) if stack else start
        stack.append((min(end, stack[-1][0]) if stack else end, name))
    while stack:
        now = until(stack[-1][0])
        stack.pop()
    return stretches


def shared(stretches):
    """Return {name: seconds}, with the time at each moment shared equally by all stretches that are running."""
    edges = [(start, 1, name) for start, _, name in stretches] + [(end, 0, name) for _, end, name in stretches]
    seconds, running, count, last = {}, {}, 0, 0.0
    for moment, begins, name in sorted(edges):
        if count and moment > last:
            for active, times in running.items():
                seconds[active] = seconds.get(active, 0.0) + (moment - last) * times / count
        last = moment
        running[name] = running.get(name, 0) + (1 if begins else -1)
        count += 1 if begins else -1
        if not running[name]:
            del running[name]
    return seconds
