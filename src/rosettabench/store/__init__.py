"""The append-only store of results."""
