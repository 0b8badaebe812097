"""Untrusted text where no markup language guards it: a terminal obeys control characters."""

from __future__ import annotations

import unicodedata

UNSEEN = frozenset({"Cc", "Cf", "Cs"})
"""Unicode categories of what moves the cursor, hides, or reverses the writing."""


def visible(text: str) -> str:
    """Return `text` on one line, with a replacement character for everything that would act instead of showing."""
    return "".join(map(show_sign, text))


def show_sign(sign: str) -> str:
    """Return one character, a blank for any white space, or the replacement character."""
    if sign.isspace():
        return " "
    return "\N{REPLACEMENT CHARACTER}" if unicodedata.category(sign) in UNSEEN else sign
