"""Interpreters and the locked sets of packages that frameworks run in."""
