"""Files fetched from their original source: checked, resumed where they broke off."""

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
"""Bytes that are written at once; of a connection that breaks off, at most so many are lost."""

ATTEMPTS = 5
"""How often a connection may break off before a download is given up; one that brought nothing ends it at once."""


class Unreachable(Exception):
    """The source could not be reached or does not have the file; the message says which, for a note."""


def is_here(folder: Path, remotes: Iterable[Remote]) -> bool:
    """Return whether `folder` holds all files, each with its checksum."""
    import pooch

    return all(
        (folder / remote.file).is_file()
        and pooch.file_hash(str(folder / remote.file), alg=remote.checksum.split(":")[0])
        == remote.checksum.split(":")[1]
        for remote in remotes
    )


def fetch(folder: Path, remotes: Iterable[Remote], progress: DataProgress) -> None:
    """Bring all files into `folder`, except those that are there with the right checksum.

    What had arrived of a file when a download broke off is kept, and the next call goes on from there. Raises
    Unreachable without network, DataError for a file that is not what was published.
    """
    import pooch
    import requests

    pooch.get_logger().setLevel("WARNING")
    for remote in remotes:
        try:
            try:
                _retrieve(folder, remote, progress)
            except ValueError:
                # A wrong checksum. It may be the part of an older file that was continued: once more, from the start.
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
    """Bring one file into `folder`; raise ValueError where its checksum is wrong."""
    import pooch

    downloader = Resuming(folder / f"{remote.file}.part", progress)
    pooch.retrieve(remote.url, remote.checksum, fname=remote.file, path=folder, downloader=downloader)


class Resuming:
    """A downloader for pooch that keeps what has arrived in the file `part`, and asks for the rest only."""

    def __init__(self, part: Path, progress: DataProgress) -> None:
        self.part = part
        self.progress = progress

    def __call__(self, url: str, output_file: str, pooch: object) -> None:
        """Bring the whole of `url` to `output_file`. Raises requests.RequestException."""
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
        """Append to the part what it lacks; begin afresh where the server cannot continue."""
        import requests

        have = self._size()
        # Packed again on the way, a byte range would mean something else.
        headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={have}-"} if have else {})
        with requests.get(url, headers=headers, stream=True, timeout=TIMEOUT) as response:
            if response.status_code == requests.codes.requested_range_not_satisfiable:
                # The part is whole already, or it is of another file: the checksum will tell.
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
        """Return the bytes that have arrived."""
        return self.part.stat().st_size if self.part.exists() else 0


def _reason(url: str, error: Exception) -> str:
    """Return why `url` could not be had, in words for a note."""
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
