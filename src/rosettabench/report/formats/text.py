"""Untrusted text for a terminal, which obeys control characters."""

from __future__ import annotations

import unicodedata

UNSEEN = frozenset({"Cc", "Cf", "Cs"})
"""Unicode categories of characters that move the cursor, are invisible, or reverse the writing direction."""


def visible(text: str) -> str:
    """Return `text` on one line, with a replacement character for each character that a terminal would obey."""
    return "".join(map(show_sign, text))


def show_sign(sign: str) -> str:
    """Return a character itself, a blank for any white space, or the replacement character."""
    if sign.isspace():
        return " "
    return "\N{REPLACEMENT CHARACTER}" if unicodedata.category(sign) in UNSEEN else sign
