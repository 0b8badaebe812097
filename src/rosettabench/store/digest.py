"""The digest of a JSON object: the same object always has the same, and a damaged one has another."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any


def digest(body: dict[str, Any]) -> str:
    """Return the sha256 of a JSON object, whatever the order of its keys."""
    return sha256(json.dumps(body, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
