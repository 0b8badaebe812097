"""Errors cross to another process with all that they say."""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

from rosettabench import errors
from rosettabench.errors import FailureKind, OtherWork, RosettaError, WorkerError


def kinds(kind=RosettaError):
    """Return a class of errors and all below it."""
    return [kind, *(one for below in kind.__subclasses__() for one in kinds(below))]


MADE = {
    WorkerError: lambda: WorkerError(FailureKind.TIMEOUT, "what", "hint", "details"),
    **{kind: lambda kind=kind: kind("what", "hint") for kind in kinds() if kind is not WorkerError},
}


def refuse(kind):
    """Raise an error of a kind."""
    raise MADE[kind]()


@pytest.fixture(scope="module")
def pool():
    """A process that raises errors."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        yield pool


@pytest.mark.parametrize("kind", [one for one in kinds() if one.__module__ == errors.__name__])
def test_an_error_is_the_same_in_another_process(kind, pool):
    sent, received = MADE[kind](), pool.submit(refuse, kind).exception()
    assert (type(received), str(received), received.args) == (kind, "what", ("what",))
    said = {name: value for name, value in vars(received).items() if name in vars(sent)}
    assert said == vars(sent)
    assert said["hint"] == "hint"
    assert kind is not OtherWork or received.kind == FailureKind.OTHER_WORK
