"""The schema of the protocol: what is asked is what a worker takes, and every request has its reply."""

import inspect

import pytest
from pydantic import ValidationError

from rosetta_worker.loop import Worker
from rosetta_worker.training import Trainings
from rosettabench.client.messages import MESSAGES, check_message
from rosettabench.client.replies import REPLIES, TRAININGS

SERVICES = {"model": Worker, "training": Trainings}
REQUESTS = [(service, do) for service, messages in MESSAGES.items() for do in messages]


@pytest.mark.parametrize(("service", "do"), REQUESTS)
def test_a_request_has_the_fields_that_our_worker_takes(service, do):
    stated = {name: field.is_required() for name, field in MESSAGES[service][do].model_fields.items()}
    taken = inspect.signature(getattr(SERVICES[service], f"do_{do}")).parameters.values()
    assert stated == {one.name: one.default is one.empty for one in taken if one.name != "self"}


@pytest.mark.parametrize("service", SERVICES)
def test_every_request_that_our_worker_takes_is_stated_with_its_reply(service):
    taken = {name.removeprefix("do_") for name in dir(SERVICES[service]) if name.startswith("do_")}
    replies = {"model": REPLIES, "training": TRAININGS}[service]
    assert taken == MESSAGES[service].keys() == replies.keys()


def test_a_request_that_does_not_fit_is_not_sent():
    check_message("train", {"first": 0, "steps": 20}, "model")
    check_message("a word that only the worker knows", {}, "model")
    for wrong in ({"first": 0}, {"first": -1, "steps": 20}, {"first": 0, "steps": 20, "more": 1}, {"first": "a"}):
        with pytest.raises(ValidationError):
            check_message("train", wrong, "model")
