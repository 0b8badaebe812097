"""What can go wrong with a database, as sentences for the user."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import ArgumentError, DatabaseError, DBAPIError, InterfaceError, OperationalError, SQLAlchemyError

from rosettabench.errors import StoreError, UsageError
from rosettabench.store.address import without_secrets

TO_DO = {
    "full": "Free some space, then continue with: rosetta resume",
    "readonly": "Give yourself permission to write there, or name another place with --store.",
    "unable to open": "Give yourself permission to write there, or name another place with --store.",
    "disk I/O": "Free some space if the disk is full; if it is damaged, name another place with --store.",
    "locked": "Another process writes into it for long: try again when that has ended.",
    "password authentication failed": "Check user and password: in the URL, in PGPASSWORD or in ~/.pgpass.",
    "no password supplied": "Give the password in PGPASSWORD or in ~/.pgpass.",
    "pg_hba.conf": "The server refuses this user from this machine: its pg_hba.conf must allow it.",
    "does not exist": "Create the database, or correct its name: createdb NAME",
    "permission denied": "Ask for permission to create and to write tables in this database.",
}
"""The hint for an error of a database, by words in its message."""

OTHERWISE = "Move the file away, or name another place with --store; nothing was overwritten."
"""The hint for any other error of SQLite, such as a damaged file or one that is not a database."""

AWAY = "Start the database, or check its address; then repeat the command."
"""The hint for a server that does not answer."""

ANOTHER = "Name another place with --store; nothing was overwritten."
"""The hint for any other error of a server."""


class DatabaseAway(StoreError):
    """The server of a store cannot be reached, or it refuses all work for now."""


DRIVER = "psycopg[binary]~=3.3"
"""The driver of PostgreSQL, as the extra `postgresql` of pyproject.toml states it."""


def driver_advice() -> str:
    """Return the command that installs the driver of PostgreSQL beside this Python: uv is there, pip need not be."""
    return f"{sys.executable} -m uv pip install --python {sys.executable} '{DRIVER}'"


@contextmanager
def explain_database_errors(name: str, secrets: frozenset[str] = frozenset()) -> Iterator[None]:
    """Turn the errors of a database driver into StoreError or UsageError with a sentence for the user.

    `name` is the URL without its password; `secrets` are removed from the messages of the driver.
    """
    try:
        yield
    except ArgumentError as error:
        raise UsageError(
            f"{name!r} is not the URL of a store",
            "Write sqlite:////folder/file.sqlite or postgresql://user@host/database.",
        ) from error
    except ImportError as error:
        advice = driver_advice() if "psycopg" in str(error) else f"pip install {error.name}"
        raise StoreError(f"the store {name} needs a driver: {error}", hint=advice) from error
    except OSError as error:
        raise StoreError(
            f"the store {name} cannot be opened: {error}", hint="Name another place with --store."
        ) from error
    except (DatabaseError, InterfaceError) as error:
        reason = without_secrets(first_line(error), secrets)
        usual = OTHERWISE if is_sqlite(error) else ANOTHER
        hint = next((hint for words, hint in TO_DO.items() if words in reason), usual)
        if is_away(error):
            raise DatabaseAway(
                f"the store {name} cannot be reached: {reason}", hint=AWAY if hint == usual else hint
            ) from error
        raise StoreError(f"the store {name} cannot be used: {reason}", hint=hint) from error
    except SQLAlchemyError as error:
        what = without_secrets(str(error), secrets)
        raise StoreError(f"the store {name} cannot be used: {what}", hint="Check the URL given to --store.") from error


def first_line(error: DBAPIError) -> str:
    """Return the first line of what the driver says: the others repeat addresses, or give advice of their own."""
    return next(iter(str(error.orig).splitlines()), type(error.orig).__name__).strip()


def is_sqlite(error: DBAPIError) -> bool:
    """Return whether an error comes from SQLite, which has no server."""
    return type(error.orig).__module__ == "sqlite3"


def is_away(error: DBAPIError) -> bool:
    """Return whether an error means that the server is not there, or can take nothing now, and not that we are wrong.

    Drivers report both as an OperationalError: connections that fail or break, a server that shuts down, a full disk.
    """
    return not is_sqlite(error) and (error.connection_invalidated or isinstance(error, OperationalError))
