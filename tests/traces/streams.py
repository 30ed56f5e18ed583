"""Opens a watch over a plain socket, so that a test decides when the watch ends."""

import socket
from collections import deque
from typing import Any, Self
from urllib.parse import urlsplit

from tests.http.wire import TIMEOUT_SECONDS, head, read_head

CLAIMS = "/apis/resource.k8s.io/v1alpha3/namespaces/default/resourceclaims"


class Watch:
    """A watch over its own socket. `line` returns the next line of the response."""

    def __init__(self, url: str, target: str = f"{CLAIMS}?watch=true", *headers: tuple[bytes, bytes]) -> None:
        parts = urlsplit(url)
        self._socket = socket.create_connection((parts.hostname, parts.port), TIMEOUT_SECONDS)
        self._socket.sendall(
            head(
                b"GET",
                target.encode(),
                [(b"host", parts.netloc.encode()), (b"user-agent", b"watcher/1"), *headers],
            )
        )
        self._reader = self._socket.makefile("rb")
        self._lines: deque[bytes] = deque()
        self.status, _ = read_head(self._reader)

    def line(self) -> bytes:
        """Reads the next line of the watch; returns b"" at the end.

        A busy server may send several lines in one chunk.
        """
        while not self._lines:
            size = int(self._reader.readline() or b"0", 16)
            data = self._reader.read(size)
            self._reader.readline()
            if not data:
                return b""
            self._lines.extend(data.splitlines(keepends=True))
        return self._lines.popleft()

    def close(self) -> None:
        self._reader.close()
        self._socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def claim(name: str) -> dict[str, Any]:
    return {
        "apiVersion": "resource.k8s.io/v1alpha3",
        "kind": "ResourceClaim",
        "metadata": {"name": name},
        "spec": {"devices": {"requests": [{"name": "gpu", "deviceClassName": "gpu.example.com"}]}},
    }
