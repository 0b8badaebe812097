"""What of a run may leave the machine: everything but folders, addresses, secrets, and the names of host and user.

A path keeps its last part: ``/home/ada/venv/bin/python`` becomes ``path-1/python``. Equal folders become equal words,
so labels stay distinct.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from rosettabench.evidence.plain import HIDDEN

STOPS = r"\s'\"`,;:()<>\[\]{}|="
"""Characters that end a path in a text."""

PATH = re.compile(rf"(?<![\w/.~\x00-])(?:~\w*|\.{{1,2}})?/(?:[^/{STOPS}]+/)*[^/{STOPS}]*")
ADDRESS = re.compile(r"\b([A-Za-z][A-Za-z0-9+.-]*)://[^\s'\",]*")

COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
"""What programs write to colour their output."""

SECRET = re.compile(r"KEY|TOKEN|SECRET|PASSW|CREDENTIAL|AUTH", re.IGNORECASE)
"""Variables with such a name have values that are never written."""

HIDDEN_VALUE = "***"

COMMON = frozenset({"root", "user", "localhost", "host"})
"""Names that identify nobody."""


class Redactor:
    """Replaces private words in texts and plain data.

    `known` are folders and files whose paths may hold blanks. `names` are {name: word}: those of the user and the host,
    which only `words` replaces, since a label may hold them by chance.
    """

    def __init__(self, known: Iterable[str] = (), names: Mapping[str, str] | None = None) -> None:
        """Ignore names of at most two characters and those in COMMON. The longest known paths are replaced first."""
        self.known = sorted({one.rstrip("/") for one in known} - {""}, key=lambda one: (-len(one), one))
        self.names = {name: word for name, word in (names or {}).items() if len(name) > 2 and name not in COMMON}
        self.folders: dict[str, int] = {}

    def text(self, text: str) -> str:
        """Return a text without paths, addresses and control characters."""
        text = HIDDEN.sub("\N{REPLACEMENT CHARACTER}", COLOUR.sub("", text))
        if "/" not in text:
            return text
        text = ADDRESS.sub(rf"\1:{HIDDEN_VALUE}", text)
        for number, path in enumerate(self.known):
            text = re.sub(rf"(?<![\w/.~-]){re.escape(path)}(?![^/{STOPS}])", f"/\x00{number}", text)
        return PATH.sub(self._place, text)

    def words(self, text: str) -> str:
        """Return a free text without paths, addresses, and the names of the user and the host."""
        text = self.text(text)
        for name, word in self.names.items():
            text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", word, text)
        return text

    def word(self, text: str) -> str:
        """Return a word of a command. A relative path keeps its last part, too."""
        option, equals, value = text.rpartition("=")
        first, at, rest = value.rpartition("@")
        relative = "/" in rest and "://" not in rest and not rest.startswith(("/", "~", "."))
        return self.words(f"{option}{equals}{first}{at}./{rest}" if relative else text)

    def data(self, value: Any) -> Any:  # noqa: ANN401 (plain data)
        """Return plain data with all its texts redacted, keys included, and the values of secret variables hidden."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {self.text(str(key)): self._member(str(key), part) for key, part in value.items()}
        if isinstance(value, list | tuple):
            return [self.data(part) for part in value]
        return value

    def _member(self, key: str, value: Any) -> Any:  # noqa: ANN401 (plain data)
        """Return a member of an object; hidden if it is a variable whose name sounds like a secret."""
        if key.isupper() and isinstance(value, str) and SECRET.search(key):
            return HIDDEN_VALUE
        return self.data(value)

    def _place(self, found: re.Match[str]) -> str:
        """Return the word that stands for a path."""
        folder, _, name = found[0].rpartition("/")
        if not folder and not name:
            return found[0]  # a lone slash is no path
        if name.startswith("\x00"):
            folder, name = f"{folder}/{name}", ""
        number = self.folders.setdefault(folder, len(self.folders) + 1)
        return f"path-{number}/{name}".rstrip("/")
