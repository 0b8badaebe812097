"""Schema 2: runs are found by their time, and PostgreSQL has append-only tables and 64-bit numbers as SQLite has."""

from __future__ import annotations

from alembic import op

revision = "2"
down_revision = None
branch_labels = None
depends_on = None

WIDE = {
    "schema_version": ("version",),
    "contests": ("id",),
    "entries": ("id", "contest_id"),
    "blocks": ("id", "entry_id", "session", "round", "position", "first", "steps", "samples"),
    "figures": ("id", "entry_id", "session"),
    "certificates": ("id",),
    "certifications": ("id", "entry_id", "certificate_id", "session"),
    "events": ("id", "contest_id", "entry_id"),
    "failures": ("id", "contest_id", "entry_id"),
}
"""{table: columns with integers}, as of this version."""

ONLY_APPEND = """
CREATE OR REPLACE FUNCTION rosetta_append_only() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'results are append-only'; END $$
"""


def upgrade() -> None:
    """Upgrade a store of schema 1."""
    op.create_index("ix_runs_at", "runs", ["at"])
    if op.get_bind().dialect.name != "postgresql":
        return
    for table, columns in WIDE.items():
        changes = ", ".join(f"ALTER COLUMN {column} TYPE BIGINT" for column in columns)
        op.execute(f"ALTER TABLE {table} {changes}")
        key = columns[0]
        op.execute(f"ALTER SEQUENCE {table}_{key}_seq AS BIGINT")
    op.execute(ONLY_APPEND)
    for table in ("runs", *WIDE):
        op.execute(
            f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION rosetta_append_only()"
        )
