"""Append-only results."""
