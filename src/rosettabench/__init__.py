"""Rosettabench: which deep-learning framework does a job best. Equal work, proven; then timed."""

__version__ = "0.1.0"
