"""Download files from their original source: check them, and resume broken downloads."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from urllib.parse import urlsplit

from rosettabench.data.data_set import Remote
from rosettabench.data.progress import DataProgress
from rosettabench.errors import DataError

TIMEOUT = (10, 30)
"""Seconds to wait for a connection, and for the next bytes."""

PIECE = 1 << 14
"""Bytes that are written at once, and so the most that a broken connection loses."""

ATTEMPTS = 5
"""How often a connection may break before the download fails. An attempt without new bytes fails at once."""


class Unreachable(Exception):
    """The source cannot be reached or lacks the file. The message is a clause for the note of the data."""


def is_here(folder: Path, remotes: Iterable[Remote]) -> bool:
    """Return whether `folder` holds all files with the right checksums."""
    import pooch

    return all(
        (folder / remote.file).is_file()
        and pooch.file_hash(str(folder / remote.file), alg=remote.checksum.split(":")[0])
        == remote.checksum.split(":")[1]
        for remote in remotes
    )


def fetch(folder: Path, remotes: Iterable[Remote], progress: DataProgress) -> None:
    """Download all files into `folder`, except those that are there with the right checksum.

    A broken download keeps the bytes that have arrived, and the next call continues it. Raises Unreachable without
    network, and DataError for a file that differs from the published one.
    """
    import pooch
    import requests

    pooch.get_logger().setLevel("WARNING")
    for remote in remotes:
        try:
            try:
                _retrieve(folder, remote, progress)
            except ValueError:
                # A wrong checksum may come from continuing an older file: retry from the start.
                _retrieve(folder, remote, progress)
        except requests.RequestException as error:
            raise Unreachable(_reason(remote.url, error)) from error
        except ValueError as error:
            raise DataError(
                f"{remote.url} sent a file whose checksum is not the published one, {remote.checksum}.",
                "Something between here and there changes it, or the source has changed: fetch the file in another "
                "way and name its folder with --data-dir.",
            ) from error


def _retrieve(folder: Path, remote: Remote, progress: DataProgress) -> None:
    """Download one file into `folder`. Raises ValueError for a wrong checksum."""
    import pooch

    downloader = Resuming(folder / f"{remote.file}.part", progress)
    pooch.retrieve(remote.url, remote.checksum, fname=remote.file, path=folder, downloader=downloader)


class Resuming:
    """A downloader for pooch that keeps the received bytes in the file `part`, and requests only the rest."""

    def __init__(self, part: Path, progress: DataProgress) -> None:
        """If `part` exists, the download continues after its bytes. `progress` counts bytes."""
        self.part = part
        self.progress = progress

    def __call__(self, url: str, output_file: str, pooch: object) -> None:
        """Download `url` completely into `output_file`. Raises requests.RequestException."""
        import requests

        for attempt in range(1, ATTEMPTS + 1):
            before = self._size()
            try:
                self._fetch_rest(url)
                break
            except requests.RequestException:
                if attempt == ATTEMPTS or self._size() <= before:
                    raise
        self.part.replace(output_file)

    def _fetch_rest(self, url: str) -> None:
        """Append the missing bytes to the part; start again if the server cannot continue."""
        import requests

        have = self._size()
        # Without this, the server may compress the file, and a byte range would count compressed bytes.
        headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={have}-"} if have else {})
        with requests.get(url, headers=headers, stream=True, timeout=TIMEOUT) as response:
            if response.status_code == requests.codes.requested_range_not_satisfiable:
                # The part is either complete or from another file. The checksum shows which.
                return
            response.raise_for_status()
            continued = response.status_code == requests.codes.partial_content
            length = response.headers.get("Content-Length")
            done = have if continued else 0
            total = done + int(length) if length else None
            with self.part.open("ab" if continued else "wb") as file:
                for piece in response.iter_content(PIECE):
                    file.write(piece)
                    done += len(piece)
                    self.progress(f"downloading {url}", done, total)

    def _size(self) -> int:
        """Return the number of bytes received so far."""
        return self.part.stat().st_size if self.part.exists() else 0


def _reason(url: str, error: Exception) -> str:
    """Return the reason that `url` cannot be downloaded, as a clause for a note."""
    import requests

    host = urlsplit(url).hostname
    response = getattr(error, "response", None)
    if isinstance(error, requests.HTTPError) and response is not None:
        return f"{host} answered {response.status_code} {response.reason} for {url}"
    if isinstance(error, requests.Timeout):
        return f"{host} did not answer in time"
    if isinstance(error, requests.exceptions.SSLError):
        return f"the certificate of {host} could not be verified"
    if isinstance(error, requests.exceptions.ChunkedEncodingError):
        return f"the connection to {host} broke off again and again"
    return f"there is no connection to {host}"
