"""The file of a bundle: a ZIP of plain text whose members are not compressed.

The same members always give the same bytes, on every machine. Since nothing is compressed, no member can be larger than
the file. Nothing is ever unpacked to disk.
"""

from __future__ import annotations

import json
import re
import struct
import zlib
from collections.abc import Mapping, Sequence
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from zipfile import ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from rosettabench.errors import DataError, UsageError
from rosettabench.evidence.plain import check_text, read_json

FORMAT = "rosettabench-run"
VERSION = 1
"""The version of the format, raised when a part changes its name or meaning."""

MANIFEST = "manifest.json"

MOST_BYTES = 256 * 2**20
"""The largest bundle: five times that of every proven cell in one run."""

MOST_MEMBERS = 5000

ENTRY = b"PK\x01\x02"
"""The beginning of each entry in the directory of a ZIP. No text of a bundle holds these bytes."""

NAME = re.compile(r"(README\.txt|[a-z]+\.(json|csv)|certificates/[0-9a-f]{16}\.json|locks/[\w.+-]+@[\w.+-]+\.txt)")
"""The names that members may have."""

EPOCH = (1980, 1, 1, 0, 0, 0)
"""The time of every member: the earliest that a ZIP can state."""

AGAIN = "Get the file again from where it is published, and compare its SHA-256."

UNREADABLE = (BadZipFile, NotImplementedError, RuntimeError, EOFError, ValueError, struct.error, zlib.error)
"""What zipfile raises for damaged, encrypted or unusual files."""


def pack(members: Mapping[str, str]) -> bytes:
    """Return the bundle of {name: text}, with its manifest."""
    made = {MANIFEST: manifest(members), **dict(sorted(members.items()))}
    file = BytesIO()
    with ZipFile(file, "w", ZIP_STORED) as archive:
        for name, text in made.items():
            info = ZipInfo(name, EPOCH)
            info.create_system = 3
            info.external_attr = 0o644 << 16
            archive.writestr(info, text.encode())
    return file.getvalue()


def check_size(content: bytes) -> bytes:
    """Return a bundle as it is. Raises UsageError if it is too large to be read again."""
    if len(content) > MOST_BYTES:
        raise UsageError(
            f"the bundle would have {len(content) // 2**20} MiB; {MOST_BYTES // 2**20} is the most",
            "Run fewer contests in one command, and make a bundle of each run.",
        )
    return content


def manifest(members: Mapping[str, str]) -> str:
    """Return the manifest of {name: text}: the size and the SHA-256 of each."""
    listed = {name: entry(text.encode()) for name, text in sorted(members.items())}
    return json.dumps({"format": FORMAT, "version": VERSION, "members": listed}, indent=1) + "\n"


def entry(content: bytes) -> dict[str, int | str]:
    """Return what the manifest says of a member."""
    return {"bytes": len(content), "sha256": sha256(content).hexdigest()}


def read_file(path: Path) -> bytes:
    """Return the content of a bundle's file. Raises DataError if it cannot be read or is too large."""
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}", "Name a file of rosetta export-run.") from error
    if len(content) > MOST_BYTES:
        raise DataError(f"{path} is larger than any bundle, {MOST_BYTES // 2**20} MiB", AGAIN)
    return content


def unpack(content: bytes) -> dict[str, str]:
    """Return {name: text} of the members of a bundle, without its manifest, after checking them against it.

    Raises DataError with a sentence on what is wrong.
    """
    if content.count(ENTRY) > MOST_MEMBERS:  # before zipfile makes an object of each
        raise DataError(f"the bundle has more than {MOST_MEMBERS} members", AGAIN)
    try:
        with ZipFile(BytesIO(content)) as archive:
            infos = archive.infolist()
            check_infos(infos, len(content))
            members = {info.filename: archive.read(info) for info in infos}
    except UNREADABLE as error:
        raise DataError(f"it is not a bundle: its ZIP cannot be read ({str(error)!a})", AGAIN) from error
    return check_manifest({name: as_text(name, part) for name, part in members.items()})


def check_infos(infos: Sequence[ZipInfo], size: int) -> None:
    """Raise DataError if the directory of a ZIP is not that of a bundle: before any member is read."""
    names = [info.filename for info in infos]
    for name in names:
        if name.startswith(("/", "\\")) or ".." in re.split(r"[/\\]", name):
            raise DataError(f"the bundle has a member whose name leads out of it: {name!a}", AGAIN)
        if not NAME.fullmatch(name) or not name.isascii():
            raise DataError(f"the bundle has a surplus member: {name!a}", AGAIN)
    twice = next((name for name in names if names.count(name) > 1), None) if len({*names}) < len(names) else None
    if twice:
        raise DataError(f"the bundle has two members of the name {twice}", AGAIN)
    if MANIFEST not in names:
        raise DataError(f"it is not a bundle: {MANIFEST} is missing", AGAIN)
    for info in infos:
        if info.compress_type != ZIP_STORED or info.compress_size != info.file_size:
            raise DataError(f"{info.filename} is compressed: members of a bundle never are", AGAIN)
    if sum(info.file_size for info in infos) > size:
        raise DataError("the members of the bundle state more bytes than the file has", AGAIN)


def as_text(name: str, content: bytes) -> str:
    """Return a member as text. Raises DataError if it is not plain UTF-8."""
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        raise DataError(f"{name} in the bundle is not text in UTF-8", AGAIN) from error
    check_text(name, text)
    return text


def check_manifest(members: Mapping[str, str]) -> dict[str, str]:
    """Return the members without the manifest. Raises DataError if one is missing, surplus or changed."""
    stated = read_json(MANIFEST, members[MANIFEST])
    if not isinstance(stated, dict) or stated.get("format") != FORMAT:
        raise DataError(f"it is not a bundle: {MANIFEST} names another format", "rosetta export-run makes a bundle.")
    if stated.get("version") != VERSION:
        raise DataError(
            f"the bundle has version {stated.get('version')!a} of the format; this Rosettabench reads {VERSION}",
            "Use a release of Rosettabench that reads it: docs/guide/evidence.md.",
        )
    listed = stated.get("members")
    if not isinstance(listed, dict):
        raise DataError(f"{MANIFEST} in the bundle lists no members", AGAIN)
    found = {name: text for name, text in members.items() if name != MANIFEST}
    for name in sorted(listed.keys() - found.keys()):
        raise DataError(f"the bundle lacks {name!a}, which its manifest lists", AGAIN)
    for name in sorted(found.keys() - listed.keys()):
        raise DataError(f"the bundle has a surplus member: {name}", AGAIN)
    for name, text in found.items():
        if listed[name] != entry(text.encode()):
            raise DataError(f"{name} was changed: its SHA-256 is not the one in the manifest", AGAIN)
    if manifest(found) != members[MANIFEST]:
        raise DataError(f"{MANIFEST} was changed: it is not written as rosetta export-run writes it", AGAIN)
    return found
