"""Migrations of the store's tables, for Alembic: versions/ has a file for each version after the first."""
