"""The worker's end of the protocol: one JSON message per line, on pipes of its own.

Standard output and standard error belong to the framework, which may print anything there. docs/reference/protocol.md
is the specification, for workers in other languages too.
"""

import io
import json
import os


class Channel(object):
    """A channel that receives requests and sends replies.

    Parameters: two open file descriptors. Both are made non-inheritable, so that no child process of the framework
    keeps a pipe open after the worker has ended.
    """

    def __init__(self, requests, replies):
        for descriptor in (requests, replies):
            os.set_inheritable(descriptor, False)
        self._requests = io.open(requests, "r", encoding="utf-8", newline="\n")
        self._replies = io.open(replies, "w", encoding="utf-8", newline="\n")

    def receive(self):
        """Return the next request as a dict; None when the controller has closed the pipe."""
        line = self._requests.readline()
        return json.loads(line) if line else None

    def send(self, message):
        """Write one reply and flush it. Numbers that are not finite become null, since JSON has no NaN."""
        self._replies.write(json.dumps(finite(message), allow_nan=False, sort_keys=True) + "\n")
        self._replies.flush()


def finite(value):
    """Return `value` with every NaN and infinity replaced by None, in nested dicts and lists."""
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(item) for item in value]
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return None
    return value
