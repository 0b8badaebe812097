"""Replies that are none: told as a failure of that worker, whatever they are."""

import json

import pytest

from rosettabench.client.replies import read_reply

GOOD = {"id": 1, "ok": True, "elapsed_s": 0.5, "cpu_s": 1, "loss": 2.5, "learning_rate": None, "samples": 640}


def line(**changes):
    """A reply to `train` with changes."""
    return json.dumps(GOOD | changes).encode()


def test_a_good_reply_is_returned_as_it_is():
    assert read_reply(line(note="own"), 1, "train", "model") == GOOD | {"note": "own"}
    assert read_reply(line(loss=None), 1, "train", "model")["loss"] is None
    assert read_reply(b'{"id": 1, "ok": true}', 1, "close", "model")["ok"]


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (b"this is no JSON", "Expecting value"),
        (b"[1, 2]", "no reply to request 1"),
        (line(id=2), "no reply to request 1"),
        (line(ok="yes"), "ok"),
        (line(elapsed_s="0.5"), "elapsed_s"),
        (line(elapsed_s=-1), "elapsed_s"),
        (line(elapsed_s=True), "elapsed_s"),
        (line(elapsed_s=None), "elapsed_s"),
        (line(elapsed_s=float("nan")), "NaN is not a number of JSON"),
        (line(loss=float("inf")), "Infinity is not a number of JSON"),
        (line(samples=0.5), "samples"),
        (line(updates="12"), "updates"),
        (line(updates=-1), "updates"),
        (line(batches=1.5), "batches"),
        (line(looked_at=7), "looked_at"),
        (line(labels=5), "labels"),
        (line(samples=10**400), "samples"),
        (line(elapsed_s=10**400), "elapsed_s"),
        (line(cpu_s=1e300), "cpu_s"),
        (b'{"id": 1, "ok": true}', "elapsed_s: Field required"),
        (b'{"id": 1, "ok": false}', "error: Field required"),
        (b'{"id": 1, "ok": false, "error": {"kind": "error"}}', "error.type: Field required"),
        (b'{"id": 1, "ok": false, "error": {"kind": "bad luck"}}', "error.kind: Input should be 'missing_package'"),
        (b'{"id": 1, "ok": true, "x": ' + b"[" * 200_000 + b"]" * 200_000 + b"}", "brackets"),
        (b'{"id": 1, "ok": true, "elapsed_s": ' + b"9" * 5000 + b"}", ""),
        (b"\xff\xfe", ""),
    ],
)
def test_what_does_not_fit_is_a_sentence(bad, words):
    with pytest.raises(ValueError, match=words or None):
        read_reply(bad, 1, "train", "model")
