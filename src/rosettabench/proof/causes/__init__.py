"""Likely causes of a failed proof, by the first quantity that diverged: `likely.py` has the table."""
