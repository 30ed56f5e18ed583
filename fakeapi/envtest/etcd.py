"""The command `etcd` of an envtest folder: reports its data directory to kube-apiserver, and answers health
checks.

    etcd --listen-client-urls=http://127.0.0.1:2379 --data-dir=DIR

kube-apiserver requests the path of the data directory at STATE, and opens a SQLite file in this directory. So
the objects remain when kube-apiserver or etcd starts again with the same data directory. The command does not
support gRPC: clients of etcd's own protocol get an error.
"""

import contextlib
import json
import os
import selectors
import signal
import socket
import sys
from pathlib import Path
from urllib.parse import urlsplit

from fakeapi.envtest.flags import Flag, FlagError, Values, read
from fakeapi.envtest.parent import end_with_parent

VERSION = "3.5.21"
"""The etcd version in the response to /version."""

STATE = "/fakeapi/state"
"""The URL path that returns the directory for the objects of kube-apiserver."""

_REQUEST_BYTES = 8192
"""Maximum size of the request line and headers, in bytes.

After more bytes, the command responds without waiting for the end of the headers.
"""

_CLIENTS = 64
"""Maximum number of open connections. A further connection closes the oldest connection."""

_NOT_ETCD = (
    "This etcd belongs to fakeapi: it keeps the state of fakeapi's kube-apiserver, and does not speak etcd's "
    "protocol. Read and write objects through kube-apiserver."
)

_DEFAULTS = {"data-dir": "default.etcd", "listen-client-urls": "http://localhost:2379"}
_IGNORED = (
    "advertise-client-urls",
    "auth-token",
    "auto-compaction-mode",
    "auto-compaction-retention",
    "cert-file",
    "cipher-suites",
    "client-cert-auth",
    "enable-grpc-gateway",
    "enable-v2",
    "election-timeout",
    "force-new-cluster",
    "heartbeat-interval",
    "initial-advertise-peer-urls",
    "initial-cluster",
    "initial-cluster-state",
    "initial-cluster-token",
    "key-file",
    "listen-metrics-urls",
    "listen-peer-urls",
    "log-level",
    "log-outputs",
    "logger",
    "max-request-bytes",
    "max-snapshots",
    "max-txn-ops",
    "max-wals",
    "metrics",
    "name",
    "peer-cert-file",
    "peer-client-cert-auth",
    "peer-key-file",
    "peer-trusted-ca-file",
    "pre-vote",
    "quota-backend-bytes",
    "snapshot-count",
    "trusted-ca-file",
    "wal-dir",
)
"""Flags of etcd without an effect, because this etcd has one member and no log."""

FLAGS = (
    *(Flag(name, "string") for name in (*_DEFAULTS, *_IGNORED)),
    Flag("unsafe-no-fsync", "bool", alone="true"),
    Flag("help", "bool", shorthand="h", alone="true"),
    Flag("version", "bool", alone="true"),
)


def main() -> None:
    """Runs the command until SIGTERM or SIGINT.

    Exits with 2 for an invalid command line, and with 1 for other errors.
    """
    try:
        values = read(sys.argv[1:], FLAGS)
    except FlagError as error:
        print(f"etcd: {error}", file=sys.stderr)
        raise SystemExit(2) from None
    if values.has("help"):
        print(help_text())
    elif values.has("version"):
        print(f"etcd Version: {VERSION}\nThis is fakeapi's etcd.")
    else:
        _serve(values)


def help_text() -> str:
    """Returns the text that `etcd --help` prints."""
    lines = ["The etcd of fakeapi. It keeps the objects of the kube-apiserver beside it.", "", "Flags:"]
    lines += [f"  --{name} {_DEFAULTS[name]!r}" for name in _DEFAULTS]
    lines += ["  --unsafe-no-fsync", "", "Accepted without effect:"]
    return "\n".join([*lines, *(f"  --{name}" for name in _IGNORED)])


def _serve(values: Values) -> None:
    directory = Path(values.text("data-dir", _DEFAULTS["data-dir"])).absolute()
    urls = values.text("listen-client-urls", _DEFAULTS["listen-client-urls"]).split(",")
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        listeners = [_listen(url) for url in urls]
    except (OSError, ValueError) as error:
        print(f"etcd: cannot start: {error}", file=sys.stderr)
        raise SystemExit(1) from None
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _exit)
    end_with_parent()
    state = {"directory": str(directory), "fsync": not values.flag("unsafe-no-fsync", default=False)}
    print(f"etcd: the objects are in {directory}", file=sys.stderr, flush=True)
    _Health(listeners, state).run()


def _exit(number: int, _: object) -> None:
    raise SystemExit(0)


def _listen(url: str) -> socket.socket:
    """Opens a listening socket for a URL such as http://127.0.0.1:2379.

    Raises ValueError for an invalid URL, and OSError if the address is not available.
    """
    parts = urlsplit(url.strip())
    if parts.scheme != "http" or parts.hostname is None:
        raise ValueError(f"{url!r} is not a URL of plain HTTP; fakeapi's etcd has no TLS")
    family = socket.AF_INET6 if ":" in parts.hostname else socket.AF_INET
    listener = socket.create_server((parts.hostname, parts.port or 2379), family=family, backlog=_CLIENTS)
    listener.setblocking(False)
    return listener


class _Health:
    """A server for the paths /health, /version and STATE over HTTP/1.1, with one request per connection."""

    def __init__(self, listeners: list[socket.socket], state: dict[str, object]) -> None:
        self._answers = {
            "/health": {"health": "true", "reason": ""},
            "/version": {"etcdserver": VERSION, "etcdcluster": VERSION.rpartition(".")[0] + ".0"},
            STATE: {**state, "pid": os.getpid()},
        }
        self._selector = selectors.DefaultSelector()
        self._heads: dict[socket.socket, bytes] = {}
        for listener in listeners:
            self._selector.register(listener, selectors.EVENT_READ)

    def run(self) -> None:
        while True:
            for key, _ in self._selector.select():
                connection = key.fileobj
                assert isinstance(connection, socket.socket), "only sockets are registered"
                if connection in self._heads:
                    self._read(connection)
                else:
                    self._accept(connection)

    def _accept(self, listener: socket.socket) -> None:
        try:
            client, _ = listener.accept()
        except BlockingIOError:
            return
        except OSError:  # the process has no free file descriptor
            self._close_oldest()
            return
        if len(self._heads) >= _CLIENTS:
            self._close_oldest()
        client.setblocking(False)
        self._heads[client] = b""
        self._selector.register(client, selectors.EVENT_READ)

    def _close_oldest(self) -> None:
        if self._heads:
            self._close(next(iter(self._heads)))

    def _read(self, client: socket.socket) -> None:
        try:
            data = client.recv(_REQUEST_BYTES)
        except OSError:
            data = b""
        head = self._heads[client] + data
        self._heads[client] = head
        if not data or b"\r\n\r\n" in head or b"\n\n" in head or len(head) > _REQUEST_BYTES:
            if data:
                with contextlib.suppress(OSError):
                    client.send(self._answer(head))  # the kernel's buffer has room
            self._close(client)

    def _answer(self, head: bytes) -> bytes:
        words = head.split(b" ", 2)
        path = words[1].partition(b"?")[0].decode("latin-1") if len(words) == 3 else ""
        answer = self._answers.get(path)
        status, body = ("200 OK", answer) if answer is not None else ("501 Not Implemented", _refusal())
        text = json.dumps(body).encode()
        fields = f"Content-Type: application/json\r\nContent-Length: {len(text)}\r\nConnection: close"
        return f"HTTP/1.1 {status}\r\n{fields}\r\n\r\n".encode() + text

    def _close(self, client: socket.socket) -> None:
        self._selector.unregister(client)
        del self._heads[client]
        client.close()


def _refusal() -> dict[str, object]:
    return {"error": _NOT_ETCD, "message": _NOT_ETCD, "code": 12}  # 12 is gRPC's UNIMPLEMENTED


if __name__ == "__main__":
    main()
