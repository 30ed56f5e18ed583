"""WebSocket requests to the API."""

import contextlib
import socket

from fakeapi.testing.server import FakeAPI

CLAIMS = b"/apis/resource.k8s.io/v1beta1/resourceclaims"


def test_a_watch_over_websocket_is_answered_503_and_the_connection_goes_on(fakeapi: FakeAPI) -> None:
    upgrade = b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    key = b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    asked = b"GET %b?watch=true HTTP/1.1\r\nHost: localhost\r\n%b%b\r\n" % (CLAIMS, upgrade, key)
    then = b"GET /version HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    with contextlib.closing(socket.create_connection(("127.0.0.1", fakeapi.port), 30)) as client:
        client.sendall(asked + then)
        answer = b"".join(iter(lambda: client.recv(65_536), b""))
    assert answer.startswith(b"HTTP/1.1 503 Service Unavailable\r\n")
    assert b"HTTP/1.1 200 OK\r\n" in answer
