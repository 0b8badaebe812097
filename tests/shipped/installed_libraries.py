"""The real environments of the libraries that train as shipped."""

from laboratory import environment


def installed(library):
    """The environment of a library, made if it is not there."""
    return environment(library.lock)
