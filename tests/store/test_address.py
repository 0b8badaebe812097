"""The address of a store, and that its password appears nowhere."""

import pytest
from sqlalchemy.exc import OperationalError

from rosettabench.errors import StoreError, UsageError
from rosettabench.store.address import address_of, file_of, secrets_of, without_password, without_secrets
from rosettabench.store.faults import explain_database_errors


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://me:s3cret@host/db", "postgresql://me:***@host/db"),
        ("postgresql://me:s3cret@host:5432/db?sslmode=require", "postgresql://me:***@host:5432/db?sslmode=require"),
        ("postgresql+psycopg://:s3cret@host/db", "postgresql+psycopg://:***@host/db"),
        ("postgresql://me:s3%40cret%2F@host/db", "postgresql://me:***@host/db"),
        ("postgresql://me:s3/cr@et@host/db", "postgresql://me:***@host/db"),
        ("postgresql://me:s3?cr#et@host/db", "postgresql://me:***@host/db"),
        ("postgresql://host/db?user=me&password=s3cret", "postgresql://host/db?user=me&password=***"),
        ("postgresql://host/db?PASSWORD=s3cret&user=me", "postgresql://host/db?PASSWORD=***&user=me"),
        ("postgresql://host/db?sslpassword=s3cret", "postgresql://host/db?sslpassword=***"),
        ("host=h password=s3cret dbname=d", "host=h password=*** dbname=d"),
        ("host=h password = 's3 \\' cret' dbname=d", "host=h password = *** dbname=d"),
        ("--store=postgresql://me:s3cret@host/db", "--store=postgresql://me:***@host/db"),
        ("postgresql://host:5432/db", "postgresql://host:5432/db"),
        ("sqlite:////folder/results.sqlite", "sqlite:////folder/results.sqlite"),
    ],
)
def test_a_password_is_hidden_and_the_rest_is_shown(url, shown):
    assert without_password(url) == shown


@pytest.mark.parametrize("form", ["s3c/r et", "s3c%2Fr%20et", "s3c%2Fr+et", "s3c/r%20et"])
def test_messages_of_a_driver_lose_the_password_in_every_encoding(form):
    secrets = secrets_of("postgresql://me:s3c%2Fr%20et@host/db")
    assert without_secrets(f"no host named {form}!", secrets) == "no host named ***!"
    assert secrets_of("postgresql://host/db?password=s3c/r%20et") == secrets


def test_an_explained_error_has_no_password():
    class Refusal(Exception):
        pass

    with pytest.raises(StoreError) as told, explain_database_errors("the store", frozenset({"s3cret"})):
        raise OperationalError("SELECT 1", {}, Refusal("could not translate host name 's3cret@host'\nand more"))
    assert "'***@host'" in told.value.what
    assert "and more" not in told.value.what


@pytest.mark.parametrize("password", ["a@b", "a/b", "a?b", "a#b", "12/x", "12/x?y", "/"])
def test_a_password_that_a_url_cannot_hold_is_refused(password):
    with pytest.raises(UsageError, match="cannot hold") as told:
        address_of(f"postgresql://me:{password}@host/db")
    assert "%40" in told.value.hint
    assert password not in told.value.what.replace("postgresql://me:***@host/db", "")


@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "postgresql+psycopg"])
def test_postgresql_has_one_driver_and_two_names(scheme):
    address = address_of(f"{scheme}://me:a%40b@host:5433/db?options=a%40b")
    assert address.drivername == "postgresql+psycopg"
    assert (address.host, address.port, address.password, address.database) == ("host", 5433, "a@b", "db")


def test_a_port_is_no_password():
    assert address_of("postgresql://host:5432/db?options=a%40b").port == 5432
    assert file_of("postgresql://host:5432/db") is None
