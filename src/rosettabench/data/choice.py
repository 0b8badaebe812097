"""The values of the axis `data`: what a data set is taken from."""

from __future__ import annotations

FOUND = "found"
"""The originals, in the user's folder or downloaded; a stand-in where neither is to be had."""

REAL = "real"
"""The originals, and nothing in their place."""

SYNTHETIC = "synthetic"
"""What stands in for them; they are not looked for."""
