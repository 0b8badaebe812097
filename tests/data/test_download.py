"""Downloading, from a server on this machine: whole, cut off and continued, changed, missing, unreachable."""

import hashlib
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from rosettabench.data.data_set import Remote
from rosettabench.data.download import PIECE, Unreachable, fetch, is_here
from rosettabench.data.progress import silent
from rosettabench.errors import DataError

CONTENT = bytes(range(256)) * 2_000


class Server(ThreadingHTTPServer):
    """Serves CONTENT at every path but /missing; `cuts` is how many answers break off after `cut_after` bytes."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.ranges, self.cuts, self.cut_after, self.continues = [], 0, 6 * PIECE + 100, True

    def remote(self, file="a.bin", content=CONTENT):
        checksum = f"sha256:{hashlib.sha256(content).hexdigest()}"
        return Remote(file, f"http://127.0.0.1:{self.server_port}/{file}", checksum)


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        asked = self.headers.get("Range")
        self.server.ranges.append(asked)
        if self.path == "/missing":
            self.send_error(404)
            return
        start = int(asked[6:-1]) if asked and self.server.continues else 0
        if start >= len(CONTENT):
            self.send_error(416)
            return
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(CONTENT) - start))
        self.end_headers()
        body = CONTENT[start:]
        if self.server.cuts:
            self.server.cuts -= 1
            body = body[: self.server.cut_after]
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    server = Server()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def test_a_file_arrives_and_its_progress_is_told(server, tmp_path):
    told = []
    fetch(tmp_path, [server.remote()], lambda *report: told.append(report))
    assert (tmp_path / "a.bin").read_bytes() == CONTENT
    assert [path.name for path in tmp_path.iterdir()] == ["a.bin"]
    assert told[-1][1:] == (len(CONTENT), len(CONTENT)) and "a.bin" in told[-1][0]
    assert [done for _, done, _ in told] == sorted(done for _, done, _ in told)


def test_what_is_there_is_not_fetched_again(server, tmp_path):
    remote = server.remote()
    assert not is_here(tmp_path, [remote])
    fetch(tmp_path, [remote], silent)
    assert is_here(tmp_path, [remote])
    fetch(tmp_path, [remote], silent)
    assert len(server.ranges) == 1


def test_a_damaged_file_is_fetched_again(server, tmp_path):
    (tmp_path / "a.bin").write_bytes(CONTENT[:-1] + b"x")
    assert not is_here(tmp_path, [server.remote()])
    fetch(tmp_path, [server.remote()], silent)
    assert (tmp_path / "a.bin").read_bytes() == CONTENT


def test_a_connection_that_breaks_off_is_continued(server, tmp_path):
    server.cuts = 2
    fetch(tmp_path, [server.remote()], silent)
    assert (tmp_path / "a.bin").read_bytes() == CONTENT
    assert server.ranges == [None, f"bytes={6 * PIECE}-", f"bytes={12 * PIECE}-"]


def test_a_download_that_was_given_up_is_continued_by_the_next_call(server, tmp_path):
    server.cuts, server.cut_after = 99, 3 * PIECE + 5
    with pytest.raises(Unreachable, match="broke off again and again"):
        fetch(tmp_path, [server.remote()], silent)
    assert not (tmp_path / "a.bin").exists()
    assert (tmp_path / "a.bin.part").read_bytes() == CONTENT[: 15 * PIECE]
    server.cuts = 0
    fetch(tmp_path, [server.remote()], silent)
    assert server.ranges[-1] == f"bytes={15 * PIECE}-"
    assert (tmp_path / "a.bin").read_bytes() == CONTENT


def test_a_server_that_cannot_continue_sends_everything_again(server, tmp_path):
    server.continues = False
    (tmp_path / "a.bin.part").write_bytes(b"old" * 1_000)
    fetch(tmp_path, [server.remote()], silent)
    assert (tmp_path / "a.bin").read_bytes() == CONTENT


@pytest.mark.parametrize("part", [CONTENT, b"x" * 1_000, b"x" * (len(CONTENT) + 7)])
def test_a_part_that_is_whole_or_of_another_file_does_no_harm(server, tmp_path, part):
    (tmp_path / "a.bin.part").write_bytes(part)
    fetch(tmp_path, [server.remote()], silent)
    assert (tmp_path / "a.bin").read_bytes() == CONTENT
    assert not (tmp_path / "a.bin.part").exists()


def test_a_file_with_another_checksum_is_an_error(server, tmp_path):
    remote = server.remote(content=b"published")
    with pytest.raises(DataError, match="checksum is not the published one") as caught:
        fetch(tmp_path, [remote], silent)
    assert remote.url in caught.value.what and remote.checksum in caught.value.what
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_gone_is_told(server, tmp_path):
    with pytest.raises(Unreachable, match=r"127\.0\.0\.1 answered 404 Not Found for http"):
        fetch(tmp_path, [server.remote("missing")], silent)


def test_no_connection_is_told_in_words(tmp_path):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    with pytest.raises(Unreachable, match=r"^there is no connection to 127\.0\.0\.1$"):
        fetch(tmp_path, [Remote("a.bin", f"http://127.0.0.1:{port}/a.bin", "md5:0")], silent)
