"""A ControlClient reports a response that is not JSON as an error of one line."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler

import pytest

from fakeapi.clients.control import ControlClient, ControlError
from tests.http.small_servers import http_server


class Malformed(BaseHTTPRequestHandler):
    """Responds with the bytes after the last slash of the path, as JSON."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        body = bytes.fromhex(self.path.rpartition("/")[2])
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None: ...


@pytest.fixture
def url() -> Iterator[str]:
    with http_server(Malformed) as address:
        yield address


@pytest.mark.parametrize("body", [b"{", b"\xff\xfe"])
def test_a_malformed_response_is_an_error_of_one_line(url: str, body: bytes) -> None:
    with ControlClient(url) as client, pytest.raises(ControlError) as error:
        client.get(f"/{body.hex()}")
    assert len(str(error.value).splitlines()) == 1
