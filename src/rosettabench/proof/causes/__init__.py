"""Likely causes of a failed proof, by what diverged first: `likely.py` has the table."""
