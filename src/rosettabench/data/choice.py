"""The values of the axis `data`: where the data come from."""

from __future__ import annotations

FOUND = "found"
"""The originals, from the user's folder or a download; a stand-in if neither is available."""

REAL = "real"
"""The originals only; never a stand-in."""

SYNTHETIC = "synthetic"
"""A stand-in only; no originals are looked for."""
