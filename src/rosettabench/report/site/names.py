"""The names of the site's files: any text becomes one that every file system and every URL can have."""

from __future__ import annotations

import re
from hashlib import sha256

LONGEST = 60
"""Characters of a name that are kept of the text."""

RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d|index)(\.|$)|.*-[0-9a-f]{8}$")
"""Names that a system gives to a device, that of a folder's own page, and those that look like abbreviated ones."""


def page_name(text: str) -> str:
    """Return a file name without suffix for a text: itself if that is safe, else what is safe of it and a digest.

    Two texts never have the same name, even where capitals do not count.
    """
    safe = re.sub(r"[^a-z0-9_.-]+", "-", text.lower()).strip("-.")[:LONGEST].strip("-.")
    if safe and safe == text and not RESERVED.match(text):
        return safe
    digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{safe}-{digest}" if safe else digest
