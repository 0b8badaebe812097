"""Fuzzes what a worker may answer, and looks whether the controller stands it.

    .venv/bin/python benchmarks/campaigns/fuzz_worker.py [--messages 10000] [--seed 0]

Each message is a reply as its schema in rosettabench.client.replies has it, and then, mostly, with something wrong in
it: a field that is missing, or of another type; numbers that are none, or have hundreds of digits; brackets without
end; bytes that are no text; a line that is cut, without an end, or of 100 MiB; silence; death in the middle, with a
child that holds the pipe. A real process says it over real pipes. These must hold of every message:

    dead       `ask` returns a reply or raises WorkerError, and nothing else
    believed   a reply that is returned has every number that its schema asks for, finite and in range
    late       `ask` takes no longer than its time-out, and GRACE_S
    large      the memory of this process stays below LARGEST
    left       no worker, and no child of one, is alive in the end

The exit code is 1 where one of them did not.
"""

import argparse
import base64
import json
import logging
import math
import resource
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from rosettabench.client.process import WorkerProcess
from rosettabench.client.replies import LONGEST_LINE, REPLIES, TRAININGS
from rosettabench.errors import WorkerError

TIMEOUT_S = 0.5
"""What a worker has to answer in."""

GRACE_S = 1.0
"""What `ask` may take beyond that: to end a worker, and to be given a processor for it."""

LARGEST = 1 << 30
"""Bytes of memory that the controller may ever have."""

NUMBER = 314159265358
"""What stands for the number of a request; the worker puts the true one there."""

LONG_S = 10.0
"""The time-out where the worker says more than a line may have: it must be refused for that, and not for its time."""

SECONDS = {"elapsed_s", "cpu_s", "import_s", "build_s", "load_s"}
COUNTS = {"samples", "correct"}
NUMBERS = {"loss", "learning_rate"}

REQUESTS = [("model", do) for do in (*REPLIES, "close", "tock")] + [("training", do) for do in TRAININGS]
"""What is asked, of which service; two of them have no schema of their own."""


@dataclass
class Found:
    """What a campaign found."""

    faults: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)
    slowest_s: float = 0.0

    def fault(self, kind: str, about: str) -> None:
        """Count a fault and tell it at once."""
        self.faults[kind] += 1
        print(f"{kind}: {about[:300]}", flush=True)


# -- what is said ------------------------------------------------------------------------------------------------------

words = st.text(max_size=20)
digits = st.integers(min_value=300, max_value=5000).map(lambda length: "9" * length)
junk: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | words | st.integers(-(1 << 70), 1 << 70),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words, inner, max_size=4),
    max_leaves=10,
)
VALUES: dict[str, st.SearchStrategy[Any]] = {
    **dict.fromkeys(SECONDS, st.floats(0, 1e9)),
    **dict.fromkeys(COUNTS, st.integers(0, 1 << 53)),
    **dict.fromkeys(NUMBERS, st.none() | st.floats(allow_nan=False, allow_infinity=False)),
    "packages": st.dictionaries(words, words, max_size=3),
    "files": st.dictionaries(words, words, max_size=3),
    "settings": st.dictionaries(words, junk.filter(lambda one: "NaN" not in json.dumps(one)), max_size=3),
}


@st.composite
def fitting(draw: st.DrawFn, service: str, do: str) -> dict[str, Any]:
    """Return a reply that fits its schema, or a failure that does."""
    if draw(st.integers(0, 5)) == 0:
        error = {name: draw(words) for name in ("kind", "type", "message", "traceback")}
        return {"id": NUMBER, "ok": False, "error": error}
    kind = (REPLIES if service == "model" else TRAININGS).get(do)
    names = [] if kind is None else [name for name in kind.model_fields if name in VALUES]
    return {"id": NUMBER, "ok": True, **{name: draw(VALUES[name]) for name in names}}


@st.composite
def mutated(draw: st.DrawFn, service: str, do: str) -> bytes:
    """Return the line of a reply with something wrong in it."""
    reply = draw(fitting(service, do))
    at = draw(st.sampled_from(sorted(reply)))
    match draw(st.sampled_from(["drop", "replace", "add", "digits", "brackets", "bytes", "cut", "twice", "junk"])):
        case "drop":
            del reply[at]
        case "replace":
            reply[at] = draw(junk)
        case "add":
            reply[draw(words)] = draw(junk)
        case "digits":
            reply[at] = "DIGITS"
            return line(reply).replace(b'"DIGITS"', draw(digits).encode())
        case "brackets":
            reply[at] = "BRACKETS"
            return line(reply).replace(b'"BRACKETS"', draw(st.sampled_from([b"[", b'{"a":'])) * 200_000)
        case "bytes":
            whole = line(reply)
            place = draw(st.integers(0, 1000)) * len(whole) // 1000
            return whole[:place] + draw(st.binary(min_size=1, max_size=8)) + whole[place:]
        case "cut":
            whole = line(reply)
            return whole[: draw(st.integers(0, 999)) * len(whole) // 1000] + b"\n"
        case "twice":
            return line(reply) * 2
        case "junk":
            return line(draw(junk))
    return line(reply)


def line(reply: object) -> bytes:
    """Return a reply as a line."""
    return json.dumps(reply).encode() + b"\n"


@st.composite
def sayings(draw: st.DrawFn, service: str, do: str) -> dict[str, Any]:
    """Return what the worker is told: what to say, in two pieces, how many times, and what to do afterwards."""
    way = draw(st.integers(0, 199))
    said = draw(fitting(service, do).map(line) if way < 60 else mutated(service, do))
    if way >= 199:  # seldom: it takes a second
        return {"said": encoded(b"x" * (1 << 20)), "times": (LONGEST_LINE >> 20) + 36, "after": "hang"}
    if way >= 195:
        return {"said": encoded(said.replace(b"\n", b" ")), "after": draw(st.sampled_from(["hang", "child"]))}
    place = draw(st.integers(0, 1000)) * len(said) // 1000
    if way >= 180:
        return {"said": encoded(said[:place]), "after": draw(st.sampled_from(["end", "close"]))}
    return {"said": encoded(said), "first": place}


def encoded(said: bytes) -> str:
    """Return bytes as a request can carry them."""
    return base64.b64encode(said).decode()


# -- what becomes of it ------------------------------------------------------------------------------------------------


class Partner:
    """A worker that says what it is told; another one is started when it is gone."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._alive: dict[str, WorkerProcess] = {}

    def ask(self, service: str, do: str, timeout: float, **told: object) -> dict[str, Any]:
        """Ask as the controller does; whoever raises is let go of."""
        if service not in self._alive:
            worker = (sys.executable, "-I", "-S", str(Path(__file__).with_name("saying_worker.py")))
            self._alive[service] = WorkerProcess(
                Path(sys.executable), self._folder / "log", {}, self._folder, service, worker
            )
        try:
            return self._alive[service].ask(do, timeout, **told)
        except BaseException:
            self.end(service)
            raise

    def end(self, service: str) -> None:
        """End the worker of a service."""
        self._alive.pop(service).kill()

    def end_all(self) -> None:
        """End every worker."""
        for service in list(self._alive):
            self.end(service)


def try_one(partner: Partner, found: Found, service: str, do: str, told: dict[str, Any]) -> None:
    """Send one message and judge what comes of it."""
    timeout = LONG_S if "times" in told else TIMEOUT_S
    start = time.monotonic()
    try:
        reply = partner.ask(service, do, timeout, **told)
    except WorkerError as error:
        found.outcomes[f"refused: {error.kind}" if error.kind in KINDS else "failure of the worker's own"] += 1
    except Exception as error:  # noqa: BLE001 (whatever else it raises is what is looked for)
        found.fault("dead", f"{type(error).__name__}: {error}, of {told}")
    else:
        found.outcomes["taken"] += 1
        wrong = [name for name in sorted(reply) if not fits(name, reply[name])]
        if wrong and do not in ("close", "tock", "settings"):
            found.fault("believed", f"{wrong} of {reply}")
    took = time.monotonic() - start
    found.slowest_s = max(found.slowest_s, took - timeout)
    if took > timeout + GRACE_S:
        found.fault("late", f"{took:.1f} s, of {told}")


KINDS = ("protocol", "timeout", "crash")


def fits(name: str, value: object) -> bool:
    """Return whether a field that has a schema has a value that one may calculate with."""
    if name in SECONDS:
        return isinstance(value, int | float) and math.isfinite(value) and 0 <= value <= 1e9
    if name in COUNTS:
        return value is None or (isinstance(value, int) and 0 <= value <= 1 << 53)
    if name in NUMBERS:
        return value is None or (isinstance(value, int | float) and abs(value) <= sys.float_info.max)
    return True


def campaign(messages: int, begin: int, folder: Path) -> Found:
    """Send so many messages; return what was found."""
    found, partner = Found(), Partner(folder)

    @seed(begin)
    @settings(
        max_examples=messages,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(data=st.data(), request=st.sampled_from(REQUESTS))
    def message(data: st.DataObject, request: tuple[str, str]) -> None:
        service, do = request
        told = data.draw(sayings(service, do))
        try_one(partner, found, service, do, told)

    message()
    partner.end_all()
    left = psutil.Process().children(recursive=True)
    if left:
        found.fault("left", f"{len(left)} processes")
    return found


def main() -> int:
    """Run the campaign and say what was found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--messages", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    logging.disable()
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        found = campaign(asked.messages, asked.seed, Path(folder))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    if peak > LARGEST:
        found.fault("large", f"{peak >> 20} MiB")
    print(f"{sum(found.outcomes.values())} messages in {time.monotonic() - start:.0f} s")
    for outcome, count in found.outcomes.most_common():
        print(f"{count:7} {outcome}")
    print(f"memory {peak >> 20} MiB at most; at most {found.slowest_s:.2f} s beyond the time-out")
    print("faults: " + (", ".join(f"{count} {kind}" for kind, count in found.faults.items()) or "none"))
    return 1 if found.faults else 0


if __name__ == "__main__":
    sys.exit(main())
