"""The address of a store: a URL or the path of an SQLite file, and how it is shown without its password."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import quote, quote_plus

from sqlalchemy import URL
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from rosettabench.errors import UsageError

POSTGRESQL = ("postgresql", "postgres")
"""Schemes of PostgreSQL without a driver. `postgres` is the form that many services give out."""

HIDDEN = "***"
"""What stands in place of a password."""

BEFORE_HOST = re.compile(r"(://[^:/@?#\s]*):[^\s]*@")
"""A user and a password in a URL, up to the last @: the password may contain what should have been encoded."""

IN_QUERY = re.compile(r"([?&;](?:ssl)?pass(?:word|wd)?=)[^&;\s]*", re.IGNORECASE)
"""A password among the parameters of a URL."""

IN_WORDS = re.compile(r"\b((?:ssl)?password\s*=\s*)('(?:[^'\\]|\\.)*'|[^\s'&]+)", re.IGNORECASE)
"""A password in a connection string of libpq: password=… or password='…'."""

SHORTEST_SECRET = 3
"""Characters: a shorter password is not searched for in messages, where it would hide common letters."""


def without_password(text: str) -> str:
    """Return a text with the passwords of all URLs and connection strings replaced by ***."""
    text = BEFORE_HOST.sub(rf"\1:{HIDDEN}@", text)
    text = IN_QUERY.sub(rf"\1{HIDDEN}", text)
    return IN_WORDS.sub(rf"\1{HIDDEN}", text)


def without_secrets(text: str, secrets: frozenset[str]) -> str:
    """Return a text without passwords in URLs, and without any of `secrets`."""
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, HIDDEN)
    return without_password(text)


def secrets_of(url: str) -> frozenset[str]:
    """Return the passwords of a URL, decoded and in every encoding in which a message may repeat them."""
    try:
        address = address_of(url)
    except (ArgumentError, UsageError, ValueError):
        return frozenset()
    plain = {address.password} if address.password else set()
    for name, value in address.query.items():
        if name.lower() in ("password", "sslpassword"):
            plain |= {value} if isinstance(value, str) else {*value}
    forms = {form for secret in plain for form in (secret, quote(secret, safe=""), quote(secret), quote_plus(secret))}
    return frozenset(form for form in forms if len(form) >= SHORTEST_SECRET)


def is_path(text: str) -> bool:
    """Return whether the name of a store is the path of a file: it contains a folder, or ends like a database."""
    return "://" not in text and ("/" in text or text.endswith((".db", ".sqlite", ".sqlite3")))


def address_of(url: str) -> URL:
    """Return the address of a store from its URL, or from the path of an SQLite file.

    PostgreSQL gets the driver psycopg. Raises ArgumentError for what is no URL, and UsageError for a password with
    characters that a URL cannot hold.
    """
    if is_path(url):
        return URL.create("sqlite", database=str(Path(url).expanduser().absolute()))
    authority = re.split(r"[/?#]", url.partition("://")[2], maxsplit=1)[0]
    is_cut = "@" not in authority and BEFORE_HOST.search(url) is not None
    if authority.count("@") > 1 or is_cut:
        raise UsageError(
            f"{without_password(url)!r} has an @ or a password that a URL cannot hold",
            "Write @ as %40, / as %2F, ? as %3F, # as %23, or keep the password in PGPASSWORD or ~/.pgpass.",
        )
    scheme, separator, rest = url.partition("://")
    return make_url(f"postgresql+psycopg{separator}{rest}" if scheme in POSTGRESQL else url)


def file_of(url: str) -> Path | None:
    """Return the SQLite file of a store, which need not exist; None for another database or an invalid URL."""
    try:
        address = address_of(url)
    except ArgumentError:
        return None
    own = address.get_backend_name() == "sqlite" and address.database not in (None, "", ":memory:")
    return Path(str(address.database)) if own else None
