"""The real environments of the libraries that train as shipped."""

import pytest
from laboratory import environment

from rosettabench.environments.interpreter import find_interpreter
from rosettabench.environments.lock import load_lock
from rosettabench.errors import EnvironmentFault


def installed(library):
    """The environment of a library, made if it is not there; a skip where its Python is not to be had."""
    try:
        find_interpreter(load_lock(library.lock).python)
    except EnvironmentFault as fault:
        pytest.skip(fault.what)
    return environment(library.lock)
